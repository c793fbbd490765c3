/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.container;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hdrf.codec.dedup.container.format.ChunkRef;
import io.hdrf.codec.dedup.container.format.ContainerDirectory;
import io.hdrf.codec.dedup.container.format.ContainerNames;
import io.hdrf.io.InMemory;
import io.hdrf.spi.io.LocalDurableFiles;
import io.hdrf.spi.scheme.CorruptFrameException;
import io.hdrf.spi.scheme.TestSeed;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Containers of version 1 in a store that writes version 2. */
class VersionOneTest {

  private static final List<GoldenContainers> ALL =
      List.of(GoldenContainers.CONSECUTIVE, GoldenContainers.WITH_GAPS, GoldenContainers.ENCODED);

  @TempDir(factory = InMemory.class)
  Path scratch;

  private final Random random = TestSeed.random("containers of version 1");
  private Path dir;

  @BeforeEach
  void start() throws IOException {
    dir = Files.createDirectory(scratch.resolve("containers"));
  }

  private ContainerStore open() throws IOException {
    return Chunks.open(
        dir, LocalDurableFiles.INSTANCE, Chunks.settings().groupSize(600).groupMemory(0));
  }

  private Path file(long id) {
    return ContainerNames.file(dir, id, ContainerNames.SEALED);
  }

  private static int version(Path file) throws IOException {
    return Files.readAllBytes(file)[4];
  }

  private static BitSet readable(ContainerStore store, GoldenContainers golden) throws IOException {
    BitSet readable = new BitSet();
    for (int i = 0; i < golden.numbers.length; i++) {
      byte[] chunk = golden.chunk(i);
      try {
        assertThat(Chunks.read(store, ChunkRef.pack(golden.id, golden.numbers[i]), chunk.length))
            .isEqualTo(chunk);
        readable.set(golden.numbers[i]);
      } catch (CorruptFrameException | MissingChunkException e) {
        assertThat(e).hasMessageContaining(store.file(golden.id).toString());
      }
    }
    return readable;
  }

  private static BitSet allBut(GoldenContainers golden, int index) {
    BitSet live = new BitSet();
    for (int number : golden.numbers) {
      live.set(number);
    }
    live.clear(golden.numbers[index]);
    return live;
  }

  @Test
  void stayAsTheyAreUntilTheyAreRewritten() throws IOException {
    for (GoldenContainers golden : ALL) {
      byte[] bytes = golden.read(1);
      Files.write(file(golden.id), bytes);
      try (ContainerStore store = open()) {
        long ref;
        try (ChunkAppender appender = store.appender(Chunks.DEFLATE)) {
          ref = Chunks.append(appender, Chunks.chunk(1));
          appender.force();
        }
        assertThat(store.sealIdle(ChunkRef.container(ref))).isTrue();
        assertThat(version(file(ChunkRef.container(ref)))).isEqualTo(2);
        Chunks.assertHas(store, ref, Chunks.chunk(1));
        BitSet all = readable(store, golden);
        assertThat(all.cardinality()).isEqualTo(golden.numbers.length);
        store.compact(golden.id, (content, whole) -> content.numbers(), Throttle.NONE);
        assertThat(file(golden.id)).hasBinaryContent(bytes);

        BitSet live = allBut(golden, 4);
        store.compact(golden.id, (content, whole) -> live, Throttle.NONE);
        assertThat(version(file(golden.id))).isEqualTo(2);
        assertThat(readable(store, golden)).isEqualTo(live);
        assertThat(ContainerVerifier.verify(store, golden.id).problems()).isEmpty();
      }
      Files.delete(file(golden.id));
    }
  }

  /** What is damaged stays so, and nothing else becomes it. */
  @Test
  void damageStaysWhatItIsInANewContainer() throws IOException {
    for (GoldenContainers golden : ALL) {
      byte[] good = golden.read(1);
      for (int position = 64; position < good.length; position += 1 + random.nextInt(9)) {
        byte[] bad = good.clone();
        bad[position] ^= (byte) (1 << random.nextInt(8));
        Files.write(file(golden.id), bad);
        BitSet live = allBut(golden, random.nextInt(golden.numbers.length));
        BitSet before;
        try (ContainerStore store = open()) {
          before = readable(store, golden);
          before.and(live);
          store.compact(
              golden.id, (content, whole) -> keep(live, content.numbers()), Throttle.NONE);
          assertThat(version(file(golden.id))).isEqualTo(2);
          BitSet after = readable(store, golden);
          after.and(live);
          assertThat(after).as("byte %d of %s", position, golden).isEqualTo(before);
        }
        try (ContainerStore store = open()) {
          BitSet after = readable(store, golden);
          after.and(live);
          assertThat(after).as("byte %d of %s, opened again", position, golden).isEqualTo(before);
        }
      }
      Files.delete(file(golden.id));
    }
  }

  /** What is damaged must not seem to be a group that no scheme can decode. */
  @Test
  void aLostGroupDoesNotCostTheOthersLater() throws IOException {
    byte[][] chunks = new byte[15][1000];
    try (ContainerStore store = open();
        ChunkAppender appender = store.appender(Chunks.DEFLATE)) {
      for (int i = 0; i < chunks.length; i++) {
        if (i == 5) {
          Arrays.fill(chunks[i], (byte) 1);
        } else {
          random.nextBytes(chunks[i]);
        }
        Chunks.append(appender, chunks[i]);
      }
    }
    VersionOneFiles.replace(file(0));
    ContainerDirectory content;
    try (ContainerStore store = open()) {
      content = store.directory(0);
    }
    assertThat(content.groupCount()).isEqualTo(chunks.length);
    for (int g = 0; g < content.groupCount(); g++) {
      assertThat(content.stages(g)).isEqualTo(g == 5 ? 1 : 0);
    }
    byte[] bytes = Files.readAllBytes(file(0));
    Arrays.fill(bytes, (int) content.groupPosition(5), (int) content.groupEnd(5) - 1, (byte) 0);
    Files.write(file(0), bytes);
    try (ContainerStore store = open()) {
      store.compact(0, (found, whole) -> keep(found.numbers(), numbers(14)), Throttle.NONE);
    }
    bytes = Files.readAllBytes(file(0));
    assertThat(bytes[4]).isEqualTo((byte) 2);
    bytes[bytes.length - 20] ^= 1;
    Files.write(file(0), bytes);
    try (ContainerStore store = open()) {
      for (int i = 0; i < 14; i++) {
        if (i != 5) {
          assertThat(Chunks.read(store, i, 1000)).isEqualTo(chunks[i]);
        }
      }
      assertThatThrownBy(() -> Chunks.read(store, 5, 1000))
          .isInstanceOf(CorruptFrameException.class);
    }
  }

  private static BitSet numbers(int end) {
    BitSet numbers = new BitSet();
    numbers.set(0, end);
    return numbers;
  }

  private static BitSet keep(BitSet live, BitSet found) {
    BitSet both = (BitSet) live.clone();
    both.and(found);
    return both;
  }
}
