/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Streams and channels over reduced blocks: they decode runs of frames, the next ones ahead of the
 * reader.
 */
package io.hdrf.datanode.read;
