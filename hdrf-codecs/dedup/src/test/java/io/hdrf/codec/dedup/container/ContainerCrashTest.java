/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.container;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hdrf.codec.dedup.container.format.ChunkRef;
import io.hdrf.codec.dedup.container.format.ContainerDirectory;
import io.hdrf.io.CrashException;
import io.hdrf.io.CrashableFiles;
import io.hdrf.io.ForwardingFiles;
import io.hdrf.io.InMemory;
import io.hdrf.io.PowerLoss;
import io.hdrf.spi.scheme.FrameChain;
import io.hdrf.spi.scheme.TestSeed;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The content of a store after power losses, kills and failing operations. */
class ContainerCrashTest {

  private static final int STATES = 6;

  @TempDir(factory = InMemory.class)
  Path scratch;

  /** The chunks on which a process may rely. */
  private static final class Ledger {
    final Map<Long, byte[]> forced = new TreeMap<>();
    final Map<Long, byte[]> appended = new TreeMap<>();

    void append(ChunkAppender appender, long number) throws IOException {
      byte[] chunk = Chunks.chunk(number);
      appended.put(Chunks.append(appender, chunk), chunk);
    }

    void force(ChunkAppender appender) throws IOException {
      Map<Long, byte[]> before = new HashMap<>(appended);
      appender.force();
      forced.putAll(before);
    }

    /** Nothing forced is lost; what was not forced is right or missing. */
    void check(ContainerStore store) throws IOException {
      for (Map.Entry<Long, byte[]> chunk : forced.entrySet()) {
        Chunks.assertHas(store, chunk.getKey(), chunk.getValue());
      }
      for (Map.Entry<Long, byte[]> chunk : appended.entrySet()) {
        try {
          assertThat(Chunks.read(store, chunk.getKey(), chunk.getValue().length))
              .isEqualTo(chunk.getValue());
        } catch (MissingChunkException e) {
          assertThat(forced).doesNotContainKey(chunk.getKey());
        }
      }
    }
  }

  private static Path containers(Path directory) {
    return directory.resolve("containers");
  }

  private static ContainerStore open(Path directory, CrashableFiles files) throws IOException {
    return Chunks.open(
        containers(directory),
        files,
        Chunks.settings().containerSize(6_000).groupSize(1_500).groupMemory(0));
  }

  @Test
  void appendForceAndSealSurvivePowerLoss() throws Exception {
    for (FrameChain tail : List.of(Chunks.PLAIN, Chunks.DEFLATE)) {
      Ledger[] ledger = new Ledger[1];
      PowerLoss.everywhere(
          scratch,
          TestSeed.random("append", tail).nextLong(),
          STATES,
          directory -> {},
          (directory, files) -> {
            ledger[0] = new Ledger();
            try (ContainerStore store = open(directory, files);
                ChunkAppender appender = store.appender(tail)) {
              for (int i = 0; i < 20; i++) {
                ledger[0].append(appender, i);
                if (i % 4 == 3) {
                  ledger[0].force(appender);
                }
              }
            }
            ledger[0].forced.putAll(ledger[0].appended);
          },
          (directory, finished) -> checkTwice(directory, ledger[0]));
    }
  }

  /** Opening repairs; the second opening must find the same. */
  private static void checkTwice(Path directory, Ledger ledger) throws IOException {
    for (int i = 0; i < 2; i++) {
      CrashableFiles files = new CrashableFiles(directory);
      try (ContainerStore store = open(directory, files)) {
        ledger.check(store);
        long next = -1;
        for (ContainerInfo info : store.containers()) {
          // A torn group may look like a damaged one; then the file stays until nobody needs it.
          assertThat(info.sealed() || store.sealIdle(info.id())).isTrue();
          assertThat(info.problem()).isNull();
          assertThat(ContainerVerifier.verify(store, info.id()).problems()).isEmpty();
          next = info.id();
        }
        if (i == 1) {
          try (ChunkAppender appender = store.appender(Chunks.PLAIN)) {
            long ref = Chunks.append(appender, Chunks.chunk(7777));
            assertThat(ChunkRef.container(ref)).isGreaterThan(next);
            appender.force();
            Chunks.assertHas(store, ref, Chunks.chunk(7777));
          }
        }
      }
    }
  }

  @Test
  void recoverySurvivesPowerLoss() throws Exception {
    Ledger ledger = new Ledger();
    PowerLoss.everywhere(
        scratch,
        TestSeed.random("recovery").nextLong(),
        STATES,
        directory -> {
          ledger.appended.clear();
          ledger.forced.clear();
          CrashableFiles files = new CrashableFiles(directory);
          ContainerStore store = open(directory, files);
          ChunkAppender appender = store.appender(Chunks.DEFLATE);
          for (int i = 0; i < 25; i++) {
            ledger.append(appender, i);
          }
          ledger.force(appender);
          ChunkAppender second = store.appender(Chunks.PLAIN);
          ledger.append(second, 99);
          ledger.force(second);
        },
        (directory, files) -> open(directory, files).close(),
        (directory, finished) -> checkTwice(directory, ledger));
  }

  /** Chunks that open() found must not vanish, even if a killed process left them unsynced. */
  @Test
  void whatIsFoundAfterAKillIsDurable() throws Exception {
    for (int killed = 1; killed < 60; killed++) {
      Path directory = Files.createTempDirectory(scratch, "killed");
      CrashableFiles disk = new CrashableFiles(directory);
      disk.failFrom(killed, "killed");
      Ledger ledger = new Ledger();
      try {
        ContainerStore store = open(directory, disk);
        ChunkAppender appender = store.appender(Chunks.DEFLATE);
        for (int i = 0; i < 40; i++) {
          ledger.append(appender, i);
        }
        appender.flush();
      } catch (IOException e) {
        assertThat(e).hasMessageContaining("killed");
      }
      disk.failFrom(disk.operations() + 1 + killed * 7 % 17, "killed");
      try {
        open(directory, disk).close();
      } catch (IOException e) {
        assertThat(e).hasMessageContaining("killed");
      }
      disk.failAt(-1, "");
      Map<Long, byte[]> found = new TreeMap<>();
      try (ContainerStore store = open(directory, disk)) {
        for (Map.Entry<Long, byte[]> chunk : ledger.appended.entrySet()) {
          if (store.holds(chunk.getKey(), Chunks.fingerprint(chunk.getValue()), 0)) {
            found.put(chunk.getKey(), chunk.getValue());
          }
        }
      }
      for (int seed = 0; seed < 5; seed++) {
        Path state = Files.createTempDirectory(scratch, "state");
        disk.crashedState(state, seed);
        try (ContainerStore store = open(state, new CrashableFiles(state))) {
          for (Map.Entry<Long, byte[]> chunk : found.entrySet()) {
            Chunks.assertHas(store, chunk.getKey(), chunk.getValue());
          }
        }
      }
    }
  }

  @Test
  void compactionSurvivesPowerLoss() throws Exception {
    for (int variant = 0; variant < 3; variant++) {
      Map<Long, byte[]> all = new TreeMap<>();
      List<BitSet> live = new ArrayList<>();
      Random random = TestSeed.random("live", variant);
      for (int id = 0; id < 20; id++) {
        BitSet numbers = new BitSet();
        for (int n = 0; variant < 2 && n < 100; n++) {
          numbers.set(n, variant == 0 ? n / 5 % 2 == 0 : random.nextInt(3) > 0);
        }
        live.add(numbers);
      }
      PowerLoss.everywhere(
          scratch,
          TestSeed.random("compact", variant).nextLong(),
          STATES,
          directory -> {
            all.clear();
            try (ContainerStore store = open(directory, new CrashableFiles(directory));
                ChunkAppender appender = store.appender(Chunks.DEFLATE)) {
              for (int i = 0; i < 30; i++) {
                all.put(Chunks.append(appender, Chunks.chunk(i)), Chunks.chunk(i));
              }
            }
          },
          (directory, files) -> {
            try (ContainerStore store = open(directory, files)) {
              for (ContainerInfo info : store.containers()) {
                store.compact(
                    info.id(), (listed, whole) -> liveIn(store, info.id(), live), Throttle.NONE);
              }
            }
          },
          (directory, finished) -> {
            try (ContainerStore store = open(directory, new CrashableFiles(directory))) {
              for (Map.Entry<Long, byte[]> chunk : all.entrySet()) {
                long ref = chunk.getKey();
                if (live.get((int) ChunkRef.container(ref)).get(ChunkRef.number(ref))) {
                  Chunks.assertHas(store, ref, chunk.getValue());
                } else if (finished) {
                  assertThatThrownBy(() -> Chunks.read(store, ref, 1000))
                      .isInstanceOf(MissingChunkException.class);
                }
              }
              for (ContainerInfo info : store.containers()) {
                assertThat(ContainerVerifier.verify(store, info.id()).problems()).isEmpty();
              }
            }
          });
    }
  }

  private static BitSet liveIn(ContainerStore store, long container, List<BitSet> live)
      throws IOException {
    BitSet numbers = new BitSet();
    ContainerDirectory content = store.directory(container);
    for (int i = 0; i < content.chunkCount(); i++) {
      if (live.get((int) container).get(content.number(i))) {
        numbers.set(content.number(i));
      }
    }
    return numbers;
  }

  /** The life of a store: all operations in turn; at random moments the power fails. */
  @Test
  void fiftyRoundsOfRandomMoments() throws Exception {
    Random random = TestSeed.random("rounds");
    Path directory = Files.createTempDirectory(scratch, "life");
    Map<Long, Long> live = new TreeMap<>();
    for (int round = 0; round < 50; round++) {
      CrashableFiles files = new CrashableFiles(directory);
      files.crash(CrashableFiles.Moment.values()[random.nextInt(3)], 1 + random.nextInt(120));
      StoreLife life =
          new StoreLife(
              containers(directory), files, live, round * 1_000_000L, random, witness(live));
      try {
        life.begin();
        while (round % 5 > 0 || random.nextInt(20) > 0) {
          life.act();
        }
        life.end();
      } catch (CrashException e) {
        assertThat(files.hasCrashed()).isTrue();
      }
      Path next = Files.createTempDirectory(scratch, "life");
      files.crashedState(next, random.nextInt(8) == 0 ? random.nextInt(4) : random.nextLong());
      PowerLoss.delete(directory);
      directory = next;
      StoreLife.check(containers(directory), new CrashableFiles(directory), live);
    }
    assertThat(live).isNotEmpty();
  }

  private static StoreLife.Witness witness(Map<Long, Long> live) {
    return new StoreLife.Witness() {
      @Override
      public void forced(long ref, long number) {
        live.put(ref, number);
      }

      @Override
      public void dropping(long ref) {
        live.remove(ref);
      }
    };
  }

  /** A failing operation is reported, and nothing that was forced is lost by it or after it. */
  @Test
  void failingOperations() throws Exception {
    Random random = TestSeed.random("failing");
    for (int failing = 1; failing < 70; failing++) {
      boolean forEver = failing % 3 == 0;
      Path directory = Files.createTempDirectory(scratch, "failing");
      CrashableFiles files = new CrashableFiles(directory);
      Ledger ledger = new Ledger();
      ContainerStore store = open(directory, files);
      if (forEver) {
        files.failFrom(files.operations() + failing, "No space left on device");
      } else {
        files.failAt(files.operations() + failing, "No space left on device");
      }
      ChunkAppender appender = store.appender(Chunks.DEFLATE);
      for (int i = 0; i < 60; i++) {
        try {
          ledger.append(appender, i);
          if (random.nextInt(5) == 0) {
            ledger.force(appender);
          }
        } catch (IOException e) {
          assertThat(e).hasMessageContaining("No space left on device");
          ledger.appended.keySet().retainAll(ledger.forced.keySet());
          try {
            appender.close();
          } catch (IOException again) {
            assertThat(again).hasMessageContaining("No space left on device");
          }
          appender = store.appender(Chunks.DEFLATE);
        }
      }
      for (Map.Entry<Long, byte[]> chunk : ledger.forced.entrySet()) {
        Chunks.assertHas(store, chunk.getKey(), chunk.getValue());
      }
      for (int seed = 0; seed < STATES; seed++) {
        Path state = Files.createTempDirectory(scratch, "state");
        files.crashedState(state, seed);
        try (ContainerStore again = open(state, new CrashableFiles(state))) {
          ledger.check(again);
        } catch (IOException | AssertionError e) {
          throw new AssertionError("operation " + failing + ", seed " + seed + files.log(), e);
        }
        PowerLoss.delete(state);
      }
    }
  }

  /** A container that can't be forced is written again, without an error for the caller. */
  @Test
  void aFailedForceIsMadeGood() throws Exception {
    Path directory = Files.createTempDirectory(scratch, "force");
    CrashableFiles files = new CrashableFiles(directory);
    Ledger ledger = new Ledger();
    ContainerStore store = open(directory, files);
    ChunkAppender appender = store.appender(Chunks.DEFLATE);
    ledger.append(appender, 1);
    appender.flush();
    files.failAt(files.operations() + 1, "Input/output error");
    ledger.force(appender);
    assertThat(files.log()).anyMatch(operation -> operation.startsWith("rename"));
    ledger.append(appender, 2);
    ledger.force(appender);
    Path state = Files.createTempDirectory(scratch, "state");
    files.crashedState(state, 0);
    checkTwice(state, ledger);
  }

  /** Where the copy fails too, what was forced before stays, and the rest is never found. */
  @Test
  void whatCouldNotBeForcedIsNeverFound() throws Exception {
    Path directory = Files.createTempDirectory(scratch, "force");
    CrashableFiles files = new CrashableFiles(directory);
    Ledger ledger = new Ledger();
    ContainerStore store = open(directory, files);
    ChunkAppender appender = store.appender(Chunks.DEFLATE);
    ledger.append(appender, 1);
    ledger.force(appender);
    long lost = Chunks.append(appender, Chunks.chunk(2));
    appender.flush();
    files.failFrom(files.operations() + 1, "Input/output error");
    assertThatThrownBy(appender::force).hasMessageContaining("Input/output error");
    appender.close();
    assertThatThrownBy(appender::force).isInstanceOf(IOException.class);
    files.failAt(-1, "");
    store.mend(0, Throttle.NONE);
    store.mend(TimeUnit.SECONDS.toNanos(RepairQueue.FIRST_SECONDS), Throttle.NONE);
    try (ChunkAppender next = store.appender(Chunks.DEFLATE)) {
      ledger.append(next, 3);
      ledger.force(next);
    }
    for (Map.Entry<Long, byte[]> chunk : ledger.forced.entrySet()) {
      Chunks.assertHas(store, chunk.getKey(), chunk.getValue());
    }
    assertThat(store.holds(lost, Chunks.fingerprint(Chunks.chunk(2)), 0)).isFalse();
    Path state = Files.createTempDirectory(scratch, "state");
    files.crashedState(state, 0);
    checkTwice(state, ledger);
  }

  /** Sealed, though its name could not be forced: it is not tried again and again. */
  @Test
  void whatWasSealedIsNotMended() throws Exception {
    boolean[] failing = {false};
    ForwardingFiles files =
        new ForwardingFiles(new CrashableFiles(scratch)) {
          @Override
          public void forceDirectory(Path directory) throws IOException {
            if (failing[0]) {
              throw new IOException("Input/output error");
            }
            super.forceDirectory(directory);
          }
        };
    ContainerContext context =
        new ContainerContext(scratch, files, Chunks.settings(), Chunks::chain, Chunks::fingerprint);
    ConcurrentSkipListMap<Long, Container> containers = new ConcurrentSkipListMap<>();
    try (OpenContainers appended = new OpenContainers(context, containers)) {
      try (ChunkAppender appender = new ChunkAppender(appended, Chunks.PLAIN, 1_000)) {
        Chunks.append(appender, Chunks.chunk(1));
        appender.force();
      }
      failing[0] = true;
      assertThatThrownBy(() -> appended.seal(containers.get(0L).open()))
          .hasMessageContaining("Input/output error");
      assertThat(appended.unsealed()).isEmpty();
    }
  }
}
