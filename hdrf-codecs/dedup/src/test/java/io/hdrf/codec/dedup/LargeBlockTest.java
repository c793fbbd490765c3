/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup;

import static org.assertj.core.api.Assertions.assertThat;

import io.hdrf.block.BlockReads;
import io.hdrf.block.BlockRef;
import io.hdrf.block.ReducedBlock;
import io.hdrf.block.ReducedBlockWriter;
import io.hdrf.block.TagKey;
import io.hdrf.sample.MapStoreProvider;
import io.hdrf.spi.PluginSettings;
import io.hdrf.spi.io.ChannelFile;
import io.hdrf.spi.io.LocalDurableFiles;
import io.hdrf.spi.scheme.Pin;
import io.hdrf.spi.scheme.TestSeed;
import io.hdrf.spi.store.StoreContext;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.UUID;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Offsets beyond 2 and 4 GiB in one block: zeros, except for some marks. */
@Timeout(300)
class LargeBlockTest {

  private static final long GIB = 1L << 30;
  private static final long LENGTH = 4 * GIB + (200 << 20) + 4321;
  private static final int MARK = 1 << 20;
  private static final int PIECE = 4 << 20;

  @TempDir Path directory;

  private final Random random = TestSeed.random("large block");
  private final TreeMap<Long, byte[]> marks = new TreeMap<>();

  /** What the block has from a position on. */
  private void fill(long position, ByteBuffer dst) {
    int begin = dst.position();
    int count = dst.remaining();
    while (dst.remaining() >= Long.BYTES) {
      dst.putLong(0);
    }
    while (dst.hasRemaining()) {
      dst.put((byte) 0);
    }
    for (Map.Entry<Long, byte[]> mark : marks.entrySet()) {
      long from = Math.max(position, mark.getKey());
      long to = Math.min(position + count, mark.getKey() + mark.getValue().length);
      if (from < to) {
        ByteBuffer part = dst.duplicate();
        part.position(begin + (int) (from - position));
        part.put(mark.getValue(), (int) (from - mark.getKey()), (int) (to - from));
      }
    }
  }

  private byte[] expected(long position, int count) {
    byte[] bytes = new byte[count];
    fill(position, ByteBuffer.wrap(bytes));
    return bytes;
  }

  @Test
  void isReadBackAtEveryOffset() throws IOException {
    for (long middle : new long[] {MARK, 2 * GIB, 3 * GIB + 17, 4 * GIB, LENGTH - MARK / 2}) {
      byte[] mark = new byte[MARK];
      random.nextBytes(mark);
      marks.put(middle - MARK / 2, mark);
    }
    // Repeats earlier data: a block refers to its own chunks, too.
    marks.put(4 * GIB + 3 * MARK, marks.get(2 * GIB - MARK / 2));

    Configuration conf = new Configuration(false);
    conf.set("hdrf.dedup.gc.interval", "0");
    StoreContext context =
        new StoreContext(
            new PluginSettings(conf, "map"), null, UUID.randomUUID().toString(), "pool");
    BlockRef identity = new BlockRef("BP-large", 42);
    TagKey key = new TagKey(new byte[TagKey.LENGTH]);
    Path file = directory.resolve("blk_42");
    try (DedupVolume volume =
        new DedupVolume(
            directory.resolve("volume"),
            conf,
            LocalDurableFiles.INSTANCE,
            "dedup",
            new MapStoreProvider().open(context))) {
      write(volume, identity, key, file);
      assertThat(volume.metric("bytesNew")).isBetween(5L * MARK, 6L * MARK);
      try (ReducedBlock block = ReducedBlock.open(file, ChannelFile.open(file), identity, key)) {
        assertThat(block.logicalLength()).isEqualTo(LENGTH);
        assertThat(block.physicalLength()).isLessThan(PIECE);
        readAll(block, volume);
        for (long around : new long[] {0, 2 * GIB, 4 * GIB, LENGTH}) {
          for (int i = 0; i < 40; i++) {
            long at = Math.max(0, around - 2 * MARK + random.nextInt(4 * MARK));
            readAt(block, volume, at, 1 + random.nextInt(100_000));
          }
          readAt(block, volume, Math.max(0, around - 1), 2);
          readAt(block, volume, around, 1);
        }
        readAt(block, volume, LENGTH + GIB, 10);
      }
    }
  }

  private void write(DedupVolume volume, BlockRef identity, TagKey key, Path file)
      throws IOException {
    int[] chain = {new DedupScheme().id()};
    long[] done = {0};
    try (Pin pin = volume.pin();
        ReducedBlockWriter writer =
            ReducedBlockWriter.create(
                LocalDurableFiles.INSTANCE, file, identity, LENGTH, chain, key, LENGTH)) {
      volume
          .codec()
          .encode(
              LENGTH,
              dst -> {
                int count = (int) Math.min(dst.remaining(), LENGTH - done[0]);
                if (count == 0) {
                  return -1;
                }
                ByteBuffer part = dst.duplicate();
                part.limit(part.position() + count);
                fill(done[0], part);
                dst.position(dst.position() + count);
                done[0] += count;
                return count;
              },
              writer);
      volume.codec().force();
      writer.finish();
    }
  }

  private void readAll(ReducedBlock block, DedupVolume volume) throws IOException {
    ByteBuffer read = ByteBuffer.allocateDirect(PIECE);
    ByteBuffer wanted = ByteBuffer.allocateDirect(PIECE);
    for (long position = 0; position < LENGTH; position += PIECE) {
      read.clear();
      wanted.clear().limit((int) Math.min(PIECE, LENGTH - position));
      fill(position, wanted);
      int count = BlockReads.read(block, position, read, volume.codec());
      assertThat(count).isEqualTo(wanted.flip().remaining());
      assertThat(read.flip().mismatch(wanted)).as("from %d on", position).isEqualTo(-1);
    }
  }

  private void readAt(ReducedBlock block, DedupVolume volume, long position, int count)
      throws IOException {
    ByteBuffer read = ByteBuffer.allocate(count);
    int there = (int) Math.max(0, Math.min(count, LENGTH - position));
    assertThat(BlockReads.read(block, position, read, volume.codec())).isEqualTo(there);
    byte[] bytes = new byte[there];
    read.flip().get(bytes);
    assertThat(bytes).as("at %d", position).isEqualTo(expected(position, there));
  }
}
