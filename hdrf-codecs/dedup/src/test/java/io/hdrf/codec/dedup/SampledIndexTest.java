/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup;

import static org.assertj.core.api.Assertions.assertThat;

import io.hdrf.spi.io.LocalDurableFiles;
import io.hdrf.spi.scheme.TestSeed;
import io.hdrf.spi.store.MetadataStore;
import io.hdrf.spi.store.Table;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Random;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An index with entries for only some of the chunks. */
class SampledIndexTest {

  private static final int LENGTH = 600_000;
  private static final int SAMPLE = 8;

  @TempDir Path directory;

  private final Random random = TestSeed.random("dedup");
  private final Configuration conf = new Configuration(false);
  private final MetadataStore store = DedupVolume.newStore();
  private DedupVolume volume;

  @BeforeEach
  void open() throws Exception {
    DedupVolume.setSmall(conf);
    conf.set("hdrf.dedup.cache.memory", "0");
    conf.setInt("hdrf.dedup.index.sample", SAMPLE);
    volume = new DedupVolume(directory, conf, LocalDurableFiles.INSTANCE, "dedup", store);
    volume.awaitIndexed();
  }

  @AfterEach
  void close() throws IOException {
    volume.close();
  }

  private byte[] noise(int length) {
    byte[] block = new byte[length];
    random.nextBytes(block);
    return block;
  }

  private long entries() throws IOException {
    long[] count = {0};
    store.scan(
        Table.CHUNKS,
        new byte[0],
        (key, value) -> {
          count[0]++;
          return true;
        });
    return count[0];
  }

  @Test
  void neighboursOfAnEntryAreFound() throws Exception {
    byte[] block = noise(LENGTH);
    volume.put(1, block, random);
    volume.awaitIndexed();
    long chunks = volume.metric("chunksNew");
    assertThat(entries()).isEqualTo((chunks + SAMPLE - 1) / SAMPLE);
    volume.restartWithFilters();
    volume.put(2, block, random);
    assertThat(volume.metric("bytesNew")).isZero();
    assertThat(volume.metric("indexFoundBeside")).isGreaterThan(chunks / 2);
    assertThat(volume.metric("indexKeysRead")).isLessThan(chunks / 2);
    assertThat(volume.get(2, random)).isEqualTo(block);
  }

  @Test
  void aBlockOfOneChunkHasAnEntry() throws Exception {
    byte[][] blocks = new byte[20][];
    for (int i = 0; i < blocks.length; i++) {
      blocks[i] = noise(400);
      volume.put(i, blocks[i], random);
    }
    volume.awaitIndexed();
    for (boolean lost : new boolean[] {false, true}) {
      if (lost) {
        store.clear();
      }
      volume.restartWithFilters();
      assertThat(entries()).isEqualTo(blocks.length);
      volume.put(100, blocks[7], random);
      volume.put(101, blocks[12], random);
      assertThat(volume.metric("bytesNew")).isZero();
      assertThat(volume.get(101, random)).isEqualTo(blocks[12]);
    }
  }

  @Test
  void anotherShareMakesTheIndexAnew() throws Exception {
    byte[] block = noise(LENGTH);
    volume.put(1, block, random);
    volume.awaitIndexed();
    long chunks = volume.metric("chunksNew");
    conf.setInt("hdrf.dedup.index.sample", 1);
    volume.restart();
    while (entries() < chunks || volume.metric("indexRebuilds") == 0) {
      Thread.sleep(5);
    }
    volume.awaitIndexed();
    assertThat(entries()).isEqualTo(chunks);
    volume.restartWithFilters();
    assertThat(volume.metric("indexRebuilds")).isZero();
    volume.put(2, block, random);
    assertThat(volume.metric("bytesNew")).isZero();
  }

  @Test
  void entriesOfCollectedChunksAreTakenOut() throws Exception {
    byte[] kept = noise(LENGTH / 10);
    volume.put(1, noise(LENGTH), random);
    volume.put(2, kept, random);
    volume.restartWithFilters();
    long before = entries();
    volume.delete(1);
    assertThat(volume.collect().get("chunksDropped")).isPositive();
    // What is left are those of what is needed, and of containers of which most is needed.
    assertThat(entries()).isBetween(before / 20, before / 3);
    assertThat(volume.metric("indexEntriesRemoved")).isEqualTo(before - entries());
    volume.put(3, kept, random);
    assertThat(volume.metric("bytesNew")).isZero();
  }
}
