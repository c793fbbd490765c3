/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hdrf.io.CrashableFiles;
import io.hdrf.io.InMemory;
import io.hdrf.metadata.LateStore;
import io.hdrf.spi.scheme.Pin;
import io.hdrf.spi.scheme.StoredFrame;
import io.hdrf.spi.scheme.TestSeed;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The chunks of a block in place exist after a power loss, whichever block wrote them. */
class DurableRecipeTest {

  private static final int LENGTH = 200_000;
  private static final int STATES = 8;

  @TempDir(factory = InMemory.class)
  Path scratch;

  private final Random random = TestSeed.random("durable");
  private final Configuration conf = new Configuration(false);
  private Path directory;
  private CrashableFiles files;

  @BeforeEach
  void start() throws IOException {
    conf.set("hdrf.dedup.chunk.size", "1k");
    conf.set("hdrf.dedup.frame.size", "16k");
    conf.set("hdrf.dedup.group.size", "8k");
    conf.set("hdrf.dedup.gc.interval", "0");
    directory = Files.createDirectory(scratch.resolve("volume"));
    files = new CrashableFiles(directory);
  }

  private DedupVolume open() throws IOException {
    return new DedupVolume(directory, conf, files, "dedup,deflate", new LateStore("none"));
  }

  private byte[] block() {
    byte[] block = new byte[LENGTH];
    random.nextBytes(block);
    return block;
  }

  private static byte[] join(byte[] first, byte[] second) {
    byte[] joined = Arrays.copyOf(first, first.length + second.length);
    System.arraycopy(second, 0, joined, first.length, second.length);
    return joined;
  }

  private interface Action {
    void run() throws IOException;
  }

  /** Encodes a block; runs an action after some of its frames were emitted. */
  private static List<StoredFrame> encode(DedupVolume volume, byte[] block, Action action)
      throws IOException {
    ByteBuffer rest = ByteBuffer.wrap(block);
    List<StoredFrame> frames = new ArrayList<>();
    volume
        .codec()
        .encode(
            block.length,
            dst -> {
              int count = Math.min(dst.remaining(), rest.remaining());
              dst.put(rest.slice().limit(count));
              rest.position(rest.position() + count);
              return count;
            },
            (originalLength, stages, stored) -> {
              byte[] bytes = new byte[stored.remaining()];
              stored.get(bytes);
              frames.add(new StoredFrame(originalLength, stages, bytes));
              if (frames.size() == LENGTH * 3 / 4 / (16 << 10)) {
                action.run();
              }
            });
    return frames;
  }

  /** The power fails now. */
  private void assertAllIsThere(DedupVolume volume, byte[]... blocks) throws IOException {
    for (int i = 0; i < STATES; i++) {
      long seed = i < 4 ? i : random.nextLong();
      Path state = Files.createTempDirectory(scratch, "state");
      files.crashedState(state, seed);
      try (DedupVolume after =
          new DedupVolume(
              state,
              conf,
              new CrashableFiles(state),
              "dedup,deflate",
              new LateStore("none"),
              volume.blocks())) {
        for (int id = 0; id < blocks.length; id++) {
          if (blocks[id] != null) {
            assertThat(after.get(id, random))
                .as("block %d, seed %d", id, seed)
                .isEqualTo(blocks[id]);
          }
        }
      }
    }
  }

  /** Chunks that are no longer in memory are durable, and may be stored twice. */
  @Test
  void chunksOfALongBlock() throws Exception {
    byte[] half = block();
    byte[] whole = join(half, half);
    try (DedupVolume volume = open()) {
      DedupCodec codec = (DedupCodec) volume.dedup();
      codec.idle.add(codec.newDeduplicator(20));
      volume.put(0, whole, random);
      assertThat(volume.get(0, random)).isEqualTo(whole);
      assertAllIsThere(volume, whole);
    }
  }

  /**
   * Two blocks that share data are reduced at once; the one that is ready first is put in place.
   */
  @Test
  void chunksOfABlockThatIsStillEncoded() throws Exception {
    byte[] known = block();
    byte[] first = block();
    byte[] second = join(known, first);
    try (DedupVolume volume = open()) {
      volume.put(0, known, random);
      try (Pin pin = volume.pin()) {
        encode(
            volume,
            first,
            () -> {
              volume.put(2, second, random);
              assertAllIsThere(volume, known, null, second);
            });
      }
    }
  }

  /** The chunks of an abandoned block lie in a container to which another block then appends. */
  @Test
  void chunksOfABlockThatWasGivenUp() throws Exception {
    byte[] known = block();
    byte[] first = block();
    byte[] second = join(known, first);
    try (DedupVolume volume = open()) {
      volume.put(0, known, random);
      try (Pin pin = volume.pin()) {
        assertThatThrownBy(
                () ->
                    encode(
                        volume,
                        first,
                        () -> {
                          throw new IOException("given up");
                        }))
            .hasMessage("given up");
        encode(
            volume,
            block(),
            () -> {
              volume.put(2, second, random);
              assertAllIsThere(volume, known, null, second);
            });
      }
    }
  }
}
