/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.store.redis;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.hdrf.cluster.RedisServer;
import io.hdrf.spi.PluginSettings;
import io.hdrf.spi.store.MetadataException;
import io.hdrf.spi.store.MetadataStore;
import io.hdrf.spi.store.StoreBatch;
import io.hdrf.spi.store.StoreContext;
import io.hdrf.spi.store.StoreUnreachableException;
import io.hdrf.spi.store.Table;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import org.apache.hadoop.conf.Configuration;

/** Opens and uses stores for tests. */
final class RedisStores {

  static final String PREFIX = "hdrf.metadata.redis.";
  static final String STORAGE = "DS-1";
  static final String POOL = "BP-1";

  /** The start of the keys of {@link #open(Configuration)}. */
  static final String KEYS = "hdrf:1:{DS-1/BP-1}:";

  private static final Duration PATIENCE = Duration.ofSeconds(60);

  interface Call<T> {
    T run() throws IOException;
  }

  private RedisStores() {}

  static Configuration configuration(RedisServer server) {
    return configuration("address", server.address());
  }

  /** Returns settings by their short names and values. */
  static Configuration configuration(String... namesAndValues) {
    Configuration configuration = new Configuration(false);
    set(configuration, "timeout", "1000", "buckets", "256");
    return set(configuration, namesAndValues);
  }

  static Configuration set(Configuration configuration, String... namesAndValues) {
    for (int i = 0; i < namesAndValues.length; i += 2) {
      configuration.set(PREFIX + namesAndValues[i], namesAndValues[i + 1]);
    }
    return configuration;
  }

  static MetadataStore open(Configuration configuration) throws MetadataException {
    return open(configuration, POOL);
  }

  static MetadataStore open(Configuration configuration, String pool) throws MetadataException {
    return new RedisStoreProvider()
        .open(
            new StoreContext(
                new PluginSettings(configuration, "metadata.redis"),
                Path.of("/nonexistent"),
                STORAGE,
                pool));
  }

  static void put(MetadataStore store, String key, String value) throws IOException {
    store.write(new StoreBatch().put(Table.BLOCKS, bytes(key), bytes(value)));
  }

  /** Returns the value, or null. */
  static String get(MetadataStore store, String key) throws IOException {
    byte[] value = store.get(Table.BLOCKS, List.of(bytes(key))).get(0);
    return value == null ? null : new String(value, UTF_8);
  }

  /** Returns a batch whose values have {@code length} bytes each. */
  static StoreBatch batch(String prefix, int entries, int length) {
    byte[] value = new byte[length];
    Arrays.fill(value, (byte) 'v');
    StoreBatch batch = new StoreBatch();
    for (int i = 0; i < entries; i++) {
      batch.put(Table.CHUNKS, bytes(prefix + i), value);
    }
    return batch;
  }

  static int count(MetadataStore store, Table table) throws IOException {
    int[] count = new int[1];
    store.scan(
        table,
        new byte[0],
        (key, value) -> {
          count[0]++;
          return true;
        });
    return count[0];
  }

  /** Calls until the store can be reached. */
  static <T> T eventually(Call<T> call) throws IOException, InterruptedException {
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    while (true) {
      try {
        return call.run();
      } catch (StoreUnreachableException e) {
        if (System.nanoTime() - deadline > 0) {
          throw e;
        }
        Thread.sleep(50);
      }
    }
  }

  static byte[] bytes(String text) {
    return text.getBytes(UTF_8);
  }
}
