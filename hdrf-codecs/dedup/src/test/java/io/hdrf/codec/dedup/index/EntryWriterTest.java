/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.index;

import static org.assertj.core.api.Assertions.assertThat;

import io.hdrf.codec.dedup.container.format.Fingerprinter;
import org.junit.jupiter.api.Test;

class EntryWriterTest {

  private static final int MAX_WAITING = 1 << 18;

  private final EntryWriter writer = new EntryWriter(null, null, new IndexCounters());

  private static IndexUpdate of(int count) {
    IndexUpdate update = new IndexUpdate(count);
    for (int i = 0; i < count; i++) {
      update.add(new byte[Fingerprinter.LENGTH], 0, i);
    }
    return update;
  }

  @Test
  void keepsTheOrderAndCountsEntries() {
    assertThat(writer.oldest()).isNull();
    IndexUpdate first = of(3);
    IndexUpdate second = of(5);
    assertThat(writer.offer(first)).isTrue();
    assertThat(writer.offer(second)).isTrue();
    assertThat(writer.waiting()).isEqualTo(8);
    assertThat(writer.oldest()).isSameAs(first);
    // It may have been cleared meanwhile.
    writer.remove(second);
    assertThat(writer.waiting()).isEqualTo(8);
    writer.remove(first);
    assertThat(writer.waiting()).isEqualTo(5);
    assertThat(writer.oldest()).isSameAs(second);
    writer.clear();
    assertThat(writer.waiting()).isZero();
    assertThat(writer.oldest()).isNull();
    writer.remove(second);
    assertThat(writer.waiting()).isZero();
  }

  @Test
  void isBounded() {
    IndexUpdate full = of(IndexUpdate.MAX_COUNT);
    for (int i = 0; i < MAX_WAITING / IndexUpdate.MAX_COUNT - 1; i++) {
      assertThat(writer.offer(full)).isTrue();
    }
    assertThat(writer.offer(of(IndexUpdate.MAX_COUNT - 1))).isTrue();
    assertThat(writer.offer(of(2))).isFalse();
    assertThat(writer.waiting()).isEqualTo(MAX_WAITING - 1);
    assertThat(writer.offer(of(1))).isTrue();
    assertThat(writer.waiting()).isEqualTo(MAX_WAITING);
    assertThat(writer.offer(of(1))).isFalse();
    writer.clear();
    assertThat(writer.offer(full)).isTrue();
  }

  @Test
  void aPublicationHasWhatWasAdded() {
    IndexUpdate update = new IndexUpdate(IndexUpdate.MAX_COUNT + 1);
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
