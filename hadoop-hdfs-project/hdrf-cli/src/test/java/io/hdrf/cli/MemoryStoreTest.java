/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.hdrf.spi.store.StoreBatch;
import io.hdrf.spi.store.Table;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class MemoryStoreTest {
  private final MemoryStore store = new MemoryStore();

  private static byte[] bytes(int... values) {
    byte[] bytes = new byte[values.length];
    for (int i = 0; i < values.length; i++) {
      bytes[i] = (byte) values[i];
    }
    return bytes;
  }

  private List<Integer> scanned(int limit, int... prefix) {
    List<Integer> values = new ArrayList<>();
    store.scan(
        Table.CHUNKS,
        bytes(prefix),
        (key, value) -> {
          values.add((int) value[0]);
          return values.size() < limit;
        });
    return values;
  }

  @Test
  void scansShowExactlyWhatHasThePrefix() {
    store.write(
        new StoreBatch()
            .put(Table.CHUNKS, bytes(0x7f, 1), bytes(1))
            .put(Table.CHUNKS, bytes(0x80), bytes(2))
            .put(Table.CHUNKS, bytes(0x80, 0), bytes(3))
            .put(Table.CHUNKS, bytes(0x80, 0xff), bytes(4))
            .put(Table.CHUNKS, bytes(0x81), bytes(5))
            .put(Table.BLOCKS, bytes(0x80, 1), bytes(6)));
    assertThat(scanned(9, 0x80)).containsExactly(2, 3, 4);
    assertThat(scanned(2, 0x80)).containsExactly(2, 3);
    assertThat(scanned(9)).containsExactly(1, 2, 3, 4, 5);
    assertThat(store.estimatedCount(Table.CHUNKS)).isEqualTo(5);
    store.clear();
    assertThat(scanned(9)).isEmpty();
  }

  @Test
  void aValueBelongsToTheCallerAndADeleteRemovesIt() {
    store.write(new StoreBatch().put(Table.CHUNKS, bytes(1), bytes(10)));
    store.get(Table.CHUNKS, List.of(bytes(1))).get(0)[0] = 99;
    assertThat(store.get(Table.CHUNKS, List.of(bytes(2), bytes(1))))
        .containsExactly(null, bytes(10));
    store.write(new StoreBatch().delete(Table.CHUNKS, bytes(1)));
    assertThat(store.get(Table.CHUNKS, List.of(bytes(1)))).containsExactly((byte[]) null);
  }
}
