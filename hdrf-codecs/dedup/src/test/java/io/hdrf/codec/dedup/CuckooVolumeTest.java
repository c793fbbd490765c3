/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup;

import static org.assertj.core.api.Assertions.assertThat;

import io.hdrf.spi.io.LocalDurableFiles;
import io.hdrf.spi.scheme.TestSeed;
import io.hdrf.spi.store.MetadataStore;
import io.hdrf.spi.store.Table;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Volumes whose index is in memory alone. */
@Timeout(120)
class CuckooVolumeTest {

  private static final int FILES = 400;
  private static final int VERSIONS = 6;

  @TempDir Path directory;

  private final Random random = TestSeed.random("cuckoo volume");

  private DedupVolume open(String name, String index, MetadataStore store) throws IOException {
    Configuration conf = new Configuration(false);
    DedupVolume.setSmall(conf);
    conf.set("hdrf.dedup.index", index);
    // A version is larger, as one of real data is.
    conf.set("hdrf.dedup.cache.memory", "0");
    conf.set("hdrf.dedup.index.sample", "8");
    return new DedupVolume(
        directory.resolve(name), conf, LocalDurableFiles.INSTANCE, "dedup", store);
  }

  /** As a source tree: files of all lengths, of which each version changes, moves and adds some. */
  private List<byte[]> versions() {
    List<byte[]> files = new ArrayList<>();
    for (int i = 0; i < FILES; i++) {
      files.add(noise(200 + (int) Math.abs(random.nextGaussian() * 8000)));
    }
    List<byte[]> versions = new ArrayList<>();
    for (int v = 0; v < VERSIONS; v++) {
      versions.add(joined(files));
      for (int change = 0; change < FILES / 10; change++) {
        int at = random.nextInt(files.size());
        switch (random.nextInt(4)) {
          case 0:
            files.add(at, noise(200 + random.nextInt(8000)));
            break;
          case 1:
            files.add(random.nextInt(files.size()), files.remove(at));
            break;
          default:
            byte[] file = files.get(at).clone();
            file[random.nextInt(file.length)]++;
            files.set(at, file);
        }
      }
    }
    return versions;
  }

  private byte[] noise(int length) {
    byte[] bytes = new byte[length];
    random.nextBytes(bytes);
    return bytes;
  }

  private static byte[] joined(List<byte[]> files) {
    byte[] all = new byte[files.stream().mapToInt(file -> file.length).sum()];
    int at = 0;
    for (byte[] file : files) {
      System.arraycopy(file, 0, all, at, file.length);
      at += file.length;
    }
    return all;
  }

  /** Stores versions with a restart before each; returns the bytes that were new. */
  private long newBytes(DedupVolume volume, List<byte[]> versions, boolean dba) throws Exception {
    long bytes = 0;
    for (int v = 0; v < versions.size(); v++) {
      // An empty store would have no filters.
      if (v > 0 && dba) {
        volume.restartWithFilters();
      } else if (v > 0) {
        volume.restart();
        volume.awaitFilled();
      }
      byte[] version = versions.get(v);
      for (int at = 0, part = 0; at < version.length; at += 1 << 20, part++) {
        byte[] block = Arrays.copyOfRange(version, at, Math.min(version.length, at + (1 << 20)));
        volume.put(100 * v + part, block, random);
        assertThat(volume.get(100 * v + part, random)).isEqualTo(block);
      }
      bytes += volume.metric("bytesNew");
    }
    return bytes;
  }

  @Test
  void savesAsMuchAsFiltersAndAStore() throws Exception {
    List<byte[]> versions = versions();
    long withFilters;
    try (DedupVolume volume = open("dba", "dba", DedupVolume.newStore())) {
      withFilters = newBytes(volume, versions, true);
    }
    try (DedupVolume volume = open("cuckoo", "cuckoo", DedupVolume.newStore())) {
      long inMemory = newBytes(volume, versions, false);
      System.out.printf("new bytes: dba %d, cuckoo %d%n", withFilters, inMemory);
      assertThat(inMemory)
          .isBetween(withFilters * 99 / 100, withFilters * 101 / 100)
          .isLessThan(versions.stream().mapToLong(version -> version.length).sum() / 3);
    }
  }

  /** Entries of what was collected do no harm, and others stay true. */
  @Test
  void collectedChunksAreStoredAgain() throws Exception {
    MetadataStore store = DedupVolume.newStore();
    try (DedupVolume volume = open("gc", "cuckoo", store)) {
      byte[] gone = noise(600_000);
      byte[] kept = noise(60_000);
      volume.put(1, gone, random);
      volume.put(2, kept, random);
      volume.delete(1);
      assertThat(volume.collect().get("chunksDropped")).isPositive();
      for (long id = 3; id < 5; id++) {
        volume.put(id, gone, random);
        volume.put(10 + id, kept, random);
        assertThat(volume.get(id, random)).isEqualTo(gone);
        assertThat(volume.get(10 + id, random)).isEqualTo(kept);
        volume.restart();
        volume.awaitFilled();
      }
      assertThat(volume.metric("bytesNew")).isZero();
      volume.put(9, gone, random);
      assertThat(volume.metric("bytesNew")).isZero();
      assertThat(volume.dedup().check(problem -> {}))
          .containsEntry("missing", 0L)
          .containsEntry("indexEntries", volume.metric("indexEntriesInMemory"))
          .doesNotContainKey("staleEntries");
      assertThat(volume.metric("indexEntriesInMemory")).isPositive();
      store.scan(
          Table.CHUNKS,
          new byte[0],
          (key, value) -> {
            throw new AssertionError("an entry in the store");
          });
    }
  }
}
