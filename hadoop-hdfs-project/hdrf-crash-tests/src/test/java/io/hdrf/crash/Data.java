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

  /** What {@link #fillSimilar} changes. */
  private static final byte[] MODEL = new byte[1 << 18];

  static {
    fill(MODEL, true, new Random(2));
  }

  private Data() {}

  /** Fills an array with a part of always the same words, of which one byte in some 400 differs. */
  static void fillSimilar(byte[] data, Random random) {
    int from = random.nextInt(MODEL.length);
    for (int i = 0; i < data.length; i++) {
      data[i] = MODEL[(from + i) % MODEL.length];
    }
    for (int i = random.nextInt(800); i < data.length; i += 1 + random.nextInt(800)) {
      data[i] = '#';
    }
  }

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
