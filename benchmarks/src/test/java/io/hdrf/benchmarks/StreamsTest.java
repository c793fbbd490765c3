/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

class StreamsTest {

  private static final int LENGTH = (2 << 20) + 5;

  private static long mismatch(byte[] one, byte[] other) throws IOException {
    return Streams.mismatch(new ByteArrayInputStream(one), new ByteArrayInputStream(other));
  }

  @Test
  void equalStreamsDoNotDiffer() throws IOException {
    for (int length : new int[] {0, 1, 1 << 20, LENGTH}) {
      assertThat(mismatch(new byte[length], new byte[length])).as("%d bytes", length).isEqualTo(-1);
    }
  }

  @Test
  void findsTheByteThatDiffers() throws IOException {
    for (int position : new int[] {0, (1 << 20) - 1, 1 << 20, LENGTH - 1}) {
      byte[] changed = new byte[LENGTH];
      changed[position] = 1;
      assertThat(mismatch(new byte[LENGTH], changed)).isEqualTo(position);
    }
  }

  @Test
  void aStreamThatEndsEarlyDiffersThere() throws IOException {
    byte[] data = new byte[LENGTH];
    for (int length : new int[] {0, 1, 1 << 20, LENGTH - 1}) {
      byte[] part = Arrays.copyOf(data, length);
      assertThat(mismatch(part, data)).isEqualTo(length);
      assertThat(mismatch(data, part)).isEqualTo(length);
    }
  }
}
