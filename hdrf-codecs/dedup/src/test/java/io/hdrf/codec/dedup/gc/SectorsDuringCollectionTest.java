/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.gc;

import static org.assertj.core.api.Assertions.assertThat;

import io.hdrf.codec.dedup.container.ChunkAppender;
import io.hdrf.codec.dedup.container.ChunkPins;
import io.hdrf.codec.dedup.container.ContainerSettings;
import io.hdrf.codec.dedup.container.ContainerStore;
import io.hdrf.codec.dedup.container.format.ChunkRef;
import io.hdrf.codec.dedup.container.format.Fingerprinter;
import io.hdrf.codec.dedup.heal.ChunkHealer;
import io.hdrf.codec.dedup.index.FingerprintIndex;
import io.hdrf.codec.dedup.index.IndexSettings;
import io.hdrf.io.FaultyFiles;
import io.hdrf.io.InMemory;
import io.hdrf.sample.MapStoreProvider;
import io.hdrf.spi.PluginSettings;
import io.hdrf.spi.TaskProgress;
import io.hdrf.spi.scheme.FrameChain;
import io.hdrf.spi.scheme.Pin;
import io.hdrf.spi.scheme.TestSeed;
import io.hdrf.spi.store.StoreContext;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.FutureTask;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A sector of a container fails while a collection is under way, and is read well again afterwards.
 * No more than one container is kept loaded, so that its directory is read more than once.
 */
class SectorsDuringCollectionTest {

  private static final int HEADER = 64;
  private static final int SECTOR = 512;

  @TempDir(factory = InMemory.class)
  Path scratch;

  private final Random random = TestSeed.random("sectors during collection");
  private final Configuration conf = new Configuration(false);
  private final FrameChain plain = FrameChain.of(List.of(), conf);
  private final ChunkPins chunkPins = new ChunkPins();

  /** The references of each block. */
  private final Map<Long, long[]> blocks = new LinkedHashMap<>();

  /** Done when all blocks have been shown. */
  private CollectedStore.BlocksShown afterBlocksWereShown = () -> {};

  private FaultyFiles files;
  private ContainerStore containers;
  private FingerprintIndex index;

  SectorsDuringCollectionTest() throws IOException {}

  @BeforeEach
  void open() throws IOException {
    conf.set("hdrf.dedup.gc.min.age", "0");
    conf.set("hdrf.dedup.gc.rate", "0");
    files = new FaultyFiles(scratch, random);
    // A group has one of the large chunks, or all of the small ones.
    containers =
        ContainerStore.open(
            files.path(scratch.resolve("containers")),
            files,
            ContainerSettings.of(7).groupSize(1000).maxOpenFiles(1),
            ids -> plain,
            (chunk, dst, offset) ->
                System.arraycopy(
                    fingerprint(chunk.getLong(0)), 0, dst, offset, Fingerprinter.LENGTH));
    index =
        new FingerprintIndex(
            new MapStoreProvider()
                .open(
                    new StoreContext(
                        new PluginSettings(conf, "map"),
                        null,
                        UUID.randomUUID().toString(),
                        "pool")),
            containers,
            chunkPins,
            scratch.resolve("index"),
            files,
            IndexSettings.from(new PluginSettings(conf, "dedup")));
  }

  @AfterEach
  void close() throws IOException {
    index.close();
    containers.close();
  }

  private static byte[] fingerprint(long chunk) {
    return ByteBuffer.allocate(Fingerprinter.LENGTH).putLong(chunk).array();
  }

  /** A sealed container. */
  private long[] sealed(int count, int length, long first) throws IOException {
    long[] refs = new long[count];
    try (ChunkAppender appender = containers.appender(plain)) {
      for (int i = 0; i < count; i++) {
        ByteBuffer chunk = ByteBuffer.allocateDirect(length).putLong(0, first + i);
        refs[i] = appender.append(fingerprint(first + i), 0, chunk);
      }
      appender.force();
    }
    containers.sealIdle(ChunkRef.container(refs[0]));
    return refs;
  }

  private void damage(long ref, long position) {
    String name = containers.file(ChunkRef.container(ref)).getFileName().toString();
    files.damage(scratch.resolve("containers").resolve(name), position);
  }

  /** In the last group, close enough to the directory to take both. */
  private long endOfGroups(long ref) throws IOException {
    return HEADER + containers.directory(ChunkRef.container(ref)).storedBytes() - SECTOR / 2;
  }

  private GarbageCollector collector(long millisAhead) throws IOException {
    return new GarbageCollector(
        containers,
        index,
        chunkPins,
        (visitor, first) -> {
          for (Map.Entry<Long, long[]> block : blocks.entrySet()) {
            for (long ref : block.getValue()) {
              visitor.reference(block.getKey(), ChunkRef.container(ref), ChunkRef.number(ref), 1);
            }
          }
          afterBlocksWereShown.run();
        },
        new ChunkHealer(containers, index, List.of(), 0, () -> false, System::nanoTime),
        GcSettings.from(new PluginSettings(conf, "dedup")),
        () -> false,
        System::nanoTime,
        () -> System.currentTimeMillis() + millisAhead,
        1000,
        Integer.MAX_VALUE);
  }

  private ByteBuffer read(long ref, int length) throws IOException {
    ByteBuffer dst = ByteBuffer.allocateDirect(length);
    containers.read(ChunkRef.container(ref), ChunkRef.number(ref), 1, dst);
    return dst;
  }

  private void assertAllCanBeRead(int length) throws IOException {
    files.mend();
    for (long[] refs : blocks.values()) {
      for (long ref : refs) {
        assertThat(read(ref, length).position()).isEqualTo(length);
      }
    }
  }

  /**
   * Damages a container with so many chunks, of which a block needs some, when the one before it
   * was compacted: where its groups end and its directory begins, or at its first group.
   */
  private void collect(int length, int count, int[] needed, boolean atEnd) throws IOException {
    long[] before = sealed(4, length, 1);
    long[] refs = sealed(count, length, 100);
    // The last id must not be given again.
    blocks.put(0L, sealed(1, length, 200));
    blocks.put(1L, new long[] {before[0]});
    long[] some = new long[needed.length];
    for (int i = 0; i < some.length; i++) {
      some[i] = refs[needed[i]];
    }
    blocks.put(2L, some);
    long position = atEnd ? endOfGroups(refs[0]) : HEADER;
    boolean[] damaged = new boolean[1];
    collector(0)
        .collect(
            line -> {
              TaskProgress now = TaskProgress.decode(line);
              if (now.step().equals("rewriting containers") && now.done() > 0 && !damaged[0]) {
                damage(refs[0], position);
                damaged[0] = true;
              }
            });
    assertThat(damaged[0]).isTrue();
    assertAllCanBeRead(length);
  }

  /** It is not found where its group's header lies in a sector with the directory. */
  @Test
  void aChunkThatABlockNeedsIsNotDropped() throws IOException {
    collect(1000, 8, new int[] {0, 1, 7}, true);
  }

  @Test
  void aContainerThatABlockNeedsIsNotDeleted() throws IOException {
    collect(100, 3, new int[] {0}, false);
  }

  @Test
  void aChunkThatABlockInWorkHasFoundIsNotDropped() throws IOException {
    long[] before = sealed(4, 1000, 1);
    long[] refs = sealed(8, 1000, 100);
    blocks.put(0L, sealed(1, 1000, 200));
    blocks.put(2L, new long[] {refs[0], refs[1]});
    long position = endOfGroups(refs[0]);
    long found = refs[7];
    Pin[] pin = new Pin[1];
    afterBlocksWereShown =
        () -> {
          if (pin[0] == null) {
            pin[0] = chunkPins.pin();
            assertThat(chunkPins.acquire(found)).isTrue();
            assertThat(containers.holds(found, fingerprint(107), 0)).isTrue();
            containers.directory(ChunkRef.container(before[0]));
            damage(found, position);
          }
        };
    // One cycle: a block in work lasts no longer.
    conf.set("hdrf.dedup.gc.min.age", "1");
    collector(10_000).collect(line -> {});
    blocks.put(3L, new long[] {found});
    pin[0].close();
    assertAllCanBeRead(1000);
  }

  /** No block refers to it yet, nor did one look for it. */
  @Test
  void aChunkThatABlockInWorkHasStoredIsNotDropped() throws Exception {
    conf.set("hdrf.dedup.gc.min.age", "1");
    GarbageCollector collector = collector(10_000);
    FutureTask<GcResult> cycle = new FutureTask<>(() -> collector.collect(line -> {}));
    Thread thread = new Thread(cycle);
    Pin older = chunkPins.pin();
    thread.start();
    while (thread.getState() != Thread.State.TIMED_WAITING) {
      assertThat(cycle.isDone()).isFalse();
      Thread.sleep(1);
    }
    try (Pin pin = chunkPins.pin()) {
      long[] refs = sealed(8, 1000, 100);
      damage(refs[0], endOfGroups(refs[0]));
      blocks.put(0L, sealed(1, 1000, 200));
      containers.directory(ChunkRef.container(blocks.get(0L)[0]));
      older.close();
      cycle.get();
      blocks.put(1L, refs);
    }
    assertAllCanBeRead(1000);
  }
}
