/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.container.format;

import java.security.SecureRandom;

/**
 * The slots of chunks in hash tables in memory. They depend on a secret, so that nobody can make
 * chunks that meet in a table and slow down its searches: fingerprints themselves are evenly
 * spread, but the writer of the data chooses them. The secret is that of this process, or, of a
 * table that outlives it, one that is kept with it. Immutable.
 */
public final class SlotHash {

  private static final SlotHash OF_PROCESS = random();

  private final long added;
  private final long factor;
  private final long secondFactor;

  /**
   * Makes one with a secret that is known.
   *
   * @param factor an odd number, as is the next
   */
  public SlotHash(long added, long factor, long secondFactor) {
    this.added = added;
    this.factor = factor;
    this.secondFactor = secondFactor;
  }

  /** Makes one with a new secret. */
  public static SlotHash random() {
    SecureRandom random = new SecureRandom();
    return new SlotHash(random.nextLong(), random.nextLong() | 1, random.nextLong() | 1);
  }

  /** Returns the one with the secret of this process. */
  public static SlotHash ofProcess() {
    return OF_PROCESS;
  }

  /** Returns the secret's first number. */
  public long added() {
    return added;
  }

  /** Returns the secret's second number. */
  public long factor() {
    return factor;
  }

  /** Returns the secret's third number. */
  public long secondFactor() {
    return secondFactor;
  }

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
  public long of(long prefix) {
    long mixed = (prefix ^ added) * factor;
    return (mixed ^ (mixed >>> Integer.SIZE)) * secondFactor;
  }

  /**
   * The slot for a fingerprint, by the secret of this process.
   *
   * @param slots of the table, a power of two, at least 2
   */
  public static int slot(long prefix, int slots) {
    return (int)
        (OF_PROCESS.of(prefix) >>> (Integer.numberOfLeadingZeros(slots) + Integer.SIZE + 1));
  }
}
