/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.container;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hdrf.codec.dedup.container.format.ChunkRef;
import io.hdrf.codec.dedup.container.format.ContainerDirectory;
import io.hdrf.codec.dedup.container.format.ContainerFormat;
import io.hdrf.codec.dedup.container.format.ContainerNames;
import io.hdrf.codec.dedup.container.format.Fingerprinter;
import io.hdrf.io.CrashableFiles;
import io.hdrf.io.ForwardingFile;
import io.hdrf.io.ForwardingFiles;
import io.hdrf.io.InMemory;
import io.hdrf.spi.io.DurableFile;
import io.hdrf.spi.io.DurableFiles;
import io.hdrf.spi.scheme.CorruptFrameException;
import io.hdrf.spi.scheme.FrameChain;
import io.hdrf.spi.scheme.TestSeed;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ContainerStoreTest {

  @TempDir(factory = InMemory.class)
  Path scratch;

  private CrashableFiles files;
  private Path dir;

  @BeforeEach
  void start() throws IOException {
    files = new CrashableFiles(scratch);
    dir = scratch.resolve("containers");
  }

  private ContainerStore open() throws IOException {
    return Chunks.open(dir, files, Chunks.settings());
  }

  private static List<ContainerInfo> list(ContainerStore store) {
    List<ContainerInfo> list = new ArrayList<>();
    store.containers().forEach(list::add);
    return list;
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void whatIsAppendedIsRead(boolean encoded) throws IOException {
    FrameChain tail = encoded ? Chunks.DEFLATE : Chunks.PLAIN;
    Map<Long, byte[]> chunks = new TreeMap<>();
    try (ContainerStore store = open()) {
      try (ChunkAppender appender = store.appender(tail)) {
        for (int i = 0; i < 200; i++) {
          byte[] chunk = Chunks.chunk(i);
          chunks.put(Chunks.append(appender, chunk), chunk);
        }
        appender.force();
        for (Map.Entry<Long, byte[]> entry : chunks.entrySet()) {
          Chunks.assertHas(store, entry.getKey(), entry.getValue());
        }
      }
      assertThat(list(store)).filteredOn(info -> !info.sealed()).hasSize(1);
    }
    try (ContainerStore store = open()) {
      for (Map.Entry<Long, byte[]> entry : chunks.entrySet()) {
        Chunks.assertHas(store, entry.getKey(), entry.getValue());
      }
      List<ContainerInfo> list = list(store);
      assertThat(list.size()).isGreaterThan(2);
      assertThat(list).allMatch(ContainerInfo::sealed);
      assertThat(list.stream().mapToInt(ContainerInfo::chunkCount).sum()).isEqualTo(200);
      assertThat(list.stream().mapToLong(ContainerInfo::originalBytes).sum())
          .isEqualTo(chunks.values().stream().mapToLong(chunk -> chunk.length).sum());
      for (ContainerInfo info : list) {
        assertThat(info.fileBytes())
            .isEqualTo(Files.size(ContainerNames.file(dir, info.id(), ContainerNames.SEALED)));
        assertThat(ContainerVerifier.verify(store, info.id()).problems()).isEmpty();
      }
    }
  }

  /** What lies up to there was told to others by whoever appended it. */
  @Test
  void containersAreSettledOnceTheirAppendersAreClosedAndNoneCanTakeThem() throws IOException {
    try (ContainerStore store = open()) {
      assertThat(store.lastSettled()).isEqualTo(-1);
      ChunkAppender first = store.appender(Chunks.PLAIN);
      long last = 0;
      for (int i = 0; ChunkRef.container(last) < 2; i++) {
        last = Chunks.append(first, Chunks.chunk(i));
      }
      assertThat(store.isSealed(1)).isTrue();
      ChunkAppender second = store.appender(Chunks.PLAIN);
      assertThat(ChunkRef.container(Chunks.append(second, Chunks.chunk(1000)))).isEqualTo(3);
      assertThat(store.lastSettled()).as("one is in use that had all").isEqualTo(-1);
      first.close();
      assertThat(store.lastSettled()).as("another may take the third").isEqualTo(1);
      store.sealIdle(2);
      assertThat(store.lastSettled()).isEqualTo(2);
      second.close();
      assertThat(store.lastSettled()).isEqualTo(2);
      try (ChunkAppender third = store.appender(Chunks.PLAIN)) {
        assertThat(ChunkRef.container(Chunks.append(third, Chunks.chunk(1001)))).isEqualTo(3);
        assertThat(store.lastSettled()).isEqualTo(2);
      }
      store.sealIdle(3);
      assertThat(store.lastSettled()).isEqualTo(3);
    }
  }

  /** Applies to a sealed container in use; one in memory gains nothing. */
  @Test
  void onlyWhatIsOnDiskIsPrefetched() throws IOException {
    long last = 0;
    try (ContainerStore store = Chunks.open(dir, files, Chunks.settings().containerSize(1 << 20))) {
      try (ChunkAppender appender = store.appender(Chunks.DEFLATE)) {
        for (int i = 0; i < 100; i++) {
          last = Chunks.append(appender, Chunks.chunk(i));
        }
        appender.force();
        Chunks.assertHas(store, last, Chunks.chunk(99));
        assertThat(store.prefetch(0, 0, 100)).as("is still open").isFalse();
      }
    }
    assertThat(last).isEqualTo(ChunkRef.pack(0, 99));
    try (ContainerStore store = open()) {
      assertThat(store.prefetch(1, 0, 1)).as("is not there").isFalse();
      assertThat(store.prefetch(0, 0, 100)).as("is not loaded").isFalse();
      Chunks.assertHas(store, ChunkRef.pack(0, 0), Chunks.chunk(0));
      assertThat(store.prefetch(0, 0, 1)).as("is decoded").isFalse();
      assertThat(store.prefetch(0, 0, 100)).isTrue();
      assertThat(store.prefetch(0, 99, 1)).isTrue();
      assertThat(store.prefetch(0, 99, 2)).as("there is no chunk 100").isFalse();
      assertThat(store.prefetch(0, 100, 1)).as("there is no chunk 100").isFalse();
    }
    assertThat(Chunks.openFiles(dir)).isZero();
  }

  @Test
  void whatIsNoChunkIsRefused() throws IOException {
    byte[] fingerprint = new byte[Fingerprinter.LENGTH];
    try (ContainerStore store = open()) {
      ChunkAppender appender = store.appender(Chunks.PLAIN);
      ByteBuffer chunk = ByteBuffer.allocateDirect(1);
      ByteBuffer empty = ByteBuffer.allocateDirect(0);
      ByteBuffer tooLong = ByteBuffer.allocateDirect(ContainerFormat.MAX_CHUNK_LENGTH + 1);
      assertThatThrownBy(() -> appender.append(fingerprint, 0, empty))
          .isInstanceOf(IllegalArgumentException.class);
      assertThatThrownBy(() -> appender.append(fingerprint, 0, tooLong))
          .isInstanceOf(IllegalArgumentException.class);
      for (int offset : new int[] {-1, 1}) {
        assertThatThrownBy(() -> appender.append(fingerprint, offset, chunk))
            .isInstanceOf(IndexOutOfBoundsException.class)
            .hasMessage("fingerprint at " + offset + " of " + Fingerprinter.LENGTH + " bytes");
      }
      assertThat(ChunkRef.number(appender.append(fingerprint, 0, chunk))).isZero();
      appender.close();
      assertThatThrownBy(() -> appender.append(fingerprint, 0, chunk.duplicate().rewind()))
          .isInstanceOf(IOException.class)
          .hasMessage("the appender is closed");
    }
  }

  /** Ids do not start over: blocks may refer to used ones. */
  @Test
  void noContainerIsMadeBehindTheLastId() throws IOException {
    Files.createDirectories(dir);
    Files.createFile(ContainerNames.file(dir, ChunkRef.MAX_CONTAINER - 1, ContainerNames.SEALED));
    try (ContainerStore store = open();
        ChunkAppender last = store.appender(Chunks.PLAIN);
        ChunkAppender none = store.appender(Chunks.PLAIN)) {
      long ref = Chunks.append(last, Chunks.chunk(1));
      assertThat(ChunkRef.container(ref)).isEqualTo(ChunkRef.MAX_CONTAINER);
      assertThatThrownBy(() -> Chunks.append(none, Chunks.chunk(2)))
          .isInstanceOf(IOException.class)
          .hasMessageEndingWith("there are no container ids left");
      last.force();
      Chunks.assertHas(store, ref, Chunks.chunk(1));
    }
  }

  /** Each container that can not be sealed is named, and all are when there is room again. */
  @Test
  void aStoreOnAFullDiskIsClosedWhole() throws IOException {
    FullDisk disk = new FullDisk(files);
    List<Long> refs = new ArrayList<>();
    ContainerStore store = Chunks.open(dir, disk, Chunks.settings());
    List<ChunkAppender> appenders = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      appenders.add(store.appender(Chunks.PLAIN));
      refs.add(Chunks.append(appenders.get(i), Chunks.chunk(i)));
      appenders.get(i).force();
    }
    for (ChunkAppender appender : appenders) {
      appender.close();
    }
    disk.setRoom(0);
    assertThatThrownBy(store::close)
        .isInstanceOf(IOException.class)
        .satisfies(e -> assertThat(e.getSuppressed()).hasSize(2));
    assertThat(Chunks.openFiles(dir)).isZero();
    store.close();
    try (ContainerStore again = open()) {
      for (int i = 0; i < 3; i++) {
        Chunks.assertHas(again, refs.get(i), Chunks.chunk(i));
      }
      assertThat(list(again)).hasSize(3).allMatch(ContainerInfo::sealed);
    }
  }

  /** An interrupt closes the file for all who read it. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aContainerIsReadAfterAReaderWasInterrupted(boolean sealed) throws IOException {
    try (ContainerStore store = open()) {
      ChunkAppender appender = store.appender(Chunks.PLAIN);
      long ref = Chunks.append(appender, Chunks.chunk(1));
      appender.force();
      if (sealed) {
        appender.close();
        assertThat(store.sealIdle(0)).isTrue();
      }
      Chunks.assertHas(store, ref, Chunks.chunk(1));
      Thread.currentThread().interrupt();
      try {
        assertThatThrownBy(() -> Chunks.read(store, ref, 1000))
            .isInstanceOf(ClosedByInterruptException.class);
      } finally {
        assertThat(Thread.interrupted()).isTrue();
      }
      Chunks.assertHas(store, ref, Chunks.chunk(1));
      appender.close();
    }
    assertThat(Chunks.openFiles(dir)).isZero();
  }

  @Test
  void runsAcrossGroups() throws IOException {
    Random random = TestSeed.random("runs");
    try (ContainerStore store = Chunks.open(dir, files, Chunks.settings().containerSize(1 << 20))) {
      List<byte[]> chunks = new ArrayList<>();
      try (ChunkAppender appender = store.appender(Chunks.DEFLATE)) {
        for (int i = 0; i < 300; i++) {
          chunks.add(Chunks.chunk(i));
          Chunks.append(appender, chunks.get(i));
        }
      }
      for (int n = 0; n < 500; n++) {
        int first = random.nextInt(300);
        int count = 1 + random.nextInt(Math.min(300 - first, n % 2 == 0 ? 5 : 300));
        ByteBuffer expected = ByteBuffer.allocateDirect(300_000);
        for (int i = first; i < first + count; i++) {
          expected.put(chunks.get(i));
        }
        expected.flip();
        ByteBuffer dst = ByteBuffer.allocateDirect(expected.remaining() + 10);
        dst.position(7);
        store.read(0, first, count, dst);
        assertThat(dst.position()).isEqualTo(7 + expected.remaining());
        dst.flip().position(7);
        assertThat(dst).isEqualTo(expected);
      }
    }
  }

  @Test
  void longChunksAreGroupsByThemselves() throws IOException {
    int[] lengths = {1, 3_000, 3_001, 50_000, 1, ContainerFormat.MAX_CHUNK_LENGTH, 2};
    try (ContainerStore store = open()) {
      List<Long> refs = new ArrayList<>();
      try (ChunkAppender appender = store.appender(Chunks.PLAIN)) {
        for (int i = 0; i < lengths.length; i++) {
          refs.add(Chunks.append(appender, Chunks.chunk(i, lengths[i])));
        }
        appender.force();
      }
      for (int i = 0; i < lengths.length; i++) {
        Chunks.assertHas(store, refs.get(i), Chunks.chunk(i, lengths[i]));
      }
    }
  }

  @Test
  void refusesWhatIsNoChunk() throws IOException {
    try (ContainerStore store = open();
        ChunkAppender appender = store.appender(Chunks.PLAIN)) {
      assertThatThrownBy(() -> Chunks.append(appender, new byte[0]))
          .isInstanceOf(IllegalArgumentException.class);
      ByteBuffer tooLong = ByteBuffer.allocateDirect(ContainerFormat.MAX_CHUNK_LENGTH + 1);
      assertThatThrownBy(() -> appender.append(new byte[32], 0, tooLong))
          .isInstanceOf(IllegalArgumentException.class);
      assertThatThrownBy(() -> appender.append(new byte[33], 2, Chunks.direct(new byte[1])))
          .isInstanceOf(IndexOutOfBoundsException.class);
    }
  }

  @Test
  void whatIsNotThereIsMissing() throws IOException {
    try (ContainerStore store = open()) {
      long ref;
      try (ChunkAppender appender = store.appender(Chunks.PLAIN)) {
        ref = Chunks.append(appender, Chunks.chunk(1, 10));
        assertThatThrownBy(() -> Chunks.read(store, ref, 10))
            .isInstanceOf(MissingChunkException.class);
        assertThat(store.holds(ref, Chunks.fingerprint(Chunks.chunk(1, 10)), 0)).isFalse();
      }
      ByteBuffer dst = ByteBuffer.allocateDirect(100);
      assertThatThrownBy(() -> store.read(0, 0, 2, dst)).isInstanceOf(MissingChunkException.class);
      assertThatThrownBy(() -> store.read(1, 0, 1, dst))
          .isInstanceOf(MissingChunkException.class)
          .hasMessageContaining("000000000001.hdc");
      assertThat(store.holds(ChunkRef.pack(9, 9), new byte[32], 0)).isFalse();
      assertThat(store.holds(ref, new byte[32], 0)).isFalse();
      assertThatThrownBy(() -> store.read(0, 0, 1, ByteBuffer.allocateDirect(9)))
          .isInstanceOf(CorruptFrameException.class)
          .hasMessageContaining("10 bytes");
    }
  }

  @Test
  void containersGoFromAppenderToAppender() throws IOException {
    try (ContainerStore store = open()) {
      for (int i = 0; i < 5; i++) {
        try (ChunkAppender first = store.appender(Chunks.PLAIN);
            ChunkAppender second = store.appender(Chunks.PLAIN);
            ChunkAppender other = store.appender(Chunks.DEFLATE)) {
          long[] refs = {
            Chunks.append(first, Chunks.chunk(i)),
            Chunks.append(second, Chunks.chunk(i)),
            Chunks.append(other, Chunks.chunk(i))
          };
          assertThat(refs).doesNotHaveDuplicates();
        }
      }
      assertThat(list(store)).hasSize(3).allMatch(info -> info.chunkCount() == 5);
    }
  }

  @Test
  void aContainerIsSealedUnlessAnAppenderHasIt() throws IOException {
    try (ContainerStore store = open()) {
      long container;
      try (ChunkAppender appender = store.appender(Chunks.PLAIN)) {
        container = ChunkRef.container(Chunks.append(appender, Chunks.chunk(1)));
        assertThat(store.sealIdle(container)).isFalse();
      }
      assertThat(list(store)).noneMatch(ContainerInfo::sealed);
      assertThat(store.sealIdle(container)).isTrue();
      assertThat(list(store)).hasSize(1).allMatch(ContainerInfo::sealed);
      assertThat(store.sealIdle(container)).isTrue();
      try (ChunkAppender appender = store.appender(Chunks.PLAIN)) {
        assertThat(ChunkRef.container(Chunks.append(appender, Chunks.chunk(2))))
            .isNotEqualTo(container);
      }
    }
  }

  @Test
  void compactionKeepsWhatItIsTold() throws IOException {
    Random random = TestSeed.random("compaction");
    for (FrameChain tail : List.of(Chunks.PLAIN, Chunks.DEFLATE)) {
      Map<Long, byte[]> chunks = new TreeMap<>();
      try (ContainerStore store = open()) {
        try (ChunkAppender appender = store.appender(tail)) {
          for (int i = 0; i < 150; i++) {
            chunks.put(Chunks.append(appender, Chunks.chunk(i)), Chunks.chunk(i));
          }
        }
      }
      try (ContainerStore store = open()) {
        for (int round = 0; round < 3; round++) {
          for (ContainerInfo info : list(store)) {
            BitSet live = new BitSet();
            ContainerDirectory content = store.directory(info.id());
            for (int i = 0; i < content.chunkCount(); i++) {
              long ref = ChunkRef.pack(info.id(), content.number(i));
              if (!chunks.containsKey(ref)) {
                continue;
              }
              if (i / 10 % 3 == round || random.nextInt(4) > 0) {
                live.set(content.number(i));
              } else {
                byte[] gone = chunks.remove(ref);
                assertThat(store.holds(ref, Chunks.fingerprint(gone), 0)).isTrue();
              }
            }
            CompactionResult result =
                store.compact(info.id(), (listed, whole) -> live, Throttle.NONE);
            assertThat(result.chunksKept()).isEqualTo(live.cardinality());
            assertThat(result.chunksKept() + result.chunksDropped()).isEqualTo(info.chunkCount());
            Path file = ContainerNames.file(dir, info.id(), ContainerNames.SEALED);
            assertThat(Files.exists(file) ? Files.size(file) : 0)
                .isEqualTo(info.fileBytes() - result.bytesFreed());
            for (int i = 0; i < content.chunkCount(); i++) {
              long ref = ChunkRef.pack(info.id(), content.number(i));
              if (chunks.containsKey(ref)) {
                Chunks.assertHas(store, ref, chunks.get(ref));
              } else {
                assertThatThrownBy(() -> Chunks.read(store, ref, 1000))
                    .isInstanceOf(MissingChunkException.class);
              }
            }
            if (Files.exists(file)) {
              assertThat(ContainerVerifier.verify(store, info.id()).problems()).isEmpty();
            }
          }
        }
      }
      try (ContainerStore store = open()) {
        for (Map.Entry<Long, byte[]> entry : chunks.entrySet()) {
          Chunks.assertHas(store, entry.getKey(), entry.getValue());
        }
        for (ContainerInfo info : list(store)) {
          store.compact(info.id(), (listed, whole) -> new BitSet(), Throttle.NONE);
        }
        assertThat(list(store)).hasSize(1).allMatch(info -> info.chunkCount() == 0);
      }
    }
  }

  /** Otherwise data corrupted by memory or disk would replace sound chunks. */
  @Test
  void aCopyThatIsNotWhatWasWrittenReplacesNothing() throws IOException {
    boolean[] flips = {false};
    DurableFiles flipping =
        new ForwardingFiles(files) {
          @Override
          public DurableFile create(Path file) throws IOException {
            return new ForwardingFile(super.create(file)) {
              @Override
              public void write(ByteBuffer src, long position) throws IOException {
                ByteBuffer bytes = ByteBuffer.allocate(src.remaining()).put(src).flip();
                if (flips[0] && bytes.limit() > 500) {
                  bytes.put(250, (byte) ~bytes.get(250));
                }
                super.write(bytes, position);
              }
            };
          }
        };
    try (ContainerStore store = Chunks.open(dir, flipping, Chunks.settings().groupMemory(0))) {
      Map<Long, byte[]> chunks = new TreeMap<>();
      try (ChunkAppender appender = store.appender(Chunks.PLAIN)) {
        for (int i = 0; i < 20; i++) {
          chunks.put(Chunks.append(appender, Chunks.chunk(i)), Chunks.chunk(i));
        }
      }
      long id = ChunkRef.container(chunks.keySet().iterator().next());
      assertThat(store.sealIdle(id)).isTrue();
      BitSet live = store.directory(id).numbers();
      live.clear(0);
      flips[0] = true;
      assertThatThrownBy(() -> store.compact(id, (listed, whole) -> live, Throttle.NONE))
          .isInstanceOf(IOException.class);
      for (Map.Entry<Long, byte[]> chunk : chunks.entrySet()) {
        Chunks.assertHas(store, chunk.getKey(), chunk.getValue());
      }
    }
  }

  /** Not even if the container with the next id, an empty one, was lost with the process. */
  @Test
  void noIdIsGivenOutAgain() throws IOException {
    ContainerStore store = open();
    long used;
    try (ChunkAppender appender = store.appender(Chunks.PLAIN)) {
      used = ChunkRef.container(Chunks.append(appender, Chunks.chunk(1)));
      appender.force();
    }
    assertThat(store.sealIdle(used)).isTrue();
    ChunkAppender next = store.appender(Chunks.PLAIN);
    assertThat(ChunkRef.container(Chunks.append(next, Chunks.chunk(2)))).isGreaterThan(used);
    store.compact(used, (listed, whole) -> new BitSet(), Throttle.NONE);

    Path state = Files.createDirectory(scratch.resolve("state"));
    files.crashedState(state, 1);
    Path found = state.resolve(scratch.relativize(dir));
    try (ContainerStore again = Chunks.open(found, new CrashableFiles(state), Chunks.settings());
        ChunkAppender appender = again.appender(Chunks.PLAIN)) {
      assertThat(ChunkRef.container(Chunks.append(appender, Chunks.chunk(3)))).isGreaterThan(used);
    }
    next.close();
    store.close();
  }

  /** The appender that flushed it can read it; others find it once it is durable. */
  @Test
  void whatIsNotForcedIsNotFound() throws IOException {
    byte[] chunk = Chunks.chunk(1);
    byte[] fingerprint = Chunks.fingerprint(chunk);
    try (ContainerStore store = open();
        ChunkAppender appender = store.appender(Chunks.PLAIN)) {
      long ref = Chunks.append(appender, chunk);
      appender.flush();
      assertThat(Chunks.read(store, ref, chunk.length)).isEqualTo(chunk);
      assertThat(store.holds(ref, fingerprint, 0)).isFalse();
      assertThat(store.directory(ChunkRef.container(ref)).find(fingerprint, 0)).isEqualTo(-1);
      int before = files.operations();
      appender.force();
      assertThat(files.operations()).isEqualTo(before + 1);
      appender.force();
      assertThat(files.operations()).isEqualTo(before + 1);
      assertThat(store.holds(ref, fingerprint, 0)).isTrue();
      assertThat(store.directory(ChunkRef.container(ref)).find(fingerprint, 0)).isZero();
    }
  }

  /** Removing a scheme's jar must not lose the chunks written with it. */
  @Test
  void containersWaitForTheirScheme() throws IOException {
    ContainerStore killed = open();
    long ref;
    try (ChunkAppender appender = killed.appender(Chunks.DEFLATE)) {
      ref = Chunks.append(appender, Chunks.chunk(1));
      appender.force();
    }
    ChainSource none =
        ids -> {
          if (ids.length > 0) {
            throw new IOException("scheme " + ids[0] + " is not installed");
          }
          return Chunks.PLAIN;
        };
    for (int i = 0; i < 2; i++) {
      try (ContainerStore store =
              ContainerStore.open(dir, files, Chunks.settings(), none, Chunks::fingerprint);
          ChunkAppender appender = store.appender(Chunks.PLAIN)) {
        assertThat(ChunkRef.container(Chunks.append(appender, Chunks.chunk(2)))).isEqualTo(i + 1);
        assertThatThrownBy(() -> Chunks.read(store, ref, 1000))
            .isInstanceOf(IOException.class)
            .isNotInstanceOf(CorruptFrameException.class)
            .hasMessageContaining("000000000000.hdc.open")
            .hasMessageContaining("is not installed");
      }
    }
    try (ContainerStore store = open()) {
      Chunks.assertHas(store, ref, Chunks.chunk(1));
      Chunks.assertHas(store, ChunkRef.pack(1, 0), Chunks.chunk(2));
    }
  }

  @Test
  void aThrottleThatEndsTheWorkChangesNothing() throws IOException {
    try (ContainerStore store = open();
        ChunkAppender appender = store.appender(Chunks.DEFLATE)) {
      for (int i = 0; i < 20; i++) {
        Chunks.append(appender, Chunks.chunk(i));
      }
    }
    BitSet live = new BitSet();
    live.set(2, 20);
    byte[] before = Files.readAllBytes(ContainerNames.file(dir, 0, ContainerNames.SEALED));
    try (ContainerStore store = open()) {
      for (int limit = 0; limit < 3; limit++) {
        int[] left = {limit};
        assertThatThrownBy(
                () ->
                    store.compact(
                        0,
                        (listed, whole) -> live,
                        bytes -> {
                          if (left[0]-- == 0) {
                            throw new IOException("stopped");
                          }
                        }))
            .hasMessage("stopped");
        assertThat(Files.readAllBytes(ContainerNames.file(dir, 0, ContainerNames.SEALED)))
            .isEqualTo(before);
        try (var names = Files.list(dir)) {
          assertThat(names).hasSize(1);
        }
      }
      BitSet more = new BitSet();
      more.set(20);
      assertThatThrownBy(() -> store.compact(0, (listed, whole) -> more, Throttle.NONE))
          .isInstanceOf(MissingChunkException.class)
          .hasMessageContaining("chunk 20");
    }
  }
}
