/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.hdrf.block.BlockRef;
import io.hdrf.block.ReducedBlock;
import io.hdrf.block.ReducedBlockWriter;
import io.hdrf.block.TagKey;
import io.hdrf.scheme.ChainCodec;
import io.hdrf.scheme.SchemeChain;
import io.hdrf.scheme.SchemeRegistry;
import io.hdrf.scheme.VolumeSchemes;
import io.hdrf.spi.io.BufferPool;
import io.hdrf.spi.io.ChannelFile;
import io.hdrf.spi.io.LocalDurableFiles;
import io.hdrf.spi.scheme.BlockCodec;
import io.hdrf.spi.scheme.BlockScheme;
import io.hdrf.spi.scheme.BlockSource;
import io.hdrf.spi.scheme.FrameChain;
import io.hdrf.spi.scheme.FrameSink;
import io.hdrf.spi.scheme.Prefetch;
import io.hdrf.spi.scheme.SchemeContext;
import io.hdrf.spi.scheme.SpiVersion;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Which frames a scheme with a store is told of, and when. */
@Timeout(60)
class StoreAheadTest {

  private static final int FRAME = 256 << 10;
  private static final int FRAMES = 320;
  private static final long LENGTH = (long) FRAMES * FRAME;
  private static final BlockRef IDENTITY = new BlockRef("BP-1-127.0.0.1-1", 1);
  private static final TagKey KEY = new TagKey(new byte[TagKey.LENGTH]);

  @TempDir Path directory;

  private final List<Integer> told = new CopyOnWriteArrayList<>();

  /** How many frames were told when each request was started. */
  private final List<Integer> starts = new ArrayList<>();

  private int failAt = -1;
  private int added;
  private boolean uses = true;
  private Error faultOfNew;
  private Error faultOfAdd;
  private VolumeSchemes schemes;
  private ChainCodec codec;
  private FrameReads reads;
  private ReducedBlock block;

  /** A frame's payload is its number, and its bytes that number's lowest eight bits. */
  private final class Numbers implements BlockScheme, BlockCodec {
    @Override
    public int spiVersion() {
      return SpiVersion.CURRENT;
    }

    @Override
    public String name() {
      return "numbers";
    }

    @Override
    public int id() {
      return 65101;
    }

    @Override
    public BlockCodec open(SchemeContext context) {
      return this;
    }

    @Override
    public void encode(long length, BlockSource source, FrameChain tail, FrameSink sink) {
      throw new AssertionError("nothing is encoded");
    }

    @Override
    public void decode(ByteBuffer payload, ByteBuffer frame) {
      byte value = (byte) payload.getInt();
      while (frame.hasRemaining()) {
        frame.put(value);
      }
    }

    @Override
    public Prefetch newPrefetch() {
      if (faultOfNew != null) {
        throw faultOfNew;
      }
      if (!uses) {
        return null;
      }
      return new Prefetch() {
        @Override
        public void add(ByteBuffer payload) throws IOException {
          added++;
          if (faultOfAdd != null) {
            throw faultOfAdd;
          }
          if (told.size() == failAt) {
            throw new IOException("the store is gone");
          }
          told.add(payload.getInt());
        }

        @Override
        public void start() {
          starts.add(told.size());
        }
      };
    }
  }

  @BeforeEach
  void open() throws IOException {
    SchemeRegistry registry = SchemeRegistry.of(List.of(new Numbers()));
    schemes =
        new VolumeSchemes(
            registry, new Configuration(false), directory, LocalDurableFiles.INSTANCE);
    codec = schemes.codec(SchemeChain.parse("chain", "numbers", registry));
    Path path = directory.resolve("blk_1");
    try (ReducedBlockWriter writer =
        ReducedBlockWriter.create(
            LocalDurableFiles.INSTANCE, path, IDENTITY, LENGTH, codec.chain().ids(), KEY, LENGTH)) {
      for (int i = 0; i < FRAMES; i++) {
        ByteBuffer payload = ByteBuffer.allocateDirect(Integer.BYTES);
        payload.putInt(i).flip();
        writer.frame(FRAME, FrameSink.BLOCK_STAGE, payload);
      }
      writer.finish();
    }
    block = ReducedBlock.open(path, ChannelFile.open(path), IDENTITY, KEY);
    reads =
        new FrameReads(
            1 << 20,
            2,
            new BufferPool(64 << 20),
            (of, failure) -> new IOException(of.name() + " can't be read", failure));
  }

  @AfterEach
  void close() throws IOException {
    reads.close();
    block.close();
    schemes.close();
  }

  private FrameReader reader() {
    return reads.reader(block, codec, null, FrameCheck.NONE, 0);
  }

  /** Reads and compares; returns the end. */
  private static long read(FrameReader reader, long from, long length) throws IOException {
    long position = from;
    while (position < from + length) {
      ByteBuffer bytes = reader.at(position);
      assertThat(bytes.get(bytes.position())).isEqualTo((byte) (position / FRAME));
      position += bytes.remaining();
    }
    return position;
  }

  /** Else such a read would cost megabytes. */
  @Test
  void shortReadsTellNothing() throws IOException {
    try (FrameReader reader = reader()) {
      for (long at = 3 * FRAME / 2; at < LENGTH - (1 << 20); at += 7L * FRAME + 12_345) {
        read(reader, at, 64 << 10);
        // Over the end of a frame, and the next one.
        read(reader, at / FRAME * FRAME - 100, 64 << 10);
        read(reader, at, 3 * FRAME / 2);
      }
    }
    assertThat(told).isEmpty();
  }

  @Test
  void eachFrameAheadIsToldOnceAndInOrder() throws IOException {
    try (FrameReader reader = reader()) {
      read(reader, 0, LENGTH);
    }
    assertThat(told).isSorted().doesNotHaveDuplicates().endsWith(FRAMES - 1);
    assertThat(told.get(0) * (long) FRAME)
        .isBetween((long) StoreAhead.MIN_STRETCH, 2L * StoreAhead.MIN_STRETCH);
    assertThat(told).hasSize(FRAMES - told.get(0));
    List<Integer> lengths = new ArrayList<>();
    for (int i = 0; i < starts.size(); i++) {
      lengths.add(starts.get(i) - (i == 0 ? 0 : starts.get(i - 1)));
    }
    assertThat(lengths.subList(0, lengths.size() - 1)).isSorted();
    assertThat(lengths)
        .contains(StoreAhead.MAX_STRETCH / FRAME)
        .allMatch(length -> length <= StoreAhead.MAX_STRETCH / FRAME);
    assertThat(starts.size()).as("few of them").isLessThan(15);
  }

  @Test
  void noMoreIsToldThanInProportionToWhatWasRead() throws IOException {
    try (FrameReader reader = reader()) {
      for (long end = 0; end < LENGTH; ) {
        end = read(reader, end, 1);
        assertThat(told.size() * (long) FRAME)
            .isLessThanOrEqualTo(5 * end / 2)
            .isLessThanOrEqualTo(end + 3L * StoreAhead.MAX_STRETCH / 2);
      }
    }
  }

  @Test
  void aReadElsewhereBeginsAnew() throws IOException {
    try (FrameReader reader = reader()) {
      read(reader, 0, 4 << 20);
      int before = told.size();
      assertThat(before).isPositive();
      read(reader, 200L * FRAME, StoreAhead.MIN_STRETCH / 2);
      assertThat(told).hasSize(before);
      read(reader, 200L * FRAME + StoreAhead.MIN_STRETCH / 2, 2 << 20);
      assertThat(told.subList(before, told.size())).isNotEmpty().allMatch(n -> n > 200);
    }
  }

  @Test
  void whatFailsIsLeftToTheRead() throws IOException {
    failAt = 2;
    try (FrameReader reader = reader()) {
      read(reader, 0, LENGTH);
    }
    assertThat(told).hasSize(2);
    assertThat(added).as("not tried again").isEqualTo(3);
    assertThat(starts).isEmpty();
  }

  @Test
  void aSchemeWithAFaultFailsNoRead() throws IOException {
    for (Error fault : List.of(new AssertionError("a fault"), new NoClassDefFoundError("a/B"))) {
      faultOfAdd = fault;
      try (FrameReader reader = reader()) {
        read(reader, 0, LENGTH);
      }
      faultOfAdd = null;
      faultOfNew = fault;
      try (FrameReader reader = reader()) {
        read(reader, 0, LENGTH);
      }
      faultOfNew = null;
    }
    assertThat(told).isEmpty();
  }

  @Test
  void aSchemeMayHaveNoUseForIt() throws IOException {
    uses = false;
    try (FrameReader reader = reader()) {
      read(reader, 0, LENGTH);
    }
    assertThat(told).isEmpty();
  }
}
