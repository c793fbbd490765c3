/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.delta;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hdrf.jni.ChunkDelta;
import java.nio.ByteBuffer;
import java.util.Random;
import org.junit.jupiter.api.Test;

class DifferenceEncoderTest {

  private final Random random = new Random(3);

  private byte[] noise(int length) {
    byte[] bytes = new byte[length];
    random.nextBytes(bytes);
    return bytes;
  }

  private static ByteBuffer direct(byte[] bytes) {
    return ByteBuffer.allocateDirect(bytes.length).put(bytes).flip();
  }

  /** The last bytes are others. */
  private byte[] changed(byte[] base, int count) {
    byte[] chunk = base.clone();
    System.arraycopy(noise(count), 0, chunk, base.length - count, count);
    return chunk;
  }

  @Test
  void aDifferenceTakesNoMoreThanItsShareOfTheChunk() {
    for (int percent : new int[] {5, 20, 100}) {
      DifferenceEncoder encoder = new DifferenceEncoder(percent);
      byte[] base = noise(4000);
      int longest = 0;
      int shortest = Integer.MAX_VALUE;
      for (int count = 10; count < 2000; count += 10) {
        byte[] chunk = changed(base, count);
        ByteBuffer difference = encoder.encode(direct(base), direct(chunk));
        if (difference == null) {
          shortest = Math.min(shortest, count);
          continue;
        }
        longest = Math.max(longest, difference.remaining());
        ByteBuffer made = ByteBuffer.allocateDirect(chunk.length);
        assertThat(ChunkDelta.decode(direct(base), difference, made)).isTrue();
        assertThat(made.flip()).isEqualTo(direct(chunk));
      }
      int most = 40 * percent;
      assertThat(longest).isLessThanOrEqualTo(most).isGreaterThan(Math.min(most, 2000) - 20);
      assertThat(shortest).isGreaterThan(Math.min(most, 2000) - 40);
    }
  }

  @Test
  void otherSharesAreRefused() {
    for (int percent : new int[] {0, 101}) {
      assertThatThrownBy(() -> new DifferenceEncoder(percent))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining(percent + " percent");
    }
    assertThat(new DifferenceEncoder(1)).isNotNull();
  }

  /** The buffer grows with the chunks, and is the limit of none. */
  @Test
  void longerChunksMayHaveLongerDifferences() {
    DifferenceEncoder encoder = new DifferenceEncoder(DifferenceEncoder.DEFAULT_PERCENT);
    for (int length : new int[] {100, 200_000, 1000, 400_000, 100}) {
      byte[] base = noise(length);
      byte[] chunk = changed(base, length / 10);
      ByteBuffer difference = encoder.encode(direct(base), direct(chunk));
      assertThat(difference.remaining()).isBetween(length / 10, length / 10 + 20);
      assertThat(encoder.encode(direct(base), direct(changed(base, length / 4)))).isNull();
    }
  }
}
