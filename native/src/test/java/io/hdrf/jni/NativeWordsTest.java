/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.jni;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.LongBuffer;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

class NativeWordsTest {

  @Test
  void wordsAreZeroAndWritable() {
    NativeWords words = NativeWords.allocate(1000);
    LongBuffer buffer = words.buffer();
    assertThat(buffer.limit()).isEqualTo(1000);
    assertThat(buffer.isDirect()).isEqualTo(NativeLibrary.isLoaded());
    for (int i = 0; i < 1000; i++) {
      assertThat(buffer.get(i)).isZero();
      buffer.put(i, ~i);
    }
    assertThat(buffer.get(999)).isEqualTo(~999);
    words.free();
  }

  @Test
  void whatIsFreedIsGivenBackOnceAndRefused() {
    NativeWords words = NativeWords.allocate(1 << 17);
    long with = NativeWords.allocatedBytes();
    words.free();
    words.free();
    long mapped = NativeLibrary.isLoaded() ? 1 << 20 : 0;
    assertThat(NativeWords.allocatedBytes()).isLessThanOrEqualTo(with - mapped);
    assertThatThrownBy(words::buffer).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void theBeginningStaysWhateverTheLengthBecomes() {
    NativeWords words = NativeWords.allocate(1000);
    long[] values = new Random(7).longs(1000).toArray();
    words.buffer().duplicate().put(values);
    for (int count : new int[] {1 << 17, 1 << 19, 1 << 19, 50_001, 513, 512, 1, 1 << 16, 99}) {
      long before = NativeWords.allocatedBytes();
      int had = values.length;
      NativeWords resized = words.resized(count);
      assertThatThrownBy(words::buffer).isInstanceOf(IllegalStateException.class);
      words.free();
      long more = NativeLibrary.isLoaded() ? 8L * (count - had) : 0;
      assertThat(NativeWords.allocatedBytes()).isEqualTo(before + more);
      values = Arrays.copyOf(values, count);
      long[] left = new long[resized.buffer().limit()];
      resized.buffer().duplicate().get(left);
      assertThat(left).isEqualTo(values);
      values[count - 1] = count;
      resized.buffer().put(count - 1, count);
      words = resized;
    }
    words.free();
  }

  /** Needed because some paths drop rows that they allocated in advance. */
  @Test
  void whatIsLostIsGivenBackOnceCollected() throws Exception {
    long before = NativeWords.allocatedBytes();
    for (int i = 0; i < 64; i++) {
      NativeWords.allocate(1 << 17).buffer().put(0, 1);
    }
    for (int i = 0; i < 500 && NativeWords.allocatedBytes() > before + (8 << 20); i++) {
      System.gc();
      Thread.sleep(10);
      NativeWords.allocate(1).free();
    }
    assertThat(NativeWords.allocatedBytes()).isLessThanOrEqualTo(before + (8 << 20));
  }

  @Test
  void countsThatThereAreNotAreRefused() {
    for (int count : new int[] {0, -1, Integer.MIN_VALUE, NativeWords.MAX_WORDS + 1}) {
      assertThatThrownBy(() -> NativeWords.allocate(count))
          .isInstanceOf(IllegalArgumentException.class);
    }
  }
}
