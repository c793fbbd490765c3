/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.io;

import java.util.Arrays;
import java.util.Random;

/** Data for tests, made from a seed, and their comparison. */
public final class TestBytes {

  private TestBytes() {}

  /** Text-like bytes that compress to about a third. */
  public static byte[] text(int length, long seed) {
    Random random = new Random(seed);
    byte[] data = new byte[length];
    int position = 0;
    byte[][] words = new byte[256][];
    for (int i = 0; i < words.length; i++) {
      words[i] = new byte[3 + random.nextInt(9)];
      for (int j = 0; j < words[i].length; j++) {
        words[i][j] = (byte) ('a' + random.nextInt(26));
      }
    }
    while (position < length) {
      byte[] word = words[random.nextInt(random.nextInt(words.length) + 1)];
      int count = Math.min(word.length, length - position);
      System.arraycopy(word, 0, data, position, count);
      position += count;
      if (position < length) {
        data[position++] = random.nextInt(12) == 0 ? (byte) '\n' : (byte) ' ';
      }
    }
    return data;
  }

  /** Bytes that nothing compresses. */
  public static byte[] noise(int length, long seed) {
    return noise(length, new Random(seed));
  }

  /** The next bytes of a generator. */
  public static byte[] noise(int length, Random random) {
    byte[] data = new byte[length];
    random.nextBytes(data);
    return data;
  }

  /** Fails with the place of the first difference, and not with megabytes. */
  public static void assertSame(String what, byte[] found, byte[] expected) {
    int difference = Arrays.mismatch(found, expected);
    if (difference >= 0) {
      throw new AssertionError(
          what
              + " differs from byte "
              + difference
              + " on; it has "
              + found.length
              + " bytes, expected are "
              + expected.length);
    }
  }
}
