/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.gc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hdrf.codec.dedup.IndexedContainers;
import io.hdrf.codec.dedup.container.ChunkAppender;
import io.hdrf.codec.dedup.container.format.ChunkRef;
import io.hdrf.codec.dedup.container.format.ContainerDirectory;
import io.hdrf.codec.dedup.container.format.Fingerprinter;
import io.hdrf.codec.dedup.index.IndexLookup;
import io.hdrf.spi.scheme.ChunkLookup;
import io.hdrf.spi.scheme.CorruptFrameException;
import io.hdrf.spi.scheme.Pin;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the healing does to the rest of a collection. */
class HealingInCollectionTest {

  @TempDir Path scratch;
  private CollectedStore store;

  /** How many chunks there are, which have the numbers from 1 on. */
  private int chunks;

  /** The chunks that there are elsewhere. */
  private final Set<Integer> elsewhere = new HashSet<>();

  private int asked;

  @BeforeEach
  void open() throws IOException {
    store = new CollectedStore(scratch);
    // One cycle is a collection.
    store.conf.set("hdrf.dedup.gc.min.age", "1");
    store.sources.add(this::findElsewhere);
  }

  @AfterEach
  void close() throws IOException {
    store.close();
  }

  private long[] sealed(int count) throws IOException {
    chunks += count;
    return store.sealed(count);
  }

  private void findElsewhere(
      byte[] fingerprints, int[] ends, int count, BitSet found, ByteBuffer dst) {
    asked++;
    for (int i = 0; i < count; i++) {
      byte[] name =
          Arrays.copyOfRange(
              fingerprints, i * Fingerprinter.LENGTH, (i + 1) * Fingerprinter.LENGTH);
      for (int chunk : elsewhere) {
        if (Arrays.equals(name, IndexedContainers.name(chunk))) {
          int start = i == 0 ? 0 : ends[i - 1];
          for (int j = 0; j < IndexedContainers.CHUNK; j++) {
            dst.put(dst.position() + start + j, (byte) 0);
          }
          dst.put(dst.position() + start, (byte) chunk);
          dst.putLong(dst.position() + start + 50, chunk);
          found.set(i);
        }
      }
    }
  }

  /** Changes a chunk's first byte, which has its fingerprint, or changes it back. */
  private void flip(long ref) throws IOException {
    long id = ChunkRef.container(ref);
    ContainerDirectory content = store.containers.directory(id);
    int group = content.groupOf(content.indexOf(ChunkRef.number(ref)));
    Path file = store.containers.file(id);
    byte[] bytes = Files.readAllBytes(file);
    bytes[(int) content.groupEnd(group) - IndexedContainers.CHUNK] ^= 1;
    Files.write(file, bytes);
  }

  private void read(long ref) throws IOException {
    store.containers.read(
        ChunkRef.container(ref),
        ChunkRef.number(ref),
        1,
        ByteBuffer.allocateDirect(IndexedContainers.CHUNK));
  }

  private void damage(long ref) throws IOException {
    flip(ref);
    assertThatThrownBy(() -> read(ref)).isInstanceOf(CorruptFrameException.class);
  }

  @Test
  void itEndsWithinAContainerToo() throws IOException {
    long[] refs = sealed(10);
    store.blocks.put(1L, refs);
    for (long ref : refs) {
      damage(ref);
      elsewhere.add(1 + ChunkRef.number(ref));
    }
    store.sources.set(
        0,
        (names, ends, count, found, dst) -> {
          store.nanoTime += TimeUnit.MINUTES.toNanos(61);
          findElsewhere(names, ends, count, found, dst);
        });
    store.collector().collect(line -> {});
    assertThat(asked).isEqualTo(1);
    read(refs[0]);
    assertThat(store.damaged).containsExactly(1L);
  }

  @Test
  void containersThatCannotBeHealedDoNotKeepOthersFromIt() throws IOException {
    for (long block = 1; block <= 16; block++) {
      long[] refs = sealed(2);
      store.blocks.put(block, refs);
      damage(refs[0]);
    }
    long[] refs = sealed(2);
    store.blocks.put(17L, refs);
    elsewhere.add(chunks - 1);
    elsewhere.add(chunks);
    damage(refs[0]);
    damage(refs[1]);
    GarbageCollector collector = store.collector();
    collector.collect(line -> {});
    store.damaged.clear();
    for (int i = 0; i < 5; i++) {
      collector.collect(line -> {});
    }
    read(refs[0]);
    read(refs[1]);
  }

  @Test
  void whatWasHealedIsNotReportedWhereTheWorkEnds() throws IOException {
    long[] first = sealed(2);
    long[] second = sealed(2);
    store.blocks.put(1L, first);
    store.blocks.put(2L, second);
    damage(first[0]);
    damage(second[0]);
    damage(second[1]);
    elsewhere.addAll(Set.of(1, 3, 4));
    store.sources.set(
        0,
        (names, ends, count, found, dst) -> {
          store.stopping = () -> asked > 1;
          findElsewhere(names, ends, count, found, dst);
        });
    GarbageCollector collector = store.collector();
    assertThatThrownBy(() -> collector.collect(line -> {}))
        .isInstanceOf(InterruptedIOException.class);
    read(first[0]);
    assertThat(store.damaged).containsExactly(2L);
  }

  @Test
  void blocksWithHealedChunksDoNotHideOthers() throws IOException {
    long[] popular = sealed(2);
    long[] other = sealed(2);
    for (long block = 1; block <= 1000; block++) {
      store.blocks.put(block, popular);
    }
    store.blocks.put(1001L, other);
    damage(popular[0]);
    damage(other[0]);
    elsewhere.add(1);
    store.collector().collect(line -> {});
    read(popular[0]);
    assertThat(store.damaged).containsExactly(1001L);
  }

  @Test
  void aBlockWithManyHealedRunsIsNotReported() throws IOException {
    // Each is shown alone.
    long[] refs = sealed(70);
    long[] other = sealed(2);
    store.blocks.put(1L, refs);
    store.blocks.put(2L, other);
    for (int i = 0; i < refs.length; i++) {
      damage(refs[i]);
      elsewhere.add(i + 1);
    }
    damage(other[0]);
    store.collector().collect(line -> {});
    for (long ref : refs) {
      read(ref);
    }
    assertThat(store.damaged).containsExactly(2L);
  }

  @Test
  void whatNobodyNeedsBesideDamageIsCollected() throws IOException {
    store.conf.set("hdrf.dedup.gc.min.age", "0");
    long[] refs = sealed(20);
    store.blocks.put(1L, new long[] {refs[9], refs[10]});
    damage(refs[9]);
    IndexLookup here = store.index.newLookup();
    store.sources.set(0, lookup(here));
    GarbageCollector collector = store.collector();
    for (int i = 0; i < 3; i++) {
      collector.collect(line -> {});
    }
    assertThat(store.has(refs[9])).isTrue();
    assertThat(store.has(refs[10])).isTrue();
    assertThat(store.has(refs[8])).as("found by nobody").isFalse();
  }

  private ChunkLookup lookup(IndexLookup here) {
    return (names, ends, count, found, dst) -> {
      try (Pin pin = store.chunkPins.pin()) {
        here.find(names, count, new long[IndexLookup.MAX_COUNT]);
      }
    };
  }

  /** As after an error of the disk that has passed. */
  @Test
  void whatReadsWellAgainIsKeptForTwoCycles() throws IOException {
    long[] refs = sealed(4);
    store.blocks.put(1L, new long[] {refs[0], refs[1]});
    damage(refs[0]);
    damage(refs[3]);
    elsewhere.add(1);
    store.afterBlocksWereShown = () -> flip(refs[3]);
    store.collector().collect(line -> {});
    read(refs[0]);
    assertThat(store.has(refs[3])).isTrue();
    read(refs[3]);
  }

  /** Its CRC32C is right: memory changed it before it was written. */
  @Test
  void whatIsNotWhatItsFingerprintSaysIsHealed() throws IOException {
    long[] refs = new long[3];
    try (ChunkAppender appender = store.appender()) {
      for (int i = 0; i < refs.length; i++) {
        ByteBuffer chunk = ByteBuffer.allocateDirect(IndexedContainers.CHUNK);
        chunk.put(0, (byte) (i == 1 ? 77 : i + 1)).putLong(50, i + 1);
        refs[i] = appender.append(IndexedContainers.name(i + 1), 0, chunk);
      }
      appender.force();
    }
    long id = ChunkRef.container(refs[0]);
    store.containers.sealIdle(id);
    store.blocks.put(1L, refs);
    elsewhere.addAll(Set.of(1, 2, 3));
    assertThat(store.containers.findDamage(id, ChunkRef.number(refs[1]), 1)).isTrue();
    GarbageCollector collector = store.collector();
    collector.collect(line -> {});
    assertThat(store.containers.damagedChunks(bytes -> {})).isEmpty();
    assertThat(store.damaged).isEmpty();
    ByteBuffer chunk = ByteBuffer.allocateDirect(IndexedContainers.CHUNK);
    store.containers.read(id, ChunkRef.number(refs[1]), 1, chunk);
    assertThat(chunk.get(0)).isEqualTo((byte) 2);
    assertThat(store.containers.isBad(refs[1])).isFalse();
  }

  /** Damage that can't be healed may stay for long, as where there is no other replica. */
  @Test
  void copiesThatNobodyNeedsAreCollectedInSpiteOfDamage() throws IOException {
    store.conf.set("hdrf.dedup.gc.min.age", "0");
    long[] refs = sealed(3);
    store.blocks.put(1L, refs);
    long[] copies = new long[2];
    byte[] names = new byte[copies.length * Fingerprinter.LENGTH];
    try (ChunkAppender appender = store.appender()) {
      for (int i = 0; i < copies.length; i++) {
        byte[] name = IndexedContainers.name(i + 2);
        System.arraycopy(name, 0, names, i * Fingerprinter.LENGTH, Fingerprinter.LENGTH);
        ByteBuffer chunk = ByteBuffer.allocateDirect(IndexedContainers.CHUNK);
        chunk.put(0, (byte) (i + 2)).putLong(50, i + 2);
        copies[i] = appender.append(name, 0, chunk);
      }
      appender.force();
    }
    store.index.publish(names, copies, copies.length);
    store.containers.sealIdle(ChunkRef.container(copies[0]));
    sealed(1);
    damage(refs[0]);
    IndexLookup here = store.index.newLookupWithoutPins();
    long[] found = new long[IndexLookup.MAX_COUNT];
    boolean[] asked = new boolean[1];
    store.sources.set(
        0,
        (wanted, ends, count, has, dst) -> {
          here.find(wanted, count, found);
          asked[0] |= count == 3 && found[1] == copies[0];
        });
    GarbageCollector collector = store.collector();
    for (int i = 0; i < 4; i++) {
      collector.collect(line -> {});
    }
    assertThat(asked[0]).as("a copy was found").isTrue();
    assertThat(store.has(copies[0])).isFalse();
    assertThat(store.has(refs[1])).isTrue();
  }
}
