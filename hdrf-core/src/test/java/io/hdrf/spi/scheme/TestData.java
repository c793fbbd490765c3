/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.spi.scheme;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Random;

/** Kinds of data on which codecs are known to fail. */
public enum TestData {
  ZEROS {
    @Override
    void fill(byte[] data, Random random) {}
  },
  ONE_VALUE {
    @Override
    void fill(byte[] data, Random random) {
      Arrays.fill(data, (byte) (1 + random.nextInt(255)));
    }
  },
  RANDOM {
    @Override
    void fill(byte[] data, Random random) {
      random.nextBytes(data);
    }
  },
  TEXT {
    @Override
    void fill(byte[] data, Random random) {
      for (int i = 0; i < data.length; ) {
        String word = WORDS[random.nextInt(WORDS.length)] + (random.nextInt(9) == 0 ? "\n" : " ");
        byte[] bytes = word.getBytes(StandardCharsets.US_ASCII);
        int length = Math.min(bytes.length, data.length - i);
        System.arraycopy(bytes, 0, data, i, length);
        i += length;
      }
    }
  },
  PERIODIC {
    @Override
    void fill(byte[] data, Random random) {
      byte[] period = new byte[1 + random.nextInt(300)];
      random.nextBytes(period);
      for (int i = 0; i < data.length; i++) {
        data[i] = period[i % period.length];
      }
    }
  },
  COUNTING {
    @Override
    void fill(byte[] data, Random random) {
      for (int i = 0; i < data.length; i++) {
        data[i] = (byte) (i >>> 2);
      }
    }
  },
  RUNS {
    @Override
    void fill(byte[] data, Random random) {
      for (int i = 0; i < data.length; ) {
        int end = Math.min(data.length, i + 1 + random.nextInt(1 << random.nextInt(12)));
        Arrays.fill(data, i, end, (byte) random.nextInt());
        i = end;
      }
    }
  },
  /** Repeats from near and far, so that matches of all distances occur. */
  REPEATS {
    @Override
    void fill(byte[] data, Random random) {
      for (int i = 0; i < data.length; ) {
        int length = Math.min(data.length - i, 1 + random.nextInt(1 << random.nextInt(16)));
        if (i > 0 && random.nextInt(3) != 0) {
          int from = random.nextInt(i);
          length = Math.min(length, i - from);
          System.arraycopy(data, from, data, i, length);
        } else {
          byte[] fresh = new byte[length];
          random.nextBytes(fresh);
          System.arraycopy(fresh, 0, data, i, length);
        }
        i += length;
      }
    }
  },
  /** First half random, second half zeros. */
  HALF_RANDOM {
    @Override
    void fill(byte[] data, Random random) {
      byte[] half = new byte[data.length / 2];
      random.nextBytes(half);
      System.arraycopy(half, 0, data, 0, half.length);
    }
  };

  private static final String[] WORDS = {
    "public",
    "static",
    "final",
    "int",
    "return",
    "block",
    "replica",
    "frame",
    "=",
    "{",
    "}",
    "the",
    "DataNode",
    "length",
    "0x7f",
    "namespace",
    "import",
    "org.apache.hadoop",
    "while",
    "1024",
    ";"
  };

  abstract void fill(byte[] data, Random random);

  /** Data of this kind. */
  public byte[] bytes(int length, Random random) {
    byte[] data = new byte[length];
    fill(data, random);
    return data;
  }
}
