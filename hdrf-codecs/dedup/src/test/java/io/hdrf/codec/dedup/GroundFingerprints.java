/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Random;

/** Prefixes of an adversary who tries chunks until chosen bits are equal. */
public final class GroundFingerprints {

  /** The number of equal bits of a prefix: more than trying can reach. */
  private static final int BITS = 24;

  private GroundFingerprints() {}

  /**
   * Prefixes with equal bits.
   *
   * @param lowest of the bits that are equal
   */
  public static long[] prefixes(Random random, int count, int lowest) {
    long mask = (((1L << BITS) - 1) << lowest);
    long equal = random.nextLong() & mask;
    return random.longs(count).map(prefix -> (prefix & ~mask) | equal).toArray();
  }

  /** Fingerprints that begin with prefixes, one after the other. */
  public static byte[] fingerprints(Random random, long[] prefixes) {
    byte[] bytes = new byte[32 * prefixes.length];
    random.nextBytes(bytes);
    ByteBuffer out = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    for (int i = 0; i < prefixes.length; i++) {
      out.putLong(32 * i, prefixes[i]);
    }
    return bytes;
  }
}
