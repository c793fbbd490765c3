/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.container.format;

/**
 * The fingerprint of a chunk that is kept as a difference, in a directory that was made again from
 * groups: to know the right one takes the base, which may lie in a container that is not open yet.
 * The chunk's number, then zeros; no look-up takes it for a fingerprint, and no two chunks of a
 * container have the same.
 */
final class UnknownFingerprint {

  private UnknownFingerprint() {}

  static void put(int number, byte[] dst, int offset) {
    for (int i = 0; i < Fingerprinter.LENGTH; i++) {
      dst[offset + i] = i < Integer.BYTES ? (byte) (number >>> (i * Byte.SIZE)) : 0;
    }
  }

  static boolean is(byte[] fingerprint, int offset) {
    // From the end: one byte tells of nearly all others.
    for (int i = Fingerprinter.LENGTH - 1; i >= Integer.BYTES; i--) {
      if (fingerprint[offset + i] != 0) {
        return false;
      }
    }
    return true;
  }
}
