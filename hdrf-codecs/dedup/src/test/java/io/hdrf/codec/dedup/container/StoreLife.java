/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.container;

import static org.assertj.core.api.Assertions.assertThat;

import io.hdrf.codec.dedup.container.format.ChunkRef;
import io.hdrf.codec.dedup.container.format.ContainerDirectory;
import io.hdrf.spi.io.DurableFiles;
import java.io.IOException;
import java.nio.file.Path;
import java.util.BitSet;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

/**
 * The life of a store: chunks are appended, forced, sealed, dropped and compacted in random turn,
 * and the store is closed now and then. It may end at any moment.
 */
final class StoreLife {

  /** Learns which chunks must be there from now on, and which no longer. */
  interface Witness {

    /** Called when a chunk was forced; a number determines its content. */
    void forced(long ref, long number);

    /** Called before a compaction drops a forced chunk. */
    void dropping(long ref);
  }

  private final Path directory;
  private final DurableFiles files;
  private final Random random;
  private final Witness witness;

  /** The numbers of the chunks that must be there. */
  private final Map<Long, Long> live;

  /** Appended chunks that may not be durable yet. */
  private final Map<Long, Long> pending = new TreeMap<>();

  private final ChunkAppender[] appenders = new ChunkAppender[2];
  private ContainerStore store;
  private long nextNumber;

  /**
   * @param live numbers by reference of what earlier lives left; a copy is used
   * @param firstNumber the first chunk's
   */
  StoreLife(
      Path directory,
      DurableFiles files,
      Map<Long, Long> live,
      long firstNumber,
      Random random,
      Witness witness) {
    this.directory = directory;
    this.files = files;
    this.live = new TreeMap<>(live);
    this.nextNumber = firstNumber;
    this.random = random;
    this.witness = witness;
  }

  private static ContainerStore open(Path directory, DurableFiles files) throws IOException {
    return Chunks.open(
        directory, files, Chunks.settings().containerSize(6_000).groupSize(1_500).groupMemory(0));
  }

  /** Opens a store, and fails unless these chunks are there and nothing is damaged. */
  static void check(Path directory, DurableFiles files, Map<Long, Long> live) throws IOException {
    try (ContainerStore store = open(directory, files)) {
      for (Map.Entry<Long, Long> chunk : live.entrySet()) {
        Chunks.assertHas(store, chunk.getKey(), Chunks.chunk(chunk.getValue()));
      }
      for (ContainerInfo info : store.containers()) {
        assertThat(info.problem()).isNull();
        assertThat(ContainerVerifier.verify(store, info.id()).problems()).isEmpty();
      }
    }
  }

  /** Opens the store and uses it. */
  void begin() throws IOException {
    store = open(directory, files);
    appenders[0] = store.appender(Chunks.DEFLATE);
    appenders[1] = store.appender(Chunks.PLAIN);
  }

  /** Does something. */
  void act() throws IOException {
    int action = random.nextInt(19);
    int which = random.nextInt(2);
    if (action < 14) {
      long number = nextNumber++;
      pending.put(Chunks.append(appenders[which], Chunks.chunk(number)), number);
    } else if (action < 17) {
      appenders[0].force();
      appenders[1].force();
      acknowledge();
    } else if (action < 18) {
      appenders[which].force();
      appenders[which].close();
      appenders[which] = store.appender(which == 0 ? Chunks.DEFLATE : Chunks.PLAIN);
    } else {
      compactSome();
    }
  }

  /** Seals and closes all. */
  void end() throws IOException {
    for (ChunkAppender appender : appenders) {
      appender.close();
    }
    store.close();
    acknowledge();
  }

  private void acknowledge() {
    live.putAll(pending);
    pending.forEach(witness::forced);
    pending.clear();
  }

  private void compactSome() throws IOException {
    for (ContainerInfo info : store.containers()) {
      if (!info.sealed() || random.nextInt(3) > 0) {
        continue;
      }
      ContainerDirectory content = store.directory(info.id());
      BitSet numbers = new BitSet();
      boolean none = random.nextInt(8) == 0;
      for (int i = 0; i < content.chunkCount(); i++) {
        long ref = ChunkRef.pack(info.id(), content.number(i));
        // Dropped chunks are forgotten first, whether or not the compaction succeeds.
        if (live.containsKey(ref)) {
          if (none || random.nextInt(8) == 0) {
            live.remove(ref);
            witness.dropping(ref);
          } else {
            numbers.set(content.number(i));
          }
        } else if (pending.containsKey(ref)) {
          numbers.set(content.number(i));
        }
      }
      store.compact(info.id(), (listed, whole) -> numbers, Throttle.NONE);
    }
  }
}
