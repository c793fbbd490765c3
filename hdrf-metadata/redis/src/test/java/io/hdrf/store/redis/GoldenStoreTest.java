/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.store.redis;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.hdrf.cluster.RedisServer;
import io.hdrf.spi.store.MetadataStore;
import io.hdrf.spi.store.StoreBatch;
import io.hdrf.spi.store.Table;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A namespace of version 1 on a server: key, field and value. It must stay readable for ever.
 * Buckets were computed by hand, with the CRC-32 of another program.
 */
class GoldenStoreTest {

  private static final Map<Table, Map<String, String>> ENTRIES =
      Map.of(
          Table.STATE, Map.of("identity", "of-a-volume", "dedup.index", "x"),
          Table.BLOCKS, Map.of("12345678", "a-record", "12345679", "another-record"),
          Table.CHUNKS, Map.of("abcdefghijklmnopqrst", "where-it-is"));

  private RedisServer server;

  @BeforeEach
  void start(@TempDir Path directory) throws IOException {
    server = new RedisServer(directory);
    server.start();
  }

  @AfterEach
  void stop() throws IOException {
    server.kill();
  }

  private static List<String[]> golden() throws IOException {
    try (var in = GoldenStoreTest.class.getResourceAsStream("namespace-v1.golden")) {
      return new String(in.readAllBytes(), US_ASCII)
          .lines()
          .map(line -> line.split("\t", -1))
          .toList();
    }
  }

  @Test
  void oldNamespacesStayReadable() throws IOException {
    for (String[] entry : golden()) {
      server.cli("hset", entry[0], entry[1], entry[2]);
    }
    // The namespace decides the number of buckets, whatever the settings say.
    try (MetadataStore store =
        RedisStores.open(RedisStores.set(RedisStores.configuration(server), "buckets", "1024"))) {
      for (Table table : Table.values()) {
        ENTRIES
            .get(table)
            .forEach((key, value) -> assertThat(get(store, table, key)).as(key).isEqualTo(value));
        assertThat(RedisStores.count(store, table)).isEqualTo(ENTRIES.get(table).size());
      }
    }
  }

  private static String get(MetadataStore store, Table table, String key) {
    try {
      byte[] value = store.get(table, List.of(key.getBytes(US_ASCII))).get(0);
      return value == null ? null : new String(value, US_ASCII);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void theSameIsWrittenToday() throws IOException {
    try (MetadataStore store = RedisStores.open(RedisStores.configuration(server))) {
      StoreBatch batch = new StoreBatch();
      ENTRIES.forEach(
          (table, entries) ->
              entries.forEach(
                  (key, value) ->
                      batch.put(table, key.getBytes(US_ASCII), value.getBytes(US_ASCII))));
      store.write(batch);
    }
    List<String> written = new ArrayList<>();
    for (String key : server.cli("keys", "*").split("\n", -1)) {
      for (String field : server.cli("hkeys", key).split("\n", -1)) {
        written.add(key + "\t" + field + "\t" + server.cli("hget", key, field));
      }
    }
    assertThat(written)
        .containsExactlyInAnyOrderElementsOf(
            golden().stream().map(entry -> String.join("\t", entry)).toList());
  }
}
