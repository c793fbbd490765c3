/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.index;

import static org.assertj.core.api.Assertions.assertThat;

import io.hdrf.codec.dedup.IndexedContainers;
import io.hdrf.codec.dedup.container.ChunkAppender;
import io.hdrf.codec.dedup.container.ChunkPins;
import io.hdrf.codec.dedup.container.DifferenceFormat;
import io.hdrf.codec.dedup.container.Throttle;
import io.hdrf.codec.dedup.container.format.ChunkRef;
import io.hdrf.codec.dedup.container.format.Fingerprinter;
import io.hdrf.jni.ChunkDelta;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the index finds of chunks that are kept as differences, and holds for who finds them. */
class IndexedDifferencesTest {

  private static final int COUNT = 20;

  /** What is added to a base's name for that of its difference. */
  private static final int NEXT = 100;

  @TempDir Path directory;

  private final Configuration conf = new Configuration(false);

  private static ByteBuffer content(int chunk) {
    return ByteBuffer.allocateDirect(IndexedContainers.CHUNK)
        .put((byte) chunk)
        .putLong(50, chunk % NEXT)
        .rewind();
  }

  private static byte[] names() {
    byte[] names = new byte[COUNT * Fingerprinter.LENGTH];
    for (int i = 0; i < COUNT; i++) {
      byte[] name = IndexedContainers.name(NEXT + 1 + i);
      System.arraycopy(name, 0, names, i * Fingerprinter.LENGTH, Fingerprinter.LENGTH);
    }
    return names;
  }

  /** Adds durable differences. */
  private static long[] append(ChunkAppender appender, long[] bases) throws IOException {
    long[] refs = new long[COUNT];
    for (int i = 0; i < COUNT; i++) {
      ByteBuffer chunk = content(NEXT + 1 + i);
      ByteBuffer delta = ByteBuffer.allocateDirect(IndexedContainers.CHUNK);
      assertThat(new ChunkDelta().encode(content(1 + i), chunk, delta)).isTrue();
      ByteBuffer kept = ByteBuffer.allocateDirect(IndexedContainers.CHUNK);
      DifferenceFormat.put(chunk, delta.flip(), kept);
      refs[i] =
          appender.appendDifference(
              names(), i * Fingerprinter.LENGTH, kept.flip(), chunk.remaining(), bases[i]);
    }
    appender.force();
    return refs;
  }

  /** Fills a container with bases, and another one with their differences, and dies. */
  private long[] crash(Path there) throws IOException {
    try (IndexedContainers store = new IndexedContainers(directory.resolve("before"), conf);
        ChunkAppender appender = store.appender()) {
      long[] bases = store.sealed(COUNT);
      append(appender, bases);
      Files.createDirectories(there);
      try (Stream<Path> files = Files.list(directory.resolve("before/containers"))) {
        for (Path file : files.toList()) {
          Files.copy(file, there.resolve(file.getFileName()));
        }
      }
      return bases;
    }
  }

  private static long[] find(IndexedContainers store) {
    long[] bases = new long[COUNT];
    long[] refs = new long[COUNT];
    IndexLookup lookup = store.index.newLookup();
    lookup.find(names(), COUNT, refs);
    for (int i = 0; i < COUNT; i++) {
      bases[i] = refs[i] < 0 ? -1 : lookup.base(i);
    }
    return bases;
  }

  private static void work(IndexedContainers store) {
    for (int i = 0; i < 3; i++) {
      store.index.work(() -> false);
    }
  }

  /** Whoever finds a difference comes to need its base. */
  @Test
  void basesAreHeldWithTheirDifferences() throws IOException {
    try (IndexedContainers store = new IndexedContainers(directory, conf);
        ChunkAppender appender = store.appender()) {
      long[] bases = store.sealed(COUNT);
      store.index.publish(names(), append(appender, bases), COUNT);
      long container = ChunkRef.container(bases[0]);
      BitSet present = store.containers.directory(container).numbers();
      ChunkPins.Cycle cycle = store.chunkPins.begin(0, container + 100);
      assertThat(cycle.dead(container, present)).isEqualTo(present);
      assertThat(find(store)).isEqualTo(bases);
      assertThat(cycle.dead(container, present)).isEqualTo(new BitSet());
      store.chunkPins.end();
      cycle = store.chunkPins.begin(0, container + 100);
      BitSet first = new BitSet();
      first.set(ChunkRef.number(bases[0]));
      cycle.condemn(container, first, present, true);
      long[] found = find(store);
      assertThat(found[0]).as("its base is condemned").isEqualTo(-1);
      assertThat(Arrays.copyOfRange(found, 1, COUNT))
          .isEqualTo(Arrays.copyOfRange(bases, 1, COUNT));
      store.chunkPins.end();
    }
  }

  /** Nobody needed them, and only the container of the bases was worth it. */
  @Test
  void differencesWhoseBasesAreGoneAreNotFound() throws IOException {
    try (IndexedContainers store = new IndexedContainers(directory, conf);
        ChunkAppender appender = store.appender()) {
      long[] bases = store.sealed(COUNT);
      store.index.publish(names(), append(appender, bases), COUNT);
      long container = ChunkRef.container(bases[0]);
      BitSet live = store.containers.directory(container).numbers();
      live.clear(ChunkRef.number(bases[3]));
      store.containers.compact(container, (content, whole) -> live, Throttle.NONE);
      long[] found = find(store);
      assertThat(found[3]).isEqualTo(-1);
      found[3] = bases[3];
      assertThat(found).isEqualTo(bases);
    }
  }

  /** A difference in a container that was open when the process died, after a start. */
  @ParameterizedTest
  @ValueSource(strings = {"dba", "cuckoo"})
  void theyAreFoundOnceTheyHaveFingerprints(String kind) throws IOException {
    conf.set("hdrf.dedup.index", kind);
    conf.set("hdrf.dedup.cache.memory", "0");
    Path after = directory.resolve("after");
    long[] bases = crash(after.resolve("containers"));
    try (IndexedContainers store = new IndexedContainers(after, conf)) {
      work(store);
      assertThat(find(store)).containsOnly(-1);
      for (int seconds : List.of(0, 10)) {
        store.containers.mend(TimeUnit.SECONDS.toNanos(seconds), Throttle.NONE);
      }
      work(store);
      assertThat(find(store)).isEqualTo(bases);
    }
  }
}
