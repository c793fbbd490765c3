/* SPDX-License-Identifier: Apache-2.0 */
/**
 * The records of blocks, and the metadata store that keeps them, a plug-in written against {@code
 * io.hdrf.spi.store}. Records are an index: the blocks' files are the truth, and records are made
 * from them again when lost.
 */
package io.hdrf.metadata;
