/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.benchmarks;

import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;

/** What benchmarks do with streams. */
final class Streams {

  private static final int PIECE = 1 << 20;

  private Streams() {}

  /**
   * Reads two streams until they differ, or to their ends.
   *
   * @return the position of the first byte that differs or that only one of them has; -1 if there
   *     is none
   */
  static long mismatch(InputStream one, InputStream other) throws IOException {
    byte[] a = new byte[PIECE];
    byte[] b = new byte[PIECE];
    for (long position = 0; ; position += PIECE) {
      int inOne = one.readNBytes(a, 0, PIECE);
      int inOther = other.readNBytes(b, 0, PIECE);
      int differs = Arrays.mismatch(a, 0, inOne, b, 0, inOther);
      if (differs >= 0) {
        return position + differs;
      }
      if (inOne < PIECE) {
        return -1;
      }
    }
  }
}
