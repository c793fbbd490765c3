/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.reduce;

import static org.assertj.core.api.Assertions.assertThat;

import io.hdrf.block.BlockIdentity;
import io.hdrf.block.FrameTable;
import io.hdrf.block.ReducedBlock;
import io.hdrf.block.TagKey;
import io.hdrf.conf.HdrfConf;
import io.hdrf.io.ChannelFile;
import io.hdrf.io.LocalDurableFiles;
import io.hdrf.scheme.ChainCodec;
import io.hdrf.scheme.SchemeChain;
import io.hdrf.scheme.SchemeRegistry;
import io.hdrf.scheme.TestData;
import io.hdrf.scheme.TestSeed;
import io.hdrf.scheme.VolumeSchemes;
import io.hdrf.wire.FrameSpool;
import io.hdrf.wire.SpooledFrames;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.util.DataChecksum;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Blocks that come with frames that another DataNode encoded. */
@Timeout(120)
class AdoptionTest {

  private static final int LENGTH = 1_000_000;

  /** No other than a frame of this length shows that the codec cut the block itself. */
  private static final int FRAME = 40_000;

  @TempDir Path directory;

  private final Random random = TestSeed.random(AdoptionTest.class.getName());
  private final HookedScheme scheme = new HookedScheme("hooked", 65100, Integer.MAX_VALUE);
  private final HookedScheme other = new HookedScheme("other", 65101, Integer.MAX_VALUE);
  private final ReducerCounters counters = new ReducerCounters();
  private final AtomicInteger encodings = new AtomicInteger();
  private VolumeSchemes schemes;
  private ChainCodec codec;
  private ChainCodec otherCodec;
  private FileBlocks blocks;
  private Reducer reducer;

  @BeforeEach
  void open() throws Exception {
    SchemeRegistry registry = SchemeRegistry.of(List.of(scheme, other));
    schemes =
        new VolumeSchemes(
            registry, new Configuration(false), directory, LocalDurableFiles.INSTANCE);
    codec = schemes.codec(SchemeChain.parse("chain", "hooked", registry));
    otherCodec = schemes.codec(SchemeChain.parse("chain", "other", registry));
    blocks = new FileBlocks(directory, codec);
    reducer =
        new Reducer(
            "test",
            new HdrfConf(new Configuration(false)),
            blocks,
            LocalDurableFiles.INSTANCE,
            counters,
            () -> {},
            blocks.skips::put);
  }

  @AfterEach
  void close() throws Exception {
    reducer.close();
    schemes.close();
    assertThat(blocks.leftovers()).as("temporary files").isEmpty();
  }

  private byte[] text() {
    return TestData.TEXT.bytes(LENGTH, random);
  }

  /** What a sender makes of the data. */
  private SpooledFrames encode(ChainCodec sender, byte[] data) throws IOException {
    return encode(sender, data, (frame, stored) -> {});
  }

  private interface Damage {
    void to(int frame, ByteBuffer stored);
  }

  private SpooledFrames encode(ChainCodec sender, byte[] data, Damage damage) throws IOException {
    int[] frame = {0};
    try (FrameSpool spool = new FrameSpool(() -> directory.resolve("spool"))) {
      for (int from = 0; from < data.length; from += FRAME) {
        ByteBuffer piece = ByteBuffer.wrap(data, from, Math.min(FRAME, data.length - from));
        spool.packet(from, piece.remaining());
        sender.encode(
            piece.remaining(),
            dst -> {
              int count = Math.min(dst.remaining(), piece.remaining());
              dst.put(piece.slice(piece.position(), count));
              piece.position(piece.position() + count);
              return count == 0 ? -1 : count;
            },
            (length, stages, stored) -> {
              damage.to(frame[0]++, stored);
              spool.frame(sender.chain().ids(), length, stages, stored);
              stored.position(stored.limit());
            });
      }
      return spool.finish();
    }
  }

  private BlockRef write(byte[] data, EncodedBlock encoded) throws IOException {
    return write(data, encoded, DataChecksum.Type.CRC32C);
  }

  private BlockRef write(byte[] data, EncodedBlock encoded, DataChecksum.Type type)
      throws IOException {
    BlockRef block = blocks.write(1, data, type);
    blocks.encoded.put(block, encoded);
    scheme.beforeEncode = frame -> encodings.incrementAndGet();
    return block;
  }

  private void assertCounted(int adopted, int failed) {
    assertThat(counters.values())
        .containsEntry("blocksAdopted", (long) adopted)
        .containsEntry("adoptionsFailed", (long) failed)
        .containsEntry("framesEncoded", adopted > 0 ? 0L : (LENGTH + 65_535L) / 65_536);
    assertThat(counters.blocksReduced()).isEqualTo(1);
    assertThat(encodings.get() == 0).isEqualTo(adopted > 0);
    assertThat(blocks.skips).isEmpty();
    assertThat(blocks.ioErrors.get()).isZero();
    assertThat(blocks.mismatches.get()).isZero();
  }

  private void assertEncodedHere(byte[] data, int failed) throws IOException {
    assertThat(blocks.isReduced(1)).isTrue();
    assertThat(blocks.decoded(1)).isEqualTo(data);
    assertCounted(0, failed);
  }

  private List<String> storedFrames() throws IOException {
    List<String> stored = new ArrayList<>();
    Path file = blocks.file(1);
    try (ReducedBlock block =
        ReducedBlock.open(
            file,
            ChannelFile.open(file),
            new BlockIdentity(FileBlocks.POOL, 1),
            new TagKey(new byte[TagKey.LENGTH]))) {
      FrameTable frames = block.frames();
      for (int i = 0; i < frames.frameCount(); i++) {
        ByteBuffer bytes = ByteBuffer.allocateDirect(frames.storedLength(i));
        block.readStored(i, bytes);
        stored.add(describe(frames.originalLength(i), frames.stages(i), bytes.flip()));
      }
    }
    return stored;
  }

  private static String describe(int length, int stages, ByteBuffer stored) {
    byte[] bytes = new byte[stored.remaining()];
    stored.get(bytes);
    return length + " " + stages + " " + bytes.length + " " + Arrays.hashCode(bytes);
  }

  @ParameterizedTest
  @EnumSource(
      value = DataChecksum.Type.class,
      names = {"NULL", "CRC32", "CRC32C"})
  void theBlocksOwnFramesAreStoredAsTheyCame(DataChecksum.Type type) throws IOException {
    byte[] data = text();
    SpooledFrames encoded = encode(codec, data);
    List<String> sent = new ArrayList<>();
    encoded.replay((length, stages, stored) -> sent.add(describe(length, stages, stored)));
    BlockRef block = write(data, encoded, type);
    scheme.beforeEncode =
        frame -> {
          throw new IOException("encoded again");
        };
    reducer.reduceNow(block);
    assertThat(blocks.isReduced(1)).isTrue();
    assertThat(blocks.decoded(1)).isEqualTo(data);
    assertThat(storedFrames()).isEqualTo(sent).hasSize(LENGTH / FRAME);
    assertCounted(1, 0);
  }

  @ParameterizedTest
  @EnumSource(
      value = DataChecksum.Type.class,
      names = {"NULL", "CRC32", "CRC32C"})
  void framesOfAnotherBlockAreFoundOut(DataChecksum.Type type) throws IOException {
    byte[] data = text();
    reducer.reduceNow(write(data, encode(codec, text()), type));
    assertEncodedHere(data, 1);
  }

  @Test
  void oneOtherByteIsFoundOut() throws IOException {
    byte[] data = text();
    byte[] almost = data.clone();
    almost[random.nextInt(LENGTH)] ^= (byte) (1 << random.nextInt(8));
    reducer.reduceNow(write(data, encode(codec, almost)));
    assertEncodedHere(data, 1);
  }

  /** They say nothing of this block. */
  @Test
  void framesThatSaveNothingDoNotKeepABlockPlain() throws IOException {
    byte[] data = text();
    SpooledFrames noise = encode(codec, TestData.RANDOM.bytes(LENGTH, random));
    reducer.reduceNow(write(data, noise));
    assertEncodedHere(data, 0);
  }

  @Test
  void aBlockThatCanNotBeReducedStaysPlain() throws IOException {
    byte[] data = TestData.RANDOM.bytes(LENGTH, random);
    BlockRef block = write(data, encode(codec, data));
    reducer.reduceNow(block);
    assertThat(blocks.skips).containsEntry(block, SkipReason.INCOMPRESSIBLE);
    assertThat(Files.readAllBytes(blocks.file(1))).isEqualTo(data);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 12, 24})
  void damagedFramesAreFoundOut(int damaged) throws IOException {
    byte[] data = text();
    SpooledFrames frames =
        encode(
            codec,
            data,
            (frame, stored) -> {
              if (frame == damaged) {
                int at = stored.position() + random.nextInt(stored.remaining());
                stored.put(at, (byte) (stored.get(at) ^ (1 << random.nextInt(8))));
              }
            });
    reducer.reduceNow(write(data, frames));
    assertThat(blocks.decoded(1)).isEqualTo(data);
    // A bit that the codec does not look at makes no difference.
    boolean harmless = counters.values().get("blocksAdopted") == 1;
    assertCounted(harmless ? 1 : 0, harmless ? 0 : 1);
  }

  @ParameterizedTest
  @ValueSource(ints = {-1, 1})
  void framesOfAnotherLengthAreNotTried(int difference) throws IOException {
    byte[] data = text();
    SpooledFrames frames = encode(codec, Arrays.copyOf(data, LENGTH + difference));
    reducer.reduceNow(write(data, frames));
    assertEncodedHere(data, 0);
  }

  @Test
  void framesOfAnotherChainAreNotTried() throws IOException {
    byte[] data = text();
    reducer.reduceNow(write(data, encode(otherCodec, data)));
    assertEncodedHere(data, 0);
  }

  @Test
  void framesThatCanNotBeReadLeaveTheBlockForAnotherTry() throws IOException {
    byte[] data = text();
    SpooledFrames frames = encode(codec, TestData.HALF_RANDOM.bytes(LENGTH, random));
    frames.close();
    BlockRef block = write(data, frames);
    reducer.reduceNow(block);
    assertThat(blocks.skips).containsEntry(block, SkipReason.FAILED);
    assertThat(blocks.ioErrors.get()).isEqualTo(1);
    assertThat(Files.readAllBytes(blocks.file(1))).isEqualTo(data);
    blocks.encoded.remove(block);
    reducer.reduceNow(block);
    assertThat(blocks.decoded(1)).isEqualTo(data);
  }

  /** What is read back is proved by the checksums, whatever happened to the plain copy. */
  @Test
  void soundFramesHealADamagedPlainCopy() throws IOException {
    byte[] data = text();
    BlockRef block = write(data, encode(codec, data));
    byte[] damaged = data.clone();
    damaged[random.nextInt(LENGTH)] ^= 4;
    Files.write(blocks.file(1), damaged);
    reducer.reduceNow(block);
    assertThat(blocks.decoded(1)).isEqualTo(data);
    assertCounted(1, 0);
  }

  @Test
  void framesOfADamagedBlockDoNotHideTheDamage() throws IOException {
    byte[] data = text();
    byte[] damaged = data.clone();
    damaged[random.nextInt(LENGTH)] ^= 4;
    BlockRef block = write(data, encode(codec, damaged));
    Files.write(blocks.file(1), damaged);
    reducer.reduceNow(block);
    assertThat(blocks.skips).containsEntry(block, SkipReason.MISMATCH);
    assertThat(blocks.mismatches.get()).isEqualTo(1);
    assertThat(Files.readAllBytes(blocks.file(1))).isEqualTo(damaged);
    assertThat(counters.values())
        .containsEntry("blocksAdopted", 0L)
        .containsEntry("adoptionsFailed", 0L)
        .containsEntry("framesEncoded", 0L);
  }
}
