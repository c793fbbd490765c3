/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.index;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.hdrf.sample.MapStoreProvider;
import io.hdrf.spi.PluginSettings;
import io.hdrf.spi.store.MetadataStore;
import io.hdrf.spi.store.StoreBatch;
import io.hdrf.spi.store.StoreContext;
import io.hdrf.spi.store.Table;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.Map;
import java.util.TreeMap;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;

/** The state of the fingerprint index in {@link Table#STATE}, which stays readable for ever. */
class GoldenStateTest {

  private static final int SAMPLE = 8;
  private static final String WHOLE = "dedup.index";
  private static final String REBUILD = "dedup.rebuild";
  private static final String UPTO = "dedup.upto";
  private static final String SEGMENT = "dedup.segment.\u0000\u0000\u0001\u0002";

  private static MetadataStore store(String name) {
    return new MapStoreProvider()
        .open(
            new StoreContext(
                new PluginSettings(new Configuration(false), "golden"),
                Path.of("unused"),
                "golden state " + name,
                "BP-1"));
  }

  private static Map<String, String> state(MetadataStore store) throws IOException {
    Map<String, String> state = new TreeMap<>();
    store.scan(
        Table.STATE,
        new byte[0],
        (key, value) -> {
          state.put(new String(key, ISO_8859_1), HexFormat.of().formatHex(value));
          return true;
        });
    return state;
  }

  private static void put(MetadataStore store, String key, String hex) throws IOException {
    store.write(
        new StoreBatch().put(Table.STATE, key.getBytes(ISO_8859_1), HexFormat.of().parseHex(hex)));
  }

  @Test
  void oldStatesStayReadable() throws IOException {
    try (MetadataStore store = store("read")) {
      put(store, WHOLE, "0108");
      put(store, SEGMENT, "0102030405060708");
      CompleteMark mark = new CompleteMark(store, SAMPLE);
      assertThat(mark.isSet()).isTrue();
      assertThat(new CompleteMark(store, SAMPLE + 1).isSet()).isFalse();
      assertThat(mark.position()).isNull();
      StoredSegments segments = new StoredSegments(store);
      assertThat(segments.segments()).containsExactly(0x102);
      assertThat(segments.generation(0x102)).isEqualTo(0x0102030405060708L);
      put(store, REBUILD, "0108" + "0000000000000005" + "0000000000000102");
      assertThat(mark.position().next()).isEqualTo(5);
      assertThat(mark.position().last()).isEqualTo(0x102);
      assertThat(mark.upto()).as("of builds before it").isEqualTo(CompleteMark.NONE);
      put(store, UPTO, "0000000000000103");
      assertThat(mark.upto()).isEqualTo(0x103);
    }
  }

  @Test
  void theSameIsWrittenToday() throws IOException {
    try (MetadataStore store = store("written")) {
      CompleteMark mark = new CompleteMark(store, SAMPLE);
      StoreBatch batch = new StoreBatch();
      new StoredSegments(store).addGeneration(batch, 0x102, 0x0102030405060708L);
      store.write(batch);
      mark.setPosition(new CompleteMark.Position(5, 0x102));
      assertThat(state(store))
          .isEqualTo(
              Map.of(
                  SEGMENT,
                  "0102030405060708",
                  REBUILD,
                  "0108" + "0000000000000005" + "0000000000000102"));
      mark.set();
      mark.setUpto(0x103);
      assertThat(state(store))
          .isEqualTo(Map.of(SEGMENT, "0102030405060708", WHOLE, "0108", UPTO, "0000000000000103"));
      mark.remove();
      assertThat(state(store)).isEqualTo(Map.of(SEGMENT, "0102030405060708"));
    }
  }
}
