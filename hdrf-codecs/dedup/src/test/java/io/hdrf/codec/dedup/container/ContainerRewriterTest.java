/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.container;

import static org.assertj.core.api.Assertions.assertThat;

import io.hdrf.codec.dedup.container.format.ChunkRef;
import io.hdrf.codec.dedup.container.format.ContainerDirectory;
import io.hdrf.codec.dedup.container.format.ContainerNames;
import io.hdrf.io.ForwardingFile;
import io.hdrf.io.ForwardingFiles;
import io.hdrf.io.InMemory;
import io.hdrf.spi.io.DurableFile;
import io.hdrf.spi.io.LocalDurableFiles;
import io.hdrf.spi.scheme.FrameChain;
import io.hdrf.spi.scheme.TestSeed;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.BitSet;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ContainerRewriterTest {

  private static final int CHUNKS = 24;

  @TempDir(factory = InMemory.class)
  Path scratch;

  private final Random random = TestSeed.random("container rewriter");
  private final FlippingFiles files = new FlippingFiles();
  private Path dir;
  private Path file;

  /** Changes a byte of files that it creates. */
  private static final class FlippingFiles extends ForwardingFiles {
    private long flipped = -1;

    FlippingFiles() {
      super(LocalDurableFiles.INSTANCE);
    }

    @Override
    public DurableFile create(Path created) throws IOException {
      return new ForwardingFile(super.create(created)) {
        @Override
        public void write(ByteBuffer src, long position) throws IOException {
          ByteBuffer bytes = ByteBuffer.allocate(src.remaining()).put(src).flip();
          int index = (int) (flipped - position);
          if (flipped >= position && index < bytes.limit()) {
            bytes.put(index, (byte) (bytes.get(index) ^ 0x10));
          }
          super.write(bytes, position);
        }
      };
    }
  }

  @BeforeEach
  void start() {
    dir = scratch.resolve("containers");
    file = ContainerNames.file(dir, 0, ContainerNames.SEALED);
  }

  private ContainerStore open() throws IOException {
    return Chunks.open(
        dir, files, Chunks.settings().containerSize(1 << 20).groupSize(600).groupMemory(0));
  }

  private static byte[] chunk(int number) {
    return Chunks.chunk(number, 100 + number);
  }

  private void fill(FrameChain tail) throws IOException {
    try (ContainerStore store = open();
        ChunkAppender appender = store.appender(tail)) {
      for (int i = 0; i < CHUNKS; i++) {
        Chunks.append(appender, chunk(i));
      }
    }
  }

  private static void assertHas(ContainerStore store, BitSet numbers) throws IOException {
    for (int i = numbers.nextSetBit(0); i >= 0; i = numbers.nextSetBit(i + 1)) {
      assertThat(Chunks.read(store, ChunkRef.pack(0, i), CHUNKS + 100)).isEqualTo(chunk(i));
    }
  }

  private static BitSet allBut(int... numbers) {
    BitSet live = new BitSet();
    live.set(0, CHUNKS);
    for (int number : numbers) {
      live.clear(number);
    }
    return live;
  }

  /** Any byte: of the header, a group, the directory or the footer. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aCopyWithAWrongByteReplacesNothing(boolean encoded) throws IOException {
    fill(encoded ? Chunks.DEFLATE : Chunks.PLAIN);
    byte[] sound = Files.readAllBytes(file);
    BitSet live = allBut(0, 7);
    for (int position = 0; position < sound.length; position += 1 + random.nextInt(5)) {
      boolean replaced = false;
      try (ContainerStore store = open()) {
        files.flipped = position;
        store.compact(0, (content, whole) -> live, Throttle.NONE);
        replaced = true;
      } catch (IOException e) {
        assertThat(file).hasBinaryContent(sound);
      } finally {
        files.flipped = -1;
      }
      if (replaced) {
        // Nothing was written there.
        try (ContainerStore store = open()) {
          assertThat(ContainerVerifier.verify(store, 0).problems()).isEmpty();
          assertHas(store, live);
          assertThat(Files.size(file)).isLessThanOrEqualTo(position);
        }
        return;
      }
    }
  }

  private ContainerDirectory content() throws IOException {
    try (ContainerStore store = open()) {
      return store.directory(0);
    }
  }

  private void damage(int chunk) throws IOException {
    ContainerDirectory content = content();
    int group = content.groupOf(chunk);
    byte[] bytes = Files.readAllBytes(file);
    int position = (int) content.groupPosition(group) + content.headerLength(group);
    for (int i = content.firstChunk(group); i < chunk; i++) {
      position += content.length(i);
    }
    bytes[position] ^= 1;
    Files.write(file, bytes);
  }

  /** It can't be made again, and other reads of it may be sound. */
  @Test
  void aGroupWithADamagedChunkThatIsWantedIsKeptAsItIs() throws IOException {
    fill(Chunks.PLAIN);
    damage(8);
    ContainerDirectory before = content();
    BitSet its = new BitSet();
    for (int i = 0; i < CHUNKS; i++) {
      its.set(i, before.groupOf(i) == before.groupOf(8));
    }
    assertThat(its.cardinality()).isBetween(2, CHUNKS - 1);
    int neighbour = its.get(9) ? 9 : 7;
    BitSet live = allBut(0, neighbour);
    try (ContainerStore store = open()) {
      CompactionResult result = store.compact(0, (content, whole) -> live, Throttle.NONE);
      assertThat(result.damagedGroups()).isEqualTo(1);
      for (int i = 0; i < CHUNKS; i++) {
        assertThat(store.isBad(ChunkRef.pack(0, i))).as("chunk " + i).isEqualTo(its.get(i));
      }
      assertHas(store, allBut(0, 8));
    }
  }

  @Test
  void aDamagedChunkThatNobodyWantsGoes() throws IOException {
    fill(Chunks.PLAIN);
    damage(8);
    try (ContainerStore store = open()) {
      CompactionResult result = store.compact(0, (content, whole) -> allBut(8), Throttle.NONE);
      assertThat(result.damagedGroups()).isZero();
      for (int i = 0; i < CHUNKS; i++) {
        assertThat(store.isBad(ChunkRef.pack(0, i))).isFalse();
      }
      assertHas(store, allBut(8));
      assertThat(ContainerVerifier.verify(store, 0).problems()).isEmpty();
    }
  }

  /** The bytes read and written, and those read back to check the write. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void allThatTheDiskDoesIsPaced(boolean encoded) throws IOException {
    fill(encoded ? Chunks.DEFLATE : Chunks.PLAIN);
    ContainerDirectory before = content();
    BitSet live = allBut(CHUNKS - 1);
    for (int i = 0; i < before.endChunk(0); i++) {
      live.clear(i);
    }
    long read = before.storedBytes() - before.groupLength(0);
    long[] paced = {0};
    try (ContainerStore store = open()) {
      CompactionResult result =
          store.compact(0, (content, whole) -> live, bytes -> paced[0] += bytes);
      assertThat(result.bytesRead()).isEqualTo(read);
      assertThat(result.bytesWritten()).isEqualTo(Files.size(file));
      assertThat(paced[0]).isEqualTo(read + 2 * store.directory(0).storedBytes());
    }
  }
}
