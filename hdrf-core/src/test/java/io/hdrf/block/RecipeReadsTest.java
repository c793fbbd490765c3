/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.block;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hdrf.io.WatchedFileSystem;
import io.hdrf.spi.io.BufferPool;
import io.hdrf.spi.io.LocalDurableFiles;
import io.hdrf.spi.scheme.StoredPayloads;
import io.hdrf.spi.scheme.UnreadableBlocksException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The movements of the disk that a block's payloads cost. */
class RecipeReadsTest {

  private static final String POOL = "BP-1-127.0.0.1-1";

  @TempDir Path pool;

  private Path directory;

  /** The position of each read, and its end, by file. */
  private final Map<String, List<long[]>> reads = new TreeMap<>();

  /** A file of which the bytes from {@link #badFrom} on can't be read. */
  private String badFile = "";

  private long badFrom;
  private String badness = "Input/output error";

  private final List<Long> counted = new ArrayList<>();
  private final Map<Long, Integer> shown = new TreeMap<>();

  @BeforeEach
  void start() throws IOException {
    directory = Files.createDirectories(pool.resolve("current/finalized/subdir0/subdir0"));
  }

  /** Writes a block of frames of 10 000 bytes, of which some are stored as they are. */
  private Path write(long id, int asTheyAre) throws IOException {
    Path path = directory.resolve("blk_" + id);
    int[] lengths = new int[asTheyAre + 5];
    Arrays.fill(lengths, 10_000);
    int[] stages = new int[lengths.length];
    Arrays.fill(stages, asTheyAre, stages.length, 1);
    new TestBlock(lengths, new Random(id).longs(lengths.length).toArray(), stages)
        .write(LocalDurableFiles.INSTANCE, path, new BlockRef(POOL, id), TestBlock.KEY);
    return path;
  }

  private StoredPayloads payloads() {
    return payloads(0);
  }

  /**
   * @param aheadMillis how far the clock is ahead of the times of files
   */
  private StoredPayloads payloads(long aheadMillis) {
    Path watched =
        new WatchedFileSystem(
                new WatchedFileSystem.Watch() {
                  @Override
                  public void opening(Path path) {}

                  @Override
                  public int reading(Path path, long position, int length) throws IOException {
                    String name = path.getFileName().toString();
                    if (name.equals(badFile) && position >= badFrom) {
                      throw new IOException(badness);
                    }
                    if (name.equals(badFile) && position + length > badFrom) {
                      // As the kernel does: the error comes with the next read.
                      return (int) (badFrom - position);
                    }
                    if (name.startsWith("blk_")) {
                      reads
                          .computeIfAbsent(name, any -> new ArrayList<>())
                          .add(new long[] {position, position + length});
                    }
                    return length;
                  }
                })
            .path(pool);
    return new StoredBlocks(
            watched,
            watched.resolve("hdrf"),
            POOL,
            TestBlock.KEY,
            (path, file) -> false,
            LocalDurableFiles.INSTANCE,
            (file, id, why) -> {})
        .payloads(ToyFrames.CHAIN[0], () -> System.currentTimeMillis() + aheadMillis);
  }

  private final class Shown implements StoredPayloads.Visitor {
    @Override
    public void frame(long blockId, int originalLength, ByteBuffer payload) {
      shown.merge(blockId, 1, Integer::sum);
    }

    @Override
    public void fileRead(long bytes) {
      counted.add(bytes);
    }
  }

  /** Reads that do not begin where the one before ended. */
  private long movements(String name) {
    long at = -1;
    long movements = 0;
    for (long[] read : reads.get(name)) {
      movements += read[0] == at ? 0 : 1;
      at = read[1];
    }
    return movements;
  }

  @Test
  void aFewFramesCostOneRead() throws IOException {
    write(1, 0);
    payloads().forEachKnown(new Shown());
    assertThat(shown).containsEntry(1L, 5);
    assertThat(reads.get("blk_1")).hasSize(1);
    assertThat(counted).hasSize(1);
    assertThat(counted.get(0)).isBetween(1L, (long) FileHead.FIRST_READ);
  }

  /** At 20 TB they are a few GB. */
  @Test
  void filesWithWhatIsKnownAreCounted() throws IOException {
    write(1, 0);
    write(2, 0);
    StoredPayloads payloads = payloads(TimeUnit.MINUTES.toMillis(1));
    payloads.forEachKnown(new Shown());
    assertThat(counted).hasSize(2);
    counted.clear();
    shown.clear();
    payloads.forEachKnown(new Shown(), false);
    assertThat(shown).containsOnlyKeys(1L, 2L);
    Path known;
    try (Stream<Path> files = Files.walk(pool.resolve("hdrf"))) {
      known = files.filter(Files::isRegularFile).findFirst().orElseThrow();
    }
    assertThat(counted).containsExactly(Files.size(known));
  }

  /** As whoever has to end while it waits. */
  @Test
  void whoCountsWhatIsKnownCanEndIt() throws IOException {
    write(1, 0);
    StoredPayloads payloads = payloads(TimeUnit.MINUTES.toMillis(1));
    payloads.forEachKnown(new Shown());
    shown.clear();
    assertThatThrownBy(() -> payloads.forEachKnown(impatient(), false))
        .isInstanceOf(InterruptedIOException.class);
    assertThat(shown).isEmpty();
  }

  @Test
  void moreFramesCostOneMovement() throws IOException {
    Path file = write(2, 3);
    payloads().forEach(new Shown());
    assertThat(shown).containsEntry(2L, 8);
    assertThat(reads.get("blk_2")).hasSize(2);
    assertThat(movements("blk_2")).isOne();
    assertThat(counted).hasSize(1);
    assertThat(counted.get(0)).isBetween((long) FileHead.FIRST_READ, Files.size(file));
  }

  @Test
  void framesThatAreTooLongAreShownToo() throws IOException {
    write(3, 9);
    payloads().forEach(new Shown());
    assertThat(shown).containsEntry(3L, 14);
    assertThat(counted.get(0)).isGreaterThan(FileHead.MAX_LENGTH);
  }

  @Test
  void plainBlocksCostOneReadThatIsCounted() throws IOException {
    Files.write(directory.resolve("blk_4"), new byte[100_000]);
    payloads().forEach(new Shown());
    assertThat(shown).isEmpty();
    assertThat(reads.get("blk_4")).hasSize(1);
    assertThat(counted).containsExactly((long) FileHead.FIRST_READ);
  }

  /** Only a header's length of a plain block is needed. */
  @Test
  void badSectorsOfPlainBlocksAreNotNeeded() throws IOException {
    Files.write(directory.resolve("blk_5"), new byte[100_000]);
    write(6, 0);
    badFile = "blk_5";
    badFrom = 4096;
    payloads().forEachKnown(new Shown());
    assertThat(shown).containsOnlyKeys(6L);
    assertThat(counted).contains(4096L);
  }

  @Test
  void badSectorsOfHeadersAndRecipesAreFound() throws IOException {
    write(6, 3);
    badFile = "blk_6";
    badFrom = 4096;
    assertThatThrownBy(() -> payloads().forEach(new Shown()))
        .isInstanceOf(UnreadableBlocksException.class)
        .hasMessageContaining("Input/output error");
    badFrom = 0;
    assertThatThrownBy(() -> payloads().forEach(new Shown()))
        .isInstanceOf(UnreadableBlocksException.class)
        .hasMessageContaining("Input/output error");
  }

  @Test
  void noBufferIsLostWhereAFileCannotBeRead() throws IOException {
    write(6, 0);
    payloads().forEach(new Shown());
    long idle = BufferPool.shared().idleBytes();
    badFile = "blk_6";
    badness = "for a test";
    assertThatThrownBy(() -> payloads().forEach(new Shown()))
        .isInstanceOf(UnreadableBlocksException.class);
    assertThat(BufferPool.shared().idleBytes()).isEqualTo(idle);
  }

  private StoredPayloads.Visitor impatient() {
    return new StoredPayloads.Visitor() {
      @Override
      public void frame(long blockId, int originalLength, ByteBuffer payload) {
        shown.merge(blockId, 1, Integer::sum);
      }

      @Override
      public void fileRead(long bytes) throws IOException {
        throw new InterruptedIOException("for a test");
      }
    };
  }

  @Test
  void whoCountsCanEndIt() throws IOException {
    write(5, 0);
    write(6, 0);
    assertThatThrownBy(() -> payloads().forEachKnown(impatient()))
        .isInstanceOf(InterruptedIOException.class);
    assertThat(shown).hasSize(1);
  }
}
