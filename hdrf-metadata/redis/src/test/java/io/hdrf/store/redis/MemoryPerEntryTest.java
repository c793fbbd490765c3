/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.store.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.hdrf.cluster.RedisServer;
import io.hdrf.spi.store.MetadataStore;
import io.hdrf.spi.store.StoreBatch;
import io.hdrf.spi.store.Table;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The memory of an entry in a server. {@code -Dhdrf.redis.entries=N} measures with N entries and
 * prints; the notebook in benchmarks/results/ has the figures of a million.
 */
class MemoryPerEntryTest {

  private static final int ENTRIES = Integer.getInteger("hdrf.redis.entries", 100_000);
  private static final int BATCH = 5000;
  private static final Pattern USED = Pattern.compile("used_memory:(\\d+)");

  /** As many entries for each bucket as a million have with the default of 65536 buckets. */
  private static final int BUCKETS =
      Math.max(256, Integer.highestOneBit(Math.max(1, (int) (ENTRIES * 65536L / 1_000_000))));

  @TempDir Path directory;

  private RedisServer server;

  @BeforeEach
  void start() throws IOException {
    server = new RedisServer(directory);
    server.start();
  }

  @AfterEach
  void stop() throws IOException {
    server.kill();
  }

  @Test
  void chunksAreCheap() throws IOException {
    Random random = new Random(1);
    assertThat(measure("chunks", Table.CHUNKS, 32, 24, random)).isLessThan(100);
  }

  @Test
  void blocksAreCheap() throws IOException {
    Random random = new Random(2);
    assertThat(measure("blocks", Table.BLOCKS, Long.BYTES, 40, random)).isLessThan(90);
  }

  /** Returns bytes per entry. */
  private double measure(String name, Table table, int keyLength, int valueLength, Random random)
      throws IOException {
    Configuration configuration = RedisStores.configuration(server);
    RedisStores.set(configuration, "buckets", Integer.toString(BUCKETS), "timeout", "60000");
    try (MetadataStore store = RedisStores.open(configuration)) {
      long before = usedMemory();
      long start = System.nanoTime();
      for (int from = 0; from < ENTRIES; from += BATCH) {
        StoreBatch entries = new StoreBatch();
        for (int i = from; i < Math.min(ENTRIES, from + BATCH); i++) {
          byte[] key = new byte[keyLength];
          if (keyLength == Long.BYTES) {
            ByteBuffer.wrap(key).putLong((1L << 30) + i);
          } else {
            random.nextBytes(key);
          }
          byte[] value = new byte[valueLength];
          random.nextBytes(value);
          entries.put(table, key, value);
        }
        store.write(entries);
      }
      double seconds = (System.nanoTime() - start) / 1e9;
      double bytes = (double) (usedMemory() - before) / ENTRIES;
      System.out.printf(
          "%s: %d entries of %d + %d bytes in %d buckets: %.1f bytes each, %.0f put per second,"
              + " estimated %d%n",
          name,
          ENTRIES,
          keyLength,
          valueLength,
          BUCKETS,
          bytes,
          ENTRIES / seconds,
          store.estimatedCount(table));
      return bytes;
    }
  }

  private long usedMemory() throws IOException {
    Matcher used = USED.matcher(server.cli("info", "memory"));
    assertThat(used.find()).isTrue();
    return Long.parseLong(used.group(1));
  }
}
