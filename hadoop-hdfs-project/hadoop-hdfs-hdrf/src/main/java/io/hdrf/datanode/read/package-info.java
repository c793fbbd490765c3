/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Streams and channels over reduced blocks: they decode runs of frames, and prefetch the next ones.
 * Uses {@code StoredFrameSource} of {@code io.hdrf.datanode.mirror}, and the error for what is
 * unavailable.
 */
package io.hdrf.datanode.read;
