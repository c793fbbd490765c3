/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.cli;

/**
 * The estimated size of one copy of some files on one volume.
 *
 * @param chain the schemes with commas between them
 * @param chunkSize the average length of chunks as it was given; empty if the chain has no chunks
 * @param blocks the number of blocks of the files
 * @param plainBlocks the number of them that would stay plain
 * @param logicalBytes the bytes of the files
 * @param blockBytes the size of block files
 * @param storeBytes the size of a scheme's own store, without filters and index
 * @param chunks the number of chunks of the files
 * @param uniqueChunks the number of different ones
 * @param uniqueBytes the bytes of the different chunks
 * @param chunksAsDifferences the number of different chunks that are kept as differences to others
 * @param bytesAsDifferences the bytes of these chunks
 * @param bytesOfDifferences what is kept of them, before compression
 * @param indexEntries the number of different chunks with entries in the index
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
    long chunksAsDifferences,
    long bytesAsDifferences,
    long bytesOfDifferences,
    long indexEntries) {

  /** Bits per chunk at the default error rate of the filters. */
  private static final int FILTER_BITS = 29;

  private static final int EMBEDDED_BYTES = 42;
  private static final int REDIS_BYTES = 44;

  boolean hasChunks() {
    return !chunkSize.isEmpty();
  }

  /** Returns the chain, and the chunk size where there is one. */
  String label() {
    return hasChunks() ? chain + " " + chunkSize : chain;
  }

  /**
   * Returns all bytes on the volume: block files, the scheme's store, its filters and its embedded
   * index.
   */
  long physicalBytes() {
    return blockBytes + storeBytes + filterBytes() + embeddedIndexBytes();
  }

  /** Returns physical bytes as a share of logical bytes; 1 where there are no logical bytes. */
  double ratio() {
    return share(physicalBytes(), logicalBytes);
  }

  /** Returns bytes of different chunks as a share of all; 1 where there are none. */
  double uniqueShare() {
    return share(uniqueBytes, logicalBytes);
  }

  /** Returns the part of the different chunks that are kept as differences; 0 if there are none. */
  double differenceShare() {
    return uniqueChunks == 0 ? 0 : (double) chunksAsDifferences / uniqueChunks;
  }

  /** Returns the bytes of the filters, in a DataNode's memory and on the volume. */
  long filterBytes() {
    return indexEntries * FILTER_BITS / Byte.SIZE;
  }

  /** Returns the bytes of the index in the embedded store, on the volume. */
  long embeddedIndexBytes() {
    return indexEntries * EMBEDDED_BYTES;
  }

  /** Returns the bytes of the index in Redis, in its memory. */
  long redisIndexBytes() {
    return indexEntries * REDIS_BYTES;
  }

  private static double share(long part, long whole) {
    return whole == 0 ? 1 : (double) part / whole;
  }
}
