/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.index;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hdrf.codec.dedup.IndexedContainers;
import io.hdrf.sample.MapStoreProvider;
import io.hdrf.spi.PluginSettings;
import io.hdrf.spi.store.MetadataStore;
import io.hdrf.spi.store.StoreBatch;
import io.hdrf.spi.store.StoreContext;
import io.hdrf.spi.store.Table;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;

/** The index's entries in the table of states, and its segments. */
class StoredSegmentsTest {

  private final MetadataStore store =
      new MapStoreProvider()
          .open(
              new StoreContext(
                  new PluginSettings(new Configuration(false), "map"),
                  null,
                  UUID.randomUUID().toString(),
                  "pool"));
  private final StoredSegments segments = new StoredSegments(store);

  private void putEntries(int segment, int count) throws Exception {
    StoreBatch batch = new StoreBatch();
    for (int i = 1; i <= count; i++) {
      batch.put(
          Table.CHUNKS, IndexEntry.key(segment, IndexedContainers.name(i), 0), IndexEntry.value(i));
    }
    segments.addGeneration(batch, segment, 1);
    store.write(batch);
  }

  private static byte[] state(int segment) {
    byte[] prefix = "dedup.segment.".getBytes(StandardCharsets.US_ASCII);
    return ByteBuffer.allocate(prefix.length + 4).put(prefix).putInt(segment).array();
  }

  private void putState(byte[] key, byte[] value) throws Exception {
    store.write(new StoreBatch().put(Table.STATE, key, value));
  }

  @Test
  void generationsGrow() throws Exception {
    assertThat(segments.generation(5)).isZero();
    StoreBatch batch = new StoreBatch();
    segments.addGeneration(batch, 5, 0x0102030405060708L);
    store.write(batch);
    assertThat(segments.generation(5)).isEqualTo(0x0102030405060708L);
    assertThat(segments.generation(6)).isZero();
    putState(state(6), new byte[] {1, 2, 3});
    assertThat(segments.generation(6)).isZero();
    putState(Arrays.copyOf(state(9), state(9).length + 1), new byte[8]);
    assertThat(segments.segments()).containsExactly(5, 6);
  }

  @Test
  void aSegmentIsDeletedWithAllItsEntriesAndNoOthers() throws Exception {
    putEntries(3, 2500);
    putEntries(4, 7);
    assertThat(segments.delete(3)).isEqualTo(2500);
    assertThat(segments.segments()).containsExactly(4);
    assertThat(store.estimatedCount(Table.CHUNKS)).isEqualTo(7);
    assertThat(segments.delete(3)).isZero();
    assertThat(segments.deleteEntries(new byte[0], 5)).isEqualTo(5);
    assertThat(store.estimatedCount(Table.CHUNKS)).isEqualTo(2);
    assertThat(segments.deleteEntries(new byte[0], 5)).isEqualTo(2);
    assertThat(segments.deleteEntries(new byte[0], 5)).isZero();
    assertThat(segments.segments()).containsExactly(4);
  }

  @Test
  void fingerprintsAreShownUntilItIsEnough() throws Exception {
    putEntries(3, 10);
    putEntries(4, 2);
    byte[] strange = Arrays.copyOf(IndexEntry.prefix(4), IndexEntry.KEY_LENGTH - 1);
    store.write(new StoreBatch().put(Table.CHUNKS, strange, new byte[1]));
    List<String> shown = new ArrayList<>();
    segments.scan(
        4,
        (bytes, offset) ->
            shown.add(
                Arrays.toString(
                    Arrays.copyOfRange(bytes, offset, offset + IndexEntry.FINGERPRINT_LENGTH))));
    assertThat(shown)
        .containsExactlyInAnyOrder(
            Arrays.toString(Arrays.copyOf(IndexedContainers.name(1), 16)),
            Arrays.toString(Arrays.copyOf(IndexedContainers.name(2), 16)));
    shown.clear();
    segments.scan(
        3,
        (bytes, offset) -> {
          shown.add("one");
          return shown.size() < 4;
        });
    assertThat(shown).hasSize(4);
  }

  @Test
  void theMarkSaysWhichIndexIsComplete() throws Exception {
    CompleteMark mark = new CompleteMark(store, 8);
    CompleteMark other = new CompleteMark(store, 4);
    assertThat(mark.isSet()).isFalse();
    assertThat(mark.position()).isNull();
    mark.setPosition(new CompleteMark.Position(3, 1L << 39));
    assertThat(mark.isSet()).isFalse();
    assertThat(mark.position().next()).isEqualTo(3);
    assertThat(mark.position().last()).isEqualTo(1L << 39);
    assertThat(other.position()).isNull();
    mark.set();
    assertThat(mark.isSet()).isTrue();
    assertThat(mark.position()).isNull();
    assertThat(other.isSet()).isFalse();
    mark.setPosition(new CompleteMark.Position(1, 2));
    mark.remove();
    assertThat(mark.isSet()).isFalse();
    assertThat(mark.position()).isNull();
    byte[] key = "dedup.rebuild".getBytes(StandardCharsets.US_ASCII);
    byte[] encoded = ByteBuffer.allocate(18).put((byte) 1).put((byte) 8).array();
    putState(key, encoded);
    assertThat(mark.position().last()).isZero();
    putState(key, Arrays.copyOf(encoded, 17));
    assertThat(mark.position()).isNull();
    putState(key, Arrays.copyOf(encoded, 19));
    assertThat(mark.position()).isNull();
  }

  @Test
  void settingsHaveTheirRanges() throws Exception {
    Configuration conf = new Configuration(false);
    IndexSettings defaults = IndexSettings.from(new PluginSettings(conf, "dedup"));
    assertThat(defaults.sample()).isEqualTo(32);
    assertThat(defaults.cacheMemory()).isEqualTo(32 << 20);
    assertThat(defaults.dba()).isNotNull();
    for (String sample : new String[] {"0", "65"}) {
      conf.set("hdrf.dedup.index.sample", sample);
      assertThatThrownBy(() -> IndexSettings.from(new PluginSettings(conf, "dedup")))
          .hasMessageContaining("hdrf.dedup.index.sample");
    }
    conf.set("hdrf.dedup.index.sample", "64");
    conf.set("hdrf.dedup.cache.memory", "0");
    IndexSettings set = IndexSettings.from(new PluginSettings(conf, "dedup"));
    assertThat(set.sample()).isEqualTo(64);
    assertThat(set.cacheMemory()).isZero();
  }
}
