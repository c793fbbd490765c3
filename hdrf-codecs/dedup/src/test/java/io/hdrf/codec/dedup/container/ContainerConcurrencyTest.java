/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.container;

import static org.assertj.core.api.Assertions.assertThat;

import io.hdrf.codec.dedup.container.format.ChunkRef;
import io.hdrf.codec.dedup.container.format.ContainerDirectory;
import io.hdrf.io.InMemory;
import io.hdrf.spi.io.LocalDurableFiles;
import io.hdrf.spi.scheme.FrameChain;
import io.hdrf.spi.scheme.TestSeed;
import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Appenders, readers, forces, compaction and verification at once. */
@Timeout(120)
class ContainerConcurrencyTest {

  private static final long NANOS = TimeUnit.MILLISECONDS.toNanos(2500);

  @TempDir(factory = InMemory.class)
  Path scratch;

  private final AtomicBoolean stop = new AtomicBoolean();
  private final AtomicLong numbers = new AtomicLong();

  /** Chunks that stay: the number that determines the content, by reference. */
  private final ConcurrentSkipListMap<Long, Long> kept = new ConcurrentSkipListMap<>();

  /** Chunks that were appended, and not yet decided on. */
  private final Set<Long> pending = ConcurrentHashMap.newKeySet();

  private ContainerStore open(Path directory) throws IOException {
    return Chunks.open(
        directory,
        LocalDurableFiles.INSTANCE,
        Chunks.settings().containerSize(60_000).maxOpenFiles(3).groupMemory(30_000));
  }

  @Test
  void allAtOnce() throws Exception {
    Path directory = scratch.resolve("containers");
    ExecutorService threads = Executors.newCachedThreadPool();
    try (ContainerStore store = open(directory)) {
      List<Future<Void>> results = new ArrayList<>();
      for (int i = 0; i < 3; i++) {
        results.add(threads.submit(appender(store, i)));
        results.add(threads.submit(reader(store, i)));
      }
      results.add(threads.submit(interrupted(store)));
      results.add(threads.submit(compactor(store)));
      results.add(threads.submit(verifier(store)));
      long end = System.nanoTime() + NANOS;
      // Longer where the disk takes its time.
      while ((System.nanoTime() < end || kept.size() <= 100)
          && results.stream().noneMatch(Future::isDone)) {
        Thread.sleep(20);
      }
      stop.set(true);
      for (Future<Void> result : results) {
        result.get();
      }
    } finally {
      threads.shutdownNow();
    }
    assertThat(Chunks.openFiles(scratch)).isZero();
    assertThat(kept.size()).isGreaterThan(100);
    try (ContainerStore store = open(directory)) {
      for (Map.Entry<Long, Long> chunk : kept.entrySet()) {
        Chunks.assertHas(store, chunk.getKey(), Chunks.chunk(chunk.getValue()));
      }
    }
  }

  private Callable<Void> appender(ContainerStore store, int number) {
    FrameChain tail = number == 0 ? Chunks.PLAIN : Chunks.DEFLATE;
    Random random = TestSeed.random("appender", number);
    return () -> {
      while (!stop.get()) {
        try (ChunkAppender appender = store.appender(tail)) {
          for (int n = random.nextInt(100); n > 0; n--) {
            Map<Long, Long> fresh = new ConcurrentSkipListMap<>();
            for (int i = 0; i < 5; i++) {
              long content = numbers.incrementAndGet();
              long ref = Chunks.append(appender, Chunks.chunk(content));
              pending.add(ref);
              fresh.put(ref, content);
            }
            appender.force();
            for (Map.Entry<Long, Long> chunk : fresh.entrySet()) {
              // The compactor drops the rest.
              if (chunk.getValue() % 5 != 0) {
                kept.put(chunk.getKey(), chunk.getValue());
              }
              pending.remove(chunk.getKey());
            }
          }
        }
      }
      return null;
    };
  }

  private Map.Entry<Long, Long> any(Random random) {
    Map.Entry<Long, Long> last = kept.lastEntry();
    if (last == null) {
      return null;
    }
    return kept.floorEntry((long) (last.getKey() * random.nextDouble() + 1));
  }

  private Callable<Void> reader(ContainerStore store, int number) {
    Random random = TestSeed.random("reader", number);
    return () -> {
      while (!stop.get()) {
        Map.Entry<Long, Long> chunk = any(random);
        if (chunk != null) {
          Chunks.assertHas(store, chunk.getKey(), Chunks.chunk(chunk.getValue()));
        }
      }
      return null;
    };
  }

  /** Its interrupts close files that others are using. */
  private Callable<Void> interrupted(ContainerStore store) {
    Random random = TestSeed.random("interrupted");
    return () -> {
      while (!stop.get()) {
        Map.Entry<Long, Long> chunk = any(random);
        if (chunk != null) {
          Thread.currentThread().interrupt();
          try {
            Chunks.assertHas(store, chunk.getKey(), Chunks.chunk(chunk.getValue()));
          } catch (ClosedChannelException e) {
            assertThat(Thread.currentThread().isInterrupted()).isTrue();
          }
          Thread.interrupted();
          Thread.sleep(1);
        }
      }
      return null;
    };
  }

  private Callable<Void> compactor(ContainerStore store) {
    return () -> {
      while (!stop.get()) {
        for (ContainerInfo info : store.containers()) {
          if (info.sealed()) {
            assertThat(info.problem()).isNull();
            compact(store, info.id());
          }
        }
      }
      return null;
    };
  }

  private void compact(ContainerStore store, long container) throws IOException {
    ContainerDirectory content = store.directory(container);
    BitSet live = new BitSet();
    for (int i = 0; i < content.chunkCount(); i++) {
      long ref = ChunkRef.pack(container, content.number(i));
      if (pending.contains(ref) || kept.containsKey(ref)) {
        live.set(content.number(i));
      }
    }
    store.compact(container, (listed, whole) -> live, Throttle.NONE);
  }

  private Callable<Void> verifier(ContainerStore store) {
    return () -> {
      while (!stop.get()) {
        for (ContainerInfo info : store.containers()) {
          try {
            assertThat(ContainerVerifier.verify(store, info.id()).problems()).isEmpty();
          } catch (MissingChunkException e) {
            // It was deleted by the compactor.
          }
        }
      }
      return null;
    };
  }

  /** An appender's thread that is interrupted loses no chunk that it forced. */
  @Test
  void interruptedAppender() throws Exception {
    Random random = TestSeed.random("interrupted appender");
    Path directory = scratch.resolve("containers");
    Map<Long, byte[]> forced = new ConcurrentSkipListMap<>();
    try (ContainerStore store = open(directory)) {
      ChunkAppender appender = store.appender(Chunks.DEFLATE);
      Map<Long, byte[]> fresh = new ConcurrentSkipListMap<>();
      for (int i = 0; i < 400; i++) {
        try {
          if (random.nextInt(20) == 0) {
            Thread.currentThread().interrupt();
          }
          byte[] chunk = Chunks.chunk(i);
          fresh.put(Chunks.append(appender, chunk), chunk);
          if (random.nextInt(5) == 0) {
            appender.force();
            forced.putAll(fresh);
          }
        } catch (IOException e) {
          Thread.interrupted();
          fresh.clear();
          try {
            appender.close();
          } catch (IOException again) {
            assertThat(again).isNotNull();
          }
          appender = store.appender(Chunks.DEFLATE);
        }
        Thread.interrupted();
      }
      assertThat(forced).isNotEmpty();
      for (Map.Entry<Long, byte[]> chunk : forced.entrySet()) {
        Chunks.assertHas(store, chunk.getKey(), chunk.getValue());
      }
    }
    assertThat(Chunks.openFiles(scratch)).isZero();
    try (ContainerStore store = open(directory)) {
      for (Map.Entry<Long, byte[]> chunk : forced.entrySet()) {
        Chunks.assertHas(store, chunk.getKey(), chunk.getValue());
      }
    }
  }
}
