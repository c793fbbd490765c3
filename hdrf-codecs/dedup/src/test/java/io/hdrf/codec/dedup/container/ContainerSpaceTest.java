/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.container;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hdrf.codec.dedup.container.format.ContainerNames;
import io.hdrf.io.CrashableFiles;
import io.hdrf.io.InMemory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Stored chunks can be read, whether or not there is room for more. */
class ContainerSpaceTest {

  @TempDir(factory = InMemory.class)
  Path scratch;

  private final Map<Long, byte[]> forced = new TreeMap<>();
  private Path directory;
  private FullDisk disk;
  private long now;

  @BeforeEach
  void start() throws IOException {
    directory = scratch.resolve("containers");
    disk = new FullDisk(new CrashableFiles(scratch));
  }

  private ContainerStore open() throws IOException {
    return Chunks.open(directory, disk, Chunks.settings().groupMemory(0));
  }

  private void fill(ChunkAppender appender, int from, int to) throws IOException {
    Map<Long, byte[]> fresh = new TreeMap<>();
    for (int i = from; i < to; i++) {
      fresh.put(Chunks.append(appender, Chunks.chunk(i)), Chunks.chunk(i));
    }
    appender.force();
    forced.putAll(fresh);
  }

  private void assertHasAll(ContainerStore store) throws IOException {
    for (Map.Entry<Long, byte[]> chunk : forced.entrySet()) {
      Chunks.assertHas(store, chunk.getKey(), chunk.getValue());
    }
  }

  private static List<ContainerInfo> list(ContainerStore store) {
    List<ContainerInfo> list = new ArrayList<>();
    store.containers().forEach(list::add);
    return list;
  }

  private void mendAfter(ContainerStore store, int seconds) {
    now += TimeUnit.SECONDS.toNanos(seconds);
    store.mend(now, Throttle.NONE);
  }

  private long filesThatEnd(String suffix) throws IOException {
    try (Stream<Path> all = Files.list(directory)) {
      return all.filter(file -> file.toString().endsWith(suffix)).count();
    }
  }

  /** Neither after a kill nor in an open container with a torn tail. */
  @Test
  void recoveryNeedsNoSpace() throws IOException {
    ContainerStore killed = open();
    ChunkAppender one = killed.appender(Chunks.DEFLATE);
    fill(one, 0, 10);
    ChunkAppender two = killed.appender(Chunks.PLAIN);
    fill(two, 20, 30);
    Chunks.append(two, Chunks.chunk(31));
    disk.setRoom(20);
    assertThatThrownBy(two::flush).hasMessageContaining("No space");
    disk.setRoom(0);
    for (int i = 0; i < 2; i++) {
      try (ContainerStore store = open()) {
        assertHasAll(store);
        assertThat(list(store)).hasSize(2).allMatch(info -> info.problem() == null);
        mendAfter(store, 1);
        mendAfter(store, 60);
        assertHasAll(store);
        assertThat(filesThatEnd(ContainerNames.OPEN)).isEqualTo(2);
      }
    }
    try (ContainerStore store = open()) {
      disk.setRoom(Long.MAX_VALUE);
      mendAfter(store, 1);
      mendAfter(store, 60);
      assertHasAll(store);
      assertThat(list(store)).hasSize(2).allMatch(ContainerInfo::sealed);
      assertThat(filesThatEnd(ContainerNames.OPEN)).isZero();
      for (ContainerInfo info : list(store)) {
        assertThat(ContainerVerifier.verify(store, info.id()).problems()).isEmpty();
      }
    }
  }

  /** A start with room for a directory alone writes nothing else. */
  @Test
  void recoveryCopiesNothing() throws IOException {
    ContainerStore killed = open();
    fill(killed.appender(Chunks.PLAIN), 0, 20);
    long length = Files.size(ContainerNames.file(directory, 0, ContainerNames.OPEN));
    disk.setRoom(length / 2);
    try (ContainerStore store = open()) {
      assertThat(list(store)).hasSize(1).allMatch(ContainerInfo::sealed);
      assertHasAll(store);
    }
  }

  @Test
  void failedWritesLeaveNothingOpen() throws IOException {
    try (ContainerStore store = open()) {
      try (ChunkAppender appender = store.appender(Chunks.PLAIN)) {
        fill(appender, 0, 10);
      }
      for (int i = 0; i < 30; i++) {
        disk.setRoom(i * 40L);
        ChunkAppender appender = store.appender(i % 2 == 0 ? Chunks.PLAIN : Chunks.DEFLATE);
        try {
          for (int n = 0; n < 30; n++) {
            Chunks.append(appender, Chunks.chunk(100 + n));
          }
          appender.force();
        } catch (IOException e) {
          assertThat(e).hasMessageContaining("No space");
        }
        try {
          appender.close();
        } catch (IOException e) {
          assertThat(e).hasMessageContaining("No space");
        }
      }
      assertThat(disk.refused()).isGreaterThan(20);
      assertHasAll(store);
      assertThat(Chunks.openFiles(directory)).isLessThan(4);
      assertThat(list(store)).hasSizeLessThan(4);
      disk.setRoom(Long.MAX_VALUE);
      mendAfter(store, 1);
      mendAfter(store, 60);
      try (ChunkAppender appender = store.appender(Chunks.PLAIN)) {
        fill(appender, 40, 50);
      }
      assertHasAll(store);
    }
  }

  /** Readers use the copy in memory, and the disk is tried ever more seldom. */
  @Test
  void aDirectoryThatCannotBeMadeAgain() throws IOException {
    try (ContainerStore store = open();
        ChunkAppender appender = store.appender(Chunks.DEFLATE)) {
      fill(appender, 0, 10);
    }
    Path file = ContainerNames.file(directory, 0, ContainerNames.SEALED);
    byte[] bytes = Files.readAllBytes(file);
    bytes[bytes.length - 200] ^= 1;
    Files.write(file, bytes);
    disk.setRoom(0);
    try (ContainerStore store = open()) {
      for (int i = 0; i < 50; i++) {
        assertHasAll(store);
      }
      assertThat(disk.refused()).isZero();
      mendAfter(store, 1);
      mendAfter(store, RepairQueue.FIRST_SECONDS);
      assertThat(disk.refused()).isEqualTo(1);
      mendAfter(store, RepairQueue.FIRST_SECONDS);
      assertThat(disk.refused()).isEqualTo(1);
      for (int i = 0; i < 50; i++) {
        assertHasAll(store);
      }
      mendAfter(store, RepairQueue.FIRST_SECONDS);
      assertThat(disk.refused()).isEqualTo(2);
      disk.setRoom(Long.MAX_VALUE);
      mendAfter(store, RepairQueue.LAST_SECONDS);
      assertThat(ContainerVerifier.verify(store, 0).problems()).isEmpty();
      assertHasAll(store);
    }
    assertThat(Files.readAllBytes(file)).isNotEqualTo(bytes);
  }

  /** One for each attempted block would be many. */
  @Test
  void fullDiskGathersNoFiles() throws IOException {
    try (ContainerStore store = open()) {
      disk.setRoom(0);
      for (int i = 0; i < 50; i++) {
        try (ChunkAppender appender = store.appender(Chunks.PLAIN)) {
          assertThatThrownBy(() -> fill(appender, 0, 1)).hasMessageContaining("No space");
        }
      }
      assertThat(filesThatEnd("")).isZero();
      disk.setRoom(Long.MAX_VALUE);
      try (ChunkAppender appender = store.appender(Chunks.PLAIN)) {
        fill(appender, 0, 1);
      }
      assertHasAll(store);
    }
  }

  /** The others are mended despite an error. */
  @Test
  void oneThatFailsWithAnErrorKeepsNoOthersFromBeingMended() {
    RepairQueue mending = new RepairQueue();
    for (long container = 0; container < 10; container++) {
      mending.want(container);
    }
    int[] attempts = {0};
    for (int i = 0; i < 10; i++) {
      mending.run(
          TimeUnit.SECONDS.toNanos(10L * i),
          container -> {
            if (container < 2) {
              attempts[0]++;
              if (container == 0) {
                throw new LinkageError("a test");
              }
              throw new IllegalStateException("a test");
            }
            return true;
          });
    }
    assertThat(mending.size()).isEqualTo(2);
    // After 10, 30 and 70 seconds.
    assertThat(attempts[0]).isEqualTo(2 * 3);
  }
}
