/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.reduce;

import static org.assertj.core.api.Assertions.assertThat;

import io.hdrf.block.BlockRef;
import io.hdrf.block.FrameTable;
import io.hdrf.block.ReducedBlock;
import io.hdrf.block.TagKey;
import io.hdrf.conf.HdrfConf;
import io.hdrf.io.ForwardingFile;
import io.hdrf.io.ForwardingFiles;
import io.hdrf.scheme.ChainCodec;
import io.hdrf.scheme.SchemeChain;
import io.hdrf.scheme.SchemeRegistry;
import io.hdrf.scheme.VolumeSchemes;
import io.hdrf.spi.io.ChannelFile;
import io.hdrf.spi.io.DurableFile;
import io.hdrf.spi.io.DurableFiles;
import io.hdrf.spi.io.LocalDurableFiles;
import io.hdrf.spi.scheme.FrameSink;
import io.hdrf.spi.scheme.TestData;
import io.hdrf.spi.scheme.TestSeed;
import io.hdrf.wire.FrameSpool;
import io.hdrf.wire.SpoolFile;
import io.hdrf.wire.SpooledFrames;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
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

/** Blocks that come with frames encoded by another DataNode. */
@Timeout(120)
class AdoptionTest {

  private static final int LENGTH = 1_000_000;

  /** A frame of this length, and only that, shows that the codec cut the block itself. */
  private static final int FRAME = 40_000;

  @TempDir Path directory;

  private final Random random = TestSeed.random(AdoptionTest.class.getName());
  private final HookedScheme scheme = new HookedScheme("hooked", 65100, Integer.MAX_VALUE);
  private final HookedScheme other = new HookedScheme("other", 65101, Integer.MAX_VALUE);
  private final ReducerCounters counters = new ReducerCounters();
  private final AtomicInteger encodings = new AtomicInteger();
  private DurableFiles spoolFiles = LocalDurableFiles.INSTANCE;
  private Path spoolPath;
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
    spoolPath = directory.resolve("spool");
    reducer = reducer(new Configuration(false), LocalDurableFiles.INSTANCE);
  }

  private Reducer reducer(Configuration conf, DurableFiles files) throws IOException {
    return new Reducer("test", new HdrfConf(conf), blocks, files, counters, () -> {});
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

  /** Returns a sender's frames of the data. */
  private SpooledFrames encode(ChainCodec sender, byte[] data) throws IOException {
    return encode(sender, data, FileBlocks.GENERATION, (frame, stored) -> {});
  }

  private static void encode(ChainCodec sender, ByteBuffer piece, FrameSink out)
      throws IOException {
    sender.encode(
        piece.remaining(),
        dst -> {
          int count = Math.min(dst.remaining(), piece.remaining());
          dst.put(piece.slice(piece.position(), count));
          piece.position(piece.position() + count);
          return count == 0 ? -1 : count;
        },
        out);
  }

  private interface Damage {
    void to(int frame, ByteBuffer stored);
  }

  private SpooledFrames encode(ChainCodec sender, byte[] data, long generation, Damage damage)
      throws IOException {
    int[] frame = {0};
    try (FrameSpool spool =
        new FrameSpool(generation, () -> SpoolFile.create(spoolFiles, spoolPath))) {
      for (int from = 0; from < data.length; from += FRAME) {
        ByteBuffer piece = ByteBuffer.wrap(data, from, Math.min(FRAME, data.length - from));
        spool.packet(from, piece.remaining());
        encode(
            sender,
            piece,
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
        .containsEntry("framesAdopted", adopted * ((LENGTH + FRAME - 1L) / FRAME))
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
            new BlockRef(FileBlocks.POOL, 1),
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
      names = {"CRC32", "CRC32C"})
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
      names = {"CRC32", "CRC32C"})
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

  /** Returns another block with the same checksums, which anybody who knows the block can make. */
  private byte[] forged(byte[] data) {
    byte[] forged = data.clone();
    int at = 512 * random.nextInt(LENGTH / 512) + random.nextInt(500);
    long polynomial = 0x11EDC6F41L;
    for (int bit = 0; bit <= 32; bit++) {
      if ((polynomial >>> (32 - bit) & 1) != 0) {
        forged[at + bit / 8] ^= (byte) (1 << bit % 8);
      }
    }
    return forged;
  }

  @Test
  void framesOfOtherDataWithTheBlocksChecksumsAreFoundOut() throws IOException {
    byte[] data = text();
    byte[] forged = forged(data);
    assertThat(forged).isNotEqualTo(data);
    BlockRef block = write(data, encode(codec, forged));
    blocks.write(2, forged, DataChecksum.Type.CRC32C);
    assertThat(blocks.metaFile(2)).hasSameBinaryContentAs(blocks.metaFile(1));
    reducer.reduceNow(block);
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
            FileBlocks.GENERATION,
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

  /** HDFS chooses another replica: data from elsewhere never replace this one. */
  @Test
  void soundFramesDoNotReplaceADamagedPlainCopy() throws IOException {
    byte[] data = text();
    BlockRef block = write(data, encode(codec, data));
    byte[] damaged = data.clone();
    damaged[random.nextInt(LENGTH)] ^= 4;
    Files.write(blocks.file(1), damaged);
    reducer.reduceNow(block);
    assertThat(blocks.skips).containsEntry(block, SkipReason.MISMATCH);
    assertThat(blocks.mismatches.get()).isEqualTo(1);
    assertThat(Files.readAllBytes(blocks.file(1))).isEqualTo(damaged);
  }

  @ParameterizedTest
  @ValueSource(longs = {FileBlocks.GENERATION - 1, FileBlocks.GENERATION + 1})
  void framesOfAnotherGenerationAreNotTried(long generation) throws IOException {
    byte[] data = text();
    reducer.reduceNow(write(data, encode(codec, data, generation, (frame, stored) -> {})));
    assertEncodedHere(data, 0);
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

  @ParameterizedTest
  @EnumSource(
      value = DataChecksum.Type.class,
      names = {"CRC32", "CRC32C"})
  void eachFrameIsDecodedOnce(DataChecksum.Type type) throws IOException {
    byte[] data = text();
    BlockRef block = write(data, encode(codec, data), type);
    AtomicInteger decodings = new AtomicInteger();
    scheme.afterDecode = frame -> decodings.incrementAndGet();
    reducer.reduceNow(block);
    assertThat(decodings).hasValue((LENGTH + FRAME - 1) / FRAME);
    assertAdopted(data);
  }

  private void assertAdopted(byte[] data) throws IOException {
    scheme.afterDecode = frame -> {};
    assertThat(blocks.isReduced(1)).isTrue();
    assertThat(blocks.decoded(1)).isEqualTo(data);
    assertCounted(1, 0);
  }

  private byte[] halfRandom() {
    return TestData.HALF_RANDOM.bytes(LENGTH, random);
  }

  @Test
  void aFileOfFramesBecomesTheBlockWithoutACopy() throws IOException {
    byte[] data = halfRandom();
    try (SpooledFrames frames = encode(codec, data)) {
      Object inode = Files.getAttribute(spoolPath, "unix:ino");
      List<String> sent = new ArrayList<>();
      frames.replay((length, stages, stored) -> sent.add(describe(length, stages, stored)));
      reducer.reduceNow(write(data, frames));
      assertThat(Files.getAttribute(blocks.file(1), "unix:ino")).isEqualTo(inode);
      assertThat(storedFrames()).isEqualTo(sent);
      assertAdopted(data);
    }
    assertThat(spoolPath).doesNotExist();
    assertThat(blocks.file(1)).exists();
  }

  @Test
  void aFileOfFramesThatCanNotBeMovedIsCopied() throws IOException {
    spoolFiles =
        new ForwardingFiles(LocalDurableFiles.INSTANCE) {
          @Override
          public void rename(Path from, Path to) throws IOException {
            throw new IOException("Invalid cross-device link");
          }
        };
    byte[] data = halfRandom();
    try (SpooledFrames frames = encode(codec, data)) {
      reducer.reduceNow(write(data, frames));
      assertAdopted(data);
      assertThat(spoolPath).exists();
    }
    assertThat(spoolPath).doesNotExist();
  }

  @Test
  void aBitThatChangesInAFileOfFramesIsFoundOut() throws IOException {
    byte[] data = halfRandom();
    try (SpooledFrames frames = encode(codec, data)) {
      byte[] file = Files.readAllBytes(spoolPath);
      file[100_000] ^= 1;
      try (FileChannel channel = FileChannel.open(spoolPath, StandardOpenOption.WRITE)) {
        channel.write(ByteBuffer.wrap(file, 100_000, 1), 100_000);
      }
      reducer.reduceNow(write(data, frames));
      assertEncodedHere(data, 1);
    }
    assertThat(spoolPath).doesNotExist();
  }

  @Test
  void aFileOfFramesThatSavesNothingIsDeleted() throws IOException {
    byte[] data = halfRandom();
    try (SpooledFrames frames = encode(codec, TestData.RANDOM.bytes(LENGTH, random))) {
      assertThat(spoolPath).exists();
      reducer.reduceNow(write(data, frames));
      assertEncodedHere(data, 0);
    }
    assertThat(spoolPath).doesNotExist();
  }

  @Test
  void aBitThatChangesInTheFileIsFoundOut() throws IOException {
    reducer.close();
    AtomicInteger damages = new AtomicInteger();
    reducer =
        reducer(
            new Configuration(false),
            new ForwardingFiles(LocalDurableFiles.INSTANCE) {
              @Override
              public DurableFile create(Path path) throws IOException {
                return new ForwardingFile(super.create(path)) {
                  @Override
                  public void write(ByteBuffer src, long position) throws IOException {
                    if (position > 0 && damages.getAndIncrement() == 0) {
                      int at = src.position() + random.nextInt(src.remaining() / 2);
                      src.put(at, (byte) (src.get(at) ^ (1 << random.nextInt(8))));
                    }
                    super.write(src, position);
                  }
                };
              }
            });
    byte[] data = text();
    reducer.reduceNow(write(data, encode(codec, data)));
    assertThat(damages.get()).isGreaterThan(1);
    assertEncodedHere(data, 1);
  }
}
