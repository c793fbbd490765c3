/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.crash;

import java.util.Random;

/** Content for files. */
final class Data {

  private static final byte[][] WORDS = new byte[200][];

  static {
    Random random = new Random(1);
    for (int i = 0; i < WORDS.length; i++) {
      WORDS[i] = new byte[2 + random.nextInt(9)];
      for (int j = 0; j < WORDS[i].length - 1; j++) {
        WORDS[i][j] = (byte) ('a' + random.nextInt(26));
      }
      WORDS[i][WORDS[i].length - 1] = ' ';
    }
  }

  private Data() {}

  /** Fills an array with words, or with bytes that no scheme makes smaller. */
  static void fill(byte[] data, boolean text, Random random) {
    if (!text) {
      random.nextBytes(data);
      return;
    }
    int position = 0;
    while (position < data.length) {
      byte[] word = WORDS[random.nextInt(WORDS.length)];
      int count = Math.min(word.length, data.length - position);
      System.arraycopy(word, 0, data, position, count);
      position += count;
    }
  }
}
