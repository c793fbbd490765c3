/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.gc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hdrf.codec.dedup.IndexedContainers;
import io.hdrf.codec.dedup.container.Throttle;
import io.hdrf.codec.dedup.container.format.ChunkRef;
import io.hdrf.codec.dedup.container.format.ContainerDirectory;
import io.hdrf.codec.dedup.container.format.ContainerNames;
import io.hdrf.spi.scheme.UnreadableBlocksException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.BitSet;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Every block that needs a damaged chunk is examined, and not only the one that was read. */
class DamagedChunksTest {

  @TempDir Path directory;

  private CollectedStore store;
  private long[] refs;
  private byte[] good;

  @BeforeEach
  void start() throws IOException {
    store = new CollectedStore(directory);
    refs = store.sealed(6);
    good = Files.readAllBytes(file());
    store.blocks.put(1L, new long[] {refs[0], refs[1]});
    store.blocks.put(2L, new long[] {refs[1], refs[2]});
    store.blocks.put(3L, new long[] {refs[2], refs[3]});
    store.blocks.put(4L, new long[] {refs[4], refs[5], refs[1]});
  }

  @AfterEach
  void stop() throws IOException {
    store.close();
  }

  private Path file() {
    return store.containers.file(ChunkRef.container(refs[0]));
  }

  private void damage(long ref) throws IOException {
    ContainerDirectory content = store.containers.directory(ChunkRef.container(ref));
    int group = content.groupOf(content.indexOf(ChunkRef.number(ref)));
    byte[] bad = good.clone();
    bad[(int) content.groupPosition(group) + content.headerLength(group) + 1] ^= 1;
    Files.write(file(), bad);
    store.containers.check(ChunkRef.container(ref), Throttle.NONE);
  }

  @Test
  void allBlocksThatReferToItAreExamined() throws IOException {
    GarbageCollector collector = store.collector();
    collector.collect(line -> {});
    assertThat(store.damaged).isEmpty();
    damage(refs[1]);
    collector.collect(line -> {});
    assertThat(store.damaged).containsExactlyInAnyOrder(1L, 2L, 4L);
    assertThat(collector.metrics().get("gcBlocksSuspected")).isPositive();
    assertThat(collector.metrics()).containsEntry("gcAbortedInARow", 0L);
  }

  /** As what was open at a power failure; nobody scrubs it. */
  @Test
  void allBlocksThatNeedWhatAnOpenContainerHasLostAreExamined() throws IOException {
    long[] open = store.open(6);
    Path file = file(open[0]);
    ContainerDirectory content = store.containers.directory(ChunkRef.container(open[0]));
    byte[] bytes = Files.readAllBytes(file);
    store.close();
    bytes[(int) content.groupPosition(2) + content.headerLength(2) + 1] ^= 1;
    Files.delete(store.containers.file(ChunkRef.container(open[0])));
    Files.write(file, Arrays.copyOf(bytes, (int) content.groupEnd(5)));
    store = new CollectedStore(directory);
    store.blocks.put(5L, new long[] {open[1], open[2]});
    store.blocks.put(6L, new long[] {open[3]});
    store.collector().collect(line -> {});
    assertThat(store.damaged).containsExactly(5L);
  }

  /** What a disk forgot, though it was forced, looks like the end of a write that was cut off. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void allBlocksThatNeedWhatWasCutOffAreExamined(boolean unreadableBlock) throws IOException {
    long[] open = store.open(6);
    Path file = file(open[0]);
    ContainerDirectory content = store.containers.directory(ChunkRef.container(open[0]));
    byte[] bytes = Files.readAllBytes(file);
    store.close();
    Files.delete(store.containers.file(ChunkRef.container(open[0])));
    Files.write(file, Arrays.copyOf(bytes, (int) content.groupPosition(5)));
    store = new CollectedStore(directory);
    store.blocks.put(5L, new long[] {open[4], open[5]});
    store.blocks.put(6L, new long[] {open[4]});
    store.blocks.put(7L, new long[] {refs[3]});
    GarbageCollector collector = store.collector();
    store.afterBlocksWereShown =
        () -> {
          if (unreadableBlock) {
            throw new UnreadableBlocksException("a block can't be read", 1, null);
          }
        };
    if (unreadableBlock) {
      assertThatThrownBy(() -> collector.collect(line -> {}))
          .isInstanceOf(UnreadableBlocksException.class);
    } else {
      collector.collect(line -> {});
    }
    assertThat(store.containers.isSealed(ChunkRef.container(open[0]))).isTrue();
    assertThat(store.damaged).containsExactly(5L);
  }

  @Test
  void allBlocksThatNeedAContainerWhoseHeaderIsDamagedAreExamined() throws IOException {
    long[] open = store.open(6);
    Path file = file(open[0]);
    byte[] bytes = Files.readAllBytes(file);
    store.close();
    Files.delete(store.containers.file(ChunkRef.container(open[0])));
    bytes[20] ^= 1;
    Files.write(file, bytes);
    store = new CollectedStore(directory);
    store.blocks.put(5L, new long[] {open[1], open[2]});
    store.blocks.put(6L, new long[] {refs[3]});
    store.collector().collect(line -> {});
    assertThat(store.damaged).containsExactly(5L);
  }

  /** The file of an open container. */
  private Path file(long ref) {
    return ContainerNames.file(
        directory.resolve("containers"), ChunkRef.container(ref), ContainerNames.OPEN);
  }

  @Test
  void noneIsOnceTheChunkReadsWell() throws IOException {
    GarbageCollector collector = store.collector();
    damage(refs[1]);
    Files.write(file(), good);
    collector.collect(line -> {});
    assertThat(store.damaged).isEmpty();
    assertThat(collector.metrics()).containsEntry("gcBlocksSuspected", 0L);
  }

  /** Those that HDFS can't replace must not keep the others from being examined. */
  @Test
  void allAreExaminedInTheEndHoweverManyTheyAre() throws IOException {
    for (long block = 10; block < 3010; block++) {
      store.blocks.put(block, new long[] {refs[1]});
    }
    GarbageCollector collector = store.collector();
    damage(refs[1]);
    for (int i = 0; i < 4; i++) {
      collector.collect(line -> {});
    }
    assertThat(store.damaged).hasSize(3003);
    store.damaged.clear();
    for (int i = 0; i < 4; i++) {
      collector.collect(line -> {});
    }
    assertThat(store.damaged).as("again").hasSize(3003);
  }

  /** Knows all chunks that were appended. */
  private static void find(byte[] names, int[] ends, int count, BitSet found, ByteBuffer dst) {
    for (int i = 0; i < count; i++) {
      for (long chunk = 1; chunk <= 20; chunk++) {
        byte[] name = Arrays.copyOfRange(names, i * 32, i * 32 + 32);
        if (Arrays.equals(name, IndexedContainers.name(chunk))) {
          int start = dst.position() + (i == 0 ? 0 : ends[i - 1]);
          for (int j = start; j < dst.position() + ends[i]; j++) {
            dst.put(j, (byte) 0);
          }
          dst.put(start, (byte) chunk).putLong(start + 50, chunk);
          found.set(i);
        }
      }
    }
  }

  private void spoil(long ref) throws IOException {
    long container = ChunkRef.container(ref);
    ContainerDirectory content = store.containers.directory(container);
    int group = content.groupOf(content.indexOf(ChunkRef.number(ref)));
    byte[] bad = Files.readAllBytes(store.containers.file(container));
    // The fingerprints of these chunks are made of their first byte.
    bad[(int) content.groupPosition(group) + content.headerLength(group)] ^= 64;
    Files.write(store.containers.file(container), bad);
    store.containers.check(container, Throttle.NONE);
  }

  @Test
  void noneIsOnceTheChunkIsHealed() throws IOException {
    store.sources.add(DamagedChunksTest::find);
    GarbageCollector collector = store.collector();
    spoil(refs[1]);
    collector.collect(line -> {});
    assertThat(store.damaged).isEmpty();
    assertThat(store.containers.check(ChunkRef.container(refs[1]), Throttle.NONE).isSound())
        .isTrue();
    assertThat(store.containers.damagedChunks(Throttle.NONE)).isEmpty();
  }

  /** Recipes may take any time before; what counts is how long it takes to heal. */
  @Test
  void whatIsNotHealedWithinAnHourIsExamined() throws IOException {
    long[] others = store.sealed(2);
    store.blocks.put(5L, new long[] {others[0], others[1]});
    store.sources.add(
        (names, ends, count, found, dst) -> {
          store.nanoTime += TimeUnit.HOURS.toNanos(1);
          find(names, ends, count, found, dst);
        });
    store.afterBlocksWereShown = () -> store.nanoTime += TimeUnit.HOURS.toNanos(5);
    GarbageCollector collector = store.collector();
    spoil(refs[0]);
    spoil(others[0]);
    collector.collect(line -> {});
    assertThat(store.damaged).as("of one of the two containers").hasSize(1);
    assertThat(store.damaged).isSubsetOf(1L, 5L);
    // In the second of its two cycles.
    assertThat(store.containers.damagedChunks(Throttle.NONE)).isEmpty();
  }
}
