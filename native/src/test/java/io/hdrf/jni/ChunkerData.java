/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.jni;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Random;

/** Kinds of data, each hard for some chunker. */
enum ChunkerData {
  RANDOM {
    @Override
    void fill(byte[] data, Random random) {
      random.nextBytes(data);
    }
  },
  ZEROS {
    @Override
    void fill(byte[] data, Random random) {}
  },
  HIGHS {
    @Override
    void fill(byte[] data, Random random) {
      Arrays.fill(data, (byte) 255);
    }
  },
  HIGHS_THEN_ZEROS {
    @Override
    void fill(byte[] data, Random random) {
      Arrays.fill(data, 0, random.nextInt(data.length), (byte) 255);
    }
  },
  RISING {
    @Override
    void fill(byte[] data, Random random) {
      int slope = 1 + random.nextInt(50);
      for (int i = 0; i < data.length; i++) {
        data[i] = (byte) (i / slope);
      }
    }
  },
  SHORT_PERIOD {
    @Override
    void fill(byte[] data, Random random) {
      int period = 1 + random.nextInt(40);
      random.nextBytes(data);
      for (int i = period; i < data.length; i++) {
        data[i] = data[i - period];
      }
    }
  },
  SPARSE {
    @Override
    void fill(byte[] data, Random random) {
      for (int i = random.nextInt(300); i < data.length; i += 1 + random.nextInt(300)) {
        data[i] = (byte) random.nextInt();
      }
    }
  },
  TEXT {
    @Override
    void fill(byte[] data, Random random) {
      String[] words = {"public ", "int ", "é", "return ", "x", "(", ");\n", "  ", "// ", "\n\n"};
      int i = 0;
      while (i < data.length) {
        byte[] word = words[random.nextInt(words.length)].getBytes(StandardCharsets.UTF_8);
        int length = Math.min(word.length, data.length - i);
        System.arraycopy(word, 0, data, i, length);
        i += length;
      }
    }
  };

  /** Overwrites zeros. */
  abstract void fill(byte[] data, Random random);

  byte[] make(int length, Random random) {
    byte[] data = new byte[length];
    fill(data, random);
    return data;
  }
}
