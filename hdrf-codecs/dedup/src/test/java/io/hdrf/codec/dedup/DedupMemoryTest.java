/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup;

import static org.assertj.core.api.Assertions.assertThat;

import io.hdrf.sample.MapStoreProvider;
import io.hdrf.spi.PluginSettings;
import io.hdrf.spi.io.LocalDurableFiles;
import io.hdrf.spi.memory.MemoryBudget;
import io.hdrf.spi.scheme.BlockCodec;
import io.hdrf.spi.scheme.ChunkLookup;
import io.hdrf.spi.scheme.SchemeContext;
import io.hdrf.spi.scheme.TestSeed;
import io.hdrf.spi.store.MetadataStore;
import io.hdrf.spi.store.StoreContext;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Volumes that share too little memory: all bytes are right, and the sum is never exceeded. */
@Timeout(300)
class DedupMemoryTest {

  private static final long LIMIT = 640 << 10;
  private static final int LENGTH = 300_000;

  @TempDir Path directory;

  private final MemoryBudget budget = new MemoryBudget(LIMIT);
  private final Configuration conf = new Configuration(false);

  private void configure() {
    conf.set("hdrf.dedup.chunk.size", "1k");
    conf.set("hdrf.dedup.frame.size", "32k");
    conf.set("hdrf.dedup.group.size", "16k");
    conf.set("hdrf.dedup.container.size", "256k");
    conf.set("hdrf.dedup.gc.interval", "0");
    conf.set("hdrf.dedup.gc.min.age", "0");
    conf.set("hdrf.dedup.gc.rate", "0");
    conf.set("hdrf.dedup.gc.memory", "16k");
    conf.set("hdrf.dedup.index.sample", "1");
    conf.set("hdrf.dedup.dba.capacity", "300");
    conf.set("hdrf.dedup.dba.memory", "512k");
    conf.set("hdrf.dedup.cache.memory", "512k");
    conf.set("hdrf.dedup.directory.memory", "64k");
    conf.set("hdrf.dedup.group.memory", "128k");
  }

  /** What a volume is to have, and its life. */
  private final class Life {
    private final Path path;
    private final Random random;
    private final Map<Long, byte[]> expected = new TreeMap<>();
    private final MetadataStore store;
    private DedupVolume volume;
    private long next;
    private byte[] last = new byte[0];

    Life(String name) throws IOException {
      path = directory.resolve(name);
      random = TestSeed.random(name);
      store =
          new MapStoreProvider()
              .open(
                  new StoreContext(
                      new PluginSettings(conf, "map"), null, UUID.randomUUID().toString(), name));
      come(new TreeMap<>());
    }

    private void come(Map<Long, List<io.hdrf.spi.scheme.StoredFrame>> blocks) throws IOException {
      volume =
          new DedupVolume(path, conf, LocalDurableFiles.INSTANCE, "dedup", store, blocks, budget);
    }

    /** Leaves and comes again, as a volume that is taken out, or a DataNode that restarts. */
    void comeAgain() throws IOException {
      volume.close();
      come(volume.blocks());
    }

    void write() throws IOException {
      byte[] block = new byte[LENGTH];
      random.nextBytes(block);
      // Half of it is known.
      System.arraycopy(last, 0, block, 0, last.length / 2);
      last = block;
      expected.put(next, block);
      volume.put(next++, block, random);
    }

    void delete() {
      List<Long> ids = new ArrayList<>(expected.keySet());
      long id = ids.get(random.nextInt(ids.size()));
      expected.remove(id);
      volume.delete(id);
    }

    void checkSome(int count) throws IOException {
      List<Long> ids = new ArrayList<>(expected.keySet());
      for (int i = 0; i < count; i++) {
        long id = ids.get(random.nextInt(ids.size()));
        assertThat(volume.get(id, random)).isEqualTo(expected.get(id));
      }
    }

    void live(int rounds) throws Exception {
      for (int round = 0; round < rounds; round++) {
        for (int i = 0; i < 6; i++) {
          write();
          checkSome(2);
          assertThat(volume.metric("directoryMemoryBytes")).isLessThanOrEqualTo(64 << 10);
        }
        volume.awaitIndexed();
        delete();
        volume.collect();
        if (round % 2 == 1) {
          comeAgain();
        }
      }
      checkAll();
    }

    void checkAll() throws IOException {
      for (Map.Entry<Long, byte[]> block : expected.entrySet()) {
        assertThat(volume.get(block.getKey(), random)).isEqualTo(block.getValue());
      }
    }

    /** What the stores themselves say that they have. */
    long measured() {
      Map<String, Long> metrics = volume.dedup().metrics();
      return metrics.getOrDefault("dbaMemoryBytes", 0L)
          + metrics.get("indexCacheMemoryBytes")
          + metrics.get("directoryMemoryBytes");
    }
  }

  @Test
  void volumesComeAndGoWithinOneBudget() throws Exception {
    configure();
    AtomicBoolean done = new AtomicBoolean();
    ExecutorService threads = Executors.newCachedThreadPool();
    Map<String, Long> highest = new HashMap<>();
    try {
      final Future<?> sampler =
          threads.submit(
              () -> {
                for (int i = 0; !done.get(); i++) {
                  assertThat(budget.used()).isBetween(0L, LIMIT);
                  assertThat(budget.limit()).isEqualTo(LIMIT);
                  budget.usedByUser().forEach((user, used) -> highest.merge(user, used, Math::max));
                  if (i % 100 == 0) {
                    budget.balance();
                  }
                }
              });
      List<Life> lives = new ArrayList<>();
      List<Future<?>> running = new ArrayList<>();
      for (int i = 0; i < 3; i++) {
        Life life = new Life("volume " + i);
        lives.add(life);
        running.add(
            threads.submit(
                () -> {
                  life.live(6);
                  return null;
                }));
      }
      for (Future<?> each : running) {
        each.get();
      }
      long measured = 0;
      for (Life life : lives) {
        life.checkAll();
        measured += life.measured();
      }
      assertThat(measured).isPositive().isLessThanOrEqualTo(LIMIT);
      done.set(true);
      sampler.get();
      assertThat(budget.declined()).as("there was too little").isPositive();
      for (String user : List.of("Collections", "Directories", "Filters", "Places")) {
        assertThat(highest.get(user)).as(user).isPositive();
      }
      // Each volume may have one more for the moment until the oldest has gone.
      assertThat(highest.get("Directories")).isLessThanOrEqualTo(240 << 10);
      for (Life life : lives) {
        life.volume.close();
      }
      assertThat(budget.used()).isZero();
      assertThat(budget.usedByUser()).as("shares").isEmpty();
    } finally {
      done.set(true);
      threads.shutdownNow();
    }
  }

  /** Nobody would close the shares of a store that could not be opened, nor its lock. */
  @ParameterizedTest
  @ValueSource(strings = {"dba", "cuckoo"})
  void aStoreThatCanNotBeOpenedKeepsNothing(String index) throws IOException {
    configure();
    conf.set("hdrf.dedup.index", index);
    conf.set("hdrf.dedup.delta", "on");
    MetadataStore store = DedupVolume.newStore();
    int calls = 0;
    boolean opened = false;
    while (!opened) {
      try (BlockCodec codec = new DedupScheme().open(failingContext(store, calls))) {
        assertThat(budget.usedByUser()).isNotEmpty();
        opened = true;
      } catch (IllegalStateException e) {
        assertThat(e).hasMessageContaining("call");
        calls++;
      }
      assertThat(budget.usedByUser()).as("after %d calls", calls).isEmpty();
    }
    assertThat(calls).isGreaterThan(8);
  }

  /** Fails after some calls. */
  private SchemeContext failingContext(MetadataStore store, int calls) {
    AtomicInteger left = new AtomicInteger(calls);
    return (SchemeContext)
        Proxy.newProxyInstance(
            SchemeContext.class.getClassLoader(),
            new Class<?>[] {SchemeContext.class},
            (proxy, method, arguments) -> {
              if (left.decrementAndGet() < 0) {
                throw new IllegalStateException("call of " + method.getName());
              }
              return switch (method.getName()) {
                case "settings" -> new PluginSettings(conf, "dedup");
                case "storeDirectory" -> directory;
                case "files" -> LocalDurableFiles.INSTANCE;
                case "volumeId" -> 77L;
                case "metadata" -> store;
                case "memory" -> budget;
                case "newLookupElsewhere" -> ChunkLookup.NONE;
                default -> null;
              };
            });
  }

  /** The metrics of filters and what is reserved for them agree once they are at rest. */
  @Test
  void whatIsReservedIsWhatIsThere() throws Exception {
    configure();
    Life life = new Life("alone");
    life.live(4);
    life.volume.awaitIndexed();
    for (int i = 0; i < 500; i++) {
      long filters = life.volume.metric("dbaMemoryBytes");
      if (budget.usedByUser().get("Filters") == filters) {
        break;
      }
      Thread.sleep(10);
    }
    Map<String, Long> used = budget.usedByUser();
    assertThat(used.get("Filters")).isEqualTo(life.volume.metric("dbaMemoryBytes"));
    assertThat(used.get("Places")).isEqualTo(life.volume.metric("indexCacheMemoryBytes"));
    assertThat(used.get("Directories")).isEqualTo(life.volume.metric("directoryMemoryBytes"));
    life.volume.close();
    assertThat(budget.used()).isZero();
  }

  /** Less than all need at the least: all the same, what no block needs goes in the end. */
  @Test
  void theLeastOfMemoryIsEnoughToCollect() throws Exception {
    configure();
    MemoryBudget least = new MemoryBudget(1);
    try (MetadataStore store =
            new MapStoreProvider()
                .open(
                    new StoreContext(
                        new PluginSettings(conf, "map"), null, UUID.randomUUID().toString(), "v"));
        DedupVolume volume =
            new DedupVolume(
                directory.resolve("least"),
                conf,
                LocalDurableFiles.INSTANCE,
                "dedup",
                store,
                new TreeMap<>(),
                least)) {
      Random random = TestSeed.random("least");
      for (int id = 0; id < 10; id++) {
        byte[] block = new byte[LENGTH];
        random.nextBytes(block);
        volume.put(id, block, random);
      }
      volume.awaitIndexed();
      for (int id = 0; id < 9; id++) {
        volume.delete(id);
      }
      long before = volume.storedBytes();
      for (int i = 0; i < 20; i++) {
        volume.collect();
      }
      assertThat(volume.storedBytes()).isLessThan(before / 3);
    }
  }
}
