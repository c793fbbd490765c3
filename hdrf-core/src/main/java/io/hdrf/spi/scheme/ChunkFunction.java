/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.spi.scheme;

import java.nio.ByteBuffer;

/**
 * The function by which a {@link BlockScheme} cuts blocks into chunks and names them, so that two
 * DataNodes can tell each other which chunks they have. Safe for use by many threads.
 */
public interface ChunkFunction {

  /** Bytes of a fingerprint: a SHA-256. */
  int FINGERPRINT_LENGTH = 32;

  /**
   * A number that two functions share only if they cut and name the same data in the same way, on
   * every machine.
   */
  long dialect();

  /** No chunk is longer, in bytes. */
  int maxChunkLength();

  /**
   * Finds the ends of the chunks in the bytes from the buffer's position, where a chunk begins, to
   * its limit. Both stay as they are. Bytes behind the last end belong to a chunk that is not
   * finished: call again with them and what follows.
   *
   * @param data direct
   * @param last whether the block ends at the limit
   * @param ends is given the chunks' ends, as distances from the position, in rising order
   * @return how many ends were stored; less than {@code ends.length} if there are no more
   */
  int cut(ByteBuffer data, boolean last, int[] ends);

  /**
   * Names chunks that lie one behind the other from the buffer's position on, which stays.
   *
   * @param data direct
   * @param ends where each chunk ends, as distances from the position
   * @param count how many chunks
   * @param fingerprints gets {@code count} times {@link #FINGERPRINT_LENGTH} bytes
   */
  void fingerprints(ByteBuffer data, int[] ends, int count, byte[] fingerprints);
}
