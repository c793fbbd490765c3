/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.container.format;

import java.security.SecureRandom;

/**
 * The slots of chunks in hash tables in memory. They depend on a secret of this process, so that
 * nobody can make chunks that meet in a table and slow down its searches: fingerprints themselves
 * are evenly spread, but the writer of the data chooses them. For tables that live no longer than
 * the process. Thread-safe.
 */
public final class SlotHash {

  private static final long ADDED;
  private static final long FACTOR;
  private static final long SECOND_FACTOR;

  static {
    SecureRandom random = new SecureRandom();
    ADDED = random.nextLong();
    FACTOR = random.nextLong() | 1;
    SECOND_FACTOR = random.nextLong() | 1;
  }

  private SlotHash() {}

  /** The first eight bytes of the fingerprint that begins at {@code offset}, the lowest first. */
  public static long prefix(byte[] fingerprints, int offset) {
    long value = 0;
    for (int i = Long.BYTES - 1; i >= 0; i--) {
      value = (value << Byte.SIZE) | (fingerprints[offset + i] & 0xFF);
    }
    return value;
  }

  /**
   * A number of which the upper bits depend on all bits of the prefix: take those.
   *
   * @param prefix of a fingerprint
   */
  public static long of(long prefix) {
    long mixed = (prefix ^ ADDED) * FACTOR;
    return (mixed ^ (mixed >>> Integer.SIZE)) * SECOND_FACTOR;
  }

  /**
   * The slot for a fingerprint.
   *
   * @param slots of the table, a power of two, at least 2
   */
  public static int slot(long prefix, int slots) {
    return (int) (of(prefix) >>> (Integer.numberOfLeadingZeros(slots) + Integer.SIZE + 1));
  }
}
