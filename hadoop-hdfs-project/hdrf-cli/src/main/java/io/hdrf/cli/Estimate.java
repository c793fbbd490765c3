/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.cli;

/**
 * What one copy of some files would take on one volume.
 *
 * @param chain the schemes with commas between them
 * @param chunkSize the average length of chunks as it was given; empty if the chain has no chunks
 * @param blocks how many blocks the files have
 * @param plainBlocks how many of them would stay as they are
 * @param logicalBytes what is in the files
 * @param blockBytes what block files would take
 * @param storeBytes what the files of a scheme's own store would take, without filters and index
 * @param chunks how many chunks the files have
 * @param uniqueChunks how many of them are different
 * @param uniqueBytes what is in the different chunks
 * @param indexEntries how many of the different chunks have entries in the index
 */
record Estimate(
    String chain,
    String chunkSize,
    long blocks,
    long plainBlocks,
    long logicalBytes,
    long blockBytes,
    long storeBytes,
    long chunks,
    long uniqueChunks,
    long uniqueBytes,
    long indexEntries) {

  /** At the default error rate of the filters. */
  private static final int FILTER_BITS = 29;

  private static final int EMBEDDED_BYTES = 42;
  private static final int REDIS_BYTES = 44;

  boolean hasChunks() {
    return !chunkSize.isEmpty();
  }

  /** The chain, and the chunk size where there is one. */
  String label() {
    return hasChunks() ? chain + " " + chunkSize : chain;
  }

  /** All on the volume: block files, the scheme's store, its filters and its embedded index. */
  long physicalBytes() {
    return blockBytes + storeBytes + filterBytes() + embeddedIndexBytes();
  }

  /** Physical bytes as a share of logical bytes; 1 where there are none. */
  double ratio() {
    return share(physicalBytes(), logicalBytes);
  }

  /** Bytes of different chunks as a share of all; 1 where there are none. */
  double uniqueShare() {
    return share(uniqueBytes, logicalBytes);
  }

  /** Memory of a DataNode for the filters, and what they take on the volume, in bytes. */
  long filterBytes() {
    return indexEntries * FILTER_BITS / Byte.SIZE;
  }

  /** The index in the embedded store, on the volume, in bytes. */
  long embeddedIndexBytes() {
    return indexEntries * EMBEDDED_BYTES;
  }

  /** The index in Redis, in its memory, in bytes. */
  long redisIndexBytes() {
    return indexEntries * REDIS_BYTES;
  }

  private static double share(long part, long whole) {
    return whole == 0 ? 1 : (double) part / whole;
  }
}
