/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.container;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hdrf.codec.dedup.container.format.ChunkRef;
import io.hdrf.codec.dedup.container.format.ContainerDirectory;
import io.hdrf.codec.dedup.container.format.ContainerFooter;
import io.hdrf.codec.dedup.container.format.ContainerFormat;
import io.hdrf.codec.dedup.container.format.ContainerNames;
import io.hdrf.codec.dedup.container.format.GroupHeader;
import io.hdrf.io.InMemory;
import io.hdrf.io.WatchedFileSystem;
import io.hdrf.spi.io.LocalDurableFiles;
import io.hdrf.spi.io.UnknownFormatVersionException;
import io.hdrf.spi.scheme.FrameChain;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Sealed containers are read by their group index, and their directory is left alone. */
class GroupIndexTest {

  private static final int CHUNK = 5 << 10;
  private static final int CHUNKS = 8_000;
  private static final int GROUP = 64 << 10;
  private static final int TAIL = 32 << 10;

  @TempDir(factory = InMemory.class)
  Path scratch;

  private Path dir;
  private Path file;
  private ContainerDirectory content;

  /** Since it was set to 0. */
  private long bytesRead;

  /** From where on nothing is read, up to where. */
  private long directoryStart = -1;

  private long directoryEnd = -1;

  @BeforeEach
  void start() {
    dir = scratch.resolve("containers");
    file = ContainerNames.file(dir, 0, ContainerNames.SEALED);
  }

  private static ContainerSettings settings() {
    return ContainerSettings.of(Chunks.IDENTITY).groupSize(GROUP).groupMemory(1 << 20);
  }

  private void fill(FrameChain tail) throws IOException {
    try (ContainerStore store = Chunks.open(dir, LocalDurableFiles.INSTANCE, settings());
        ChunkAppender appender = store.appender(tail)) {
      for (int i = 0; i < CHUNKS; i++) {
        Chunks.append(appender, Chunks.chunk(i, CHUNK));
      }
    }
    try (ContainerStore store = open()) {
      content = store.directory(0);
    }
  }

  private ContainerStore open() throws IOException {
    return Chunks.open(dir, LocalDurableFiles.INSTANCE, settings());
  }

  private ContainerStore openWatched() throws IOException {
    WatchedFileSystem.Watch watch =
        new WatchedFileSystem.Watch() {
          @Override
          public void opening(Path path) {}

          @Override
          public int reading(Path path, long position, int length) {
            bytesRead += length;
            assertThat(position + length <= directoryStart || position >= directoryEnd)
                .as("%d bytes from %d on are of the directory", length, position)
                .isTrue();
            return length;
          }
        };
    return Chunks.open(
        new WatchedFileSystem(watch).path(dir), LocalDurableFiles.INSTANCE, settings());
  }

  private static void assertReads(ContainerStore store, int first, int count) throws IOException {
    ByteBuffer dst = ByteBuffer.allocateDirect(count * CHUNK);
    store.read(0, first, count, dst);
    dst.flip();
    for (int i = first; i < first + count; i++) {
      byte[] chunk = new byte[CHUNK];
      dst.get(chunk);
      assertThat(chunk).as("chunk %d", i).isEqualTo(Chunks.chunk(i, CHUNK));
    }
  }

  /** 64 KiB somewhere in a container of 40 MB, whose directory has 270 KB. */
  @Test
  void aReadTakesItsGroupsAndTheEndOfTheFile() throws IOException {
    for (FrameChain tail : List.of(Chunks.PLAIN, Chunks.DEFLATE)) {
      fill(tail);
      directoryStart = content.groupEnd(content.groupCount() - 1);
      directoryEnd = Files.size(file) - TAIL;
      assertThat(directoryEnd - directoryStart).isGreaterThan(200_000);
      try (ContainerStore store = openWatched()) {
        bytesRead = 0;
        boolean first = true;
        for (int n = 100; n < CHUNKS - 13; n += 777) {
          long groups = 0;
          for (int g = content.groupOf(n); g <= content.groupOf(n + 12); g++) {
            groups += content.groupLength(g);
          }
          assertReads(store, n, 13);
          assertThat(bytesRead).isLessThanOrEqualTo(groups + (first ? TAIL : 0));
          assertThat(bytesRead).isGreaterThan(first ? TAIL : 0);
          bytesRead = 0;
          first = false;
        }
        assertThat(store.isLoaded(0)).isFalse();
        assertThat(store.loaded.memory()).isLessThan(30 * content.groupCount() + 1000);
      }
      directoryEnd = directoryStart;
      Files.delete(file);
    }
  }

  /** A group that was decoded is found with all that a read needs. */
  @Test
  void aDecodedGroupNeedsNoRead() throws IOException {
    fill(Chunks.DEFLATE);
    try (ContainerStore store = openWatched()) {
      assertReads(store, 4000, 1);
      bytesRead = 0;
      assertReads(store, 4000, 1);
      assertThat(bytesRead).isZero();
    }
  }

  /** Reads push out no directories, nor look-ups what reads need. */
  @Test
  void directoriesAndContainersHaveTheirHalves() throws IOException {
    int containers = 40;
    ContainerSettings small = Chunks.settings().maxChunks(20).maxOpenFiles(100);
    try (ContainerStore store = Chunks.open(dir, LocalDurableFiles.INSTANCE, small);
        ChunkAppender appender = store.appender(Chunks.PLAIN)) {
      for (int i = 0; i < containers * 20; i++) {
        Chunks.append(appender, Chunks.chunk(i, 500));
      }
    }
    long index;
    long directory;
    try (ContainerStore store = Chunks.open(dir, LocalDurableFiles.INSTANCE, small)) {
      Chunks.read(store, 0, 500);
      index = store.loaded.memory();
      directory = store.directory(0).memory();
    }
    ContainerSettings settings = small.directoryMemory(10 * index + 10 * directory);
    try (ContainerStore store = Chunks.open(dir, LocalDurableFiles.INSTANCE, settings)) {
      for (int id = 0; id < 4; id++) {
        store.directory(id);
      }
      for (int id = containers - 1; id >= 4; id--) {
        Chunks.read(store, ChunkRef.pack(id, 0), 500);
      }
      assertThat(store.loaded.memory()).isLessThanOrEqualTo(10 * index + 10 * directory);
      for (int id = 0; id < 4; id++) {
        assertThat(store.isLoaded(id)).isTrue();
        assertThat(store.loaded.contains(id + 4)).isTrue();
      }
      for (int id = 0; id < containers; id++) {
        store.directory(id);
      }
      assertThat(store.loaded.memory()).isLessThanOrEqualTo(10 * index + 10 * directory);
      assertThat(store.isLoaded(0)).isFalse();
      int inMemory = 0;
      for (int id = 0; id < containers; id++) {
        inMemory += store.isLoaded(id) ? 1 : 0;
      }
      assertThat(inMemory).isGreaterThanOrEqualTo(5);
    }
  }

  /** Reads go on by the index; the directory is made again when somebody asks for it. */
  @Test
  void aDamagedDirectoryStopsNoReads() throws IOException {
    fill(Chunks.DEFLATE);
    byte[] bytes = Files.readAllBytes(file);
    directoryStart = content.groupEnd(content.groupCount() - 1);
    bytes[(int) directoryStart + 1000] ^= 1;
    Files.write(file, bytes);
    directoryEnd = Files.size(file) - TAIL;
    try (ContainerStore store = openWatched()) {
      assertReads(store, 3000, 13);
      directoryEnd = directoryStart;
      assertThat(store.holds(3, Chunks.fingerprint(Chunks.chunk(3, CHUNK)), 0)).isTrue();
      mend(store);
      assertThat(Files.readAllBytes(file)).isNotEqualTo(bytes);
      assertThat(ContainerVerifier.verify(store, 0).problems()).isEmpty();
      assertReads(store, 3000, 13);
    }
  }

  @Test
  void aDamagedGroupIndexIsMadeAgain() throws IOException {
    fill(Chunks.DEFLATE);
    byte[] bytes = Files.readAllBytes(file);
    bytes[bytes.length - ContainerFooter.LENGTH - 100] ^= 1;
    Files.write(file, bytes);
    try (ContainerStore store = open()) {
      assertReads(store, 3000, 13);
      mend(store);
      assertThat(Files.readAllBytes(file)).isNotEqualTo(bytes);
      assertThat(ContainerVerifier.verify(store, 0).problems()).isEmpty();
    }
  }

  private static void mend(ContainerStore store) {
    store.mend(0, Throttle.NONE);
    store.mend(TimeUnit.SECONDS.toNanos(RepairQueue.FIRST_SECONDS), Throttle.NONE);
  }

  /** A group of a later build is not damaged. */
  @Test
  void aGroupOfALaterBuildIsNotDamage() throws IOException {
    fill(Chunks.DEFLATE);
    byte[] bytes = Files.readAllBytes(file);
    int group = content.groupOf(3000);
    ByteBuffer later = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    int start = (int) content.groupPosition(group);
    bytes[start + 37] |= 8;
    int crc = ContainerFormat.crc(later, start, start + 40);
    int end = start + content.headerLength(group);
    later.putInt(
        start + 40, ContainerFormat.crc(crc, later, start + GroupHeader.FIXED_LENGTH, end));
    Files.write(file, bytes);
    long ref = ChunkRef.pack(0, 3000);
    try (ContainerStore store = open()) {
      assertThatThrownBy(() -> Chunks.read(store, ref, CHUNK))
          .isInstanceOf(UnknownFormatVersionException.class)
          .hasMessageContaining(file.toString())
          .hasMessageContaining("flags 0x8");
      assertThat(store.isBad(ref)).isFalse();
      assertReads(store, content.firstChunk(group) - 13, 13);
      BitSet live = content.numbers();
      live.clear(7);
      assertThatThrownBy(() -> store.compact(0, (found, whole) -> live, Throttle.NONE))
          .isInstanceOf(UnknownFormatVersionException.class);
    }
    assertThat(file).hasBinaryContent(bytes);
    // Nor is a container with such a group sealed without it.
    Path open = ContainerNames.file(dir, 0, ContainerNames.OPEN);
    Files.move(file, open);
    try (ContainerStore store = open()) {
      assertThatThrownBy(() -> Chunks.read(store, ref, CHUNK))
          .isInstanceOf(UnknownFormatVersionException.class)
          .hasMessageContaining(open.toString());
    }
    assertThat(open).hasBinaryContent(bytes);
  }
}
