/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.container.format;

/** The first eight bytes of a fingerprint as a number, for hash tables. */
public final class Prefix {

  private Prefix() {}

  /** The bytes at {@code offset}, the lowest first. */
  public static long of(byte[] fingerprints, int offset) {
    long value = 0;
    for (int i = Long.BYTES - 1; i >= 0; i--) {
      value = (value << Byte.SIZE) | (fingerprints[offset + i] & 0xFF);
    }
    return value;
  }
}
