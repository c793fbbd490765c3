/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.index;

import static org.assertj.core.api.Assertions.assertThat;

import io.hdrf.codec.dedup.container.format.Fingerprinter;
import org.junit.jupiter.api.Test;

class IndexUpdateQueueTest {

  private static final int MAX_ENTRIES = 1 << 18;

  private final IndexUpdateQueue queue = new IndexUpdateQueue();

  private static IndexUpdate of(int count) {
    IndexUpdate update = new IndexUpdate(count);
    for (int i = 0; i < count; i++) {
      update.add(new byte[Fingerprinter.LENGTH], 0, i);
    }
    return update;
  }

  @Test
  void keepsTheOrderAndCountsEntries() {
    assertThat(queue.peek()).isNull();
    IndexUpdate first = of(3);
    IndexUpdate second = of(5);
    assertThat(queue.offer(first)).isTrue();
    assertThat(queue.offer(second)).isTrue();
    assertThat(queue.entries()).isEqualTo(8);
    assertThat(queue.peek()).isSameAs(first);
    // It may have been cleared meanwhile.
    queue.remove(second);
    assertThat(queue.entries()).isEqualTo(8);
    queue.remove(first);
    assertThat(queue.entries()).isEqualTo(5);
    assertThat(queue.peek()).isSameAs(second);
    queue.clear();
    assertThat(queue.entries()).isZero();
    assertThat(queue.peek()).isNull();
    queue.remove(second);
    assertThat(queue.entries()).isZero();
  }

  @Test
  void isBounded() {
    IndexUpdate full = of(IndexUpdate.MAX_COUNT);
    for (int i = 0; i < MAX_ENTRIES / IndexUpdate.MAX_COUNT - 1; i++) {
      assertThat(queue.offer(full)).isTrue();
    }
    assertThat(queue.offer(of(IndexUpdate.MAX_COUNT - 1))).isTrue();
    assertThat(queue.offer(of(2))).isFalse();
    assertThat(queue.entries()).isEqualTo(MAX_ENTRIES - 1);
    assertThat(queue.offer(of(1))).isTrue();
    assertThat(queue.entries()).isEqualTo(MAX_ENTRIES);
    assertThat(queue.offer(of(1))).isFalse();
    queue.clear();
    assertThat(queue.offer(full)).isTrue();
  }

  @Test
  void aPublicationGrowsAsNeeded() {
    IndexUpdate update = new IndexUpdate(0);
    byte[] names = new byte[Fingerprinter.LENGTH + 1];
    for (int i = 0; i < IndexUpdate.MAX_COUNT; i++) {
      assertThat(update.isFull()).isFalse();
      names[1] = (byte) i;
      names[Fingerprinter.LENGTH] = (byte) (i >> 8);
      update.add(names, 1, 7L * i);
    }
    assertThat(update.isFull()).isTrue();
    assertThat(update.count()).isEqualTo(IndexUpdate.MAX_COUNT);
    for (int i = 0; i < IndexUpdate.MAX_COUNT; i++) {
      assertThat(update.ref(i)).isEqualTo(7L * i);
      int at = i * Fingerprinter.LENGTH;
      assertThat(update.fingerprints()[at]).isEqualTo((byte) i);
      assertThat(update.fingerprints()[at + Fingerprinter.LENGTH - 1]).isEqualTo((byte) (i >> 8));
    }
  }
}
