/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.reduce;

import static org.assertj.core.api.Assertions.assertThat;

import io.hdrf.block.BlockChecksums;
import io.hdrf.block.BlockIdentity;
import io.hdrf.block.FrameTable;
import io.hdrf.block.ReducedBlock;
import io.hdrf.block.TagKey;
import io.hdrf.conf.HdrfConf;
import io.hdrf.io.ChannelFile;
import io.hdrf.io.DurableFile;
import io.hdrf.io.DurableFiles;
import io.hdrf.io.ForwardingFile;
import io.hdrf.io.ForwardingFiles;
import io.hdrf.io.LocalDurableFiles;
import io.hdrf.scheme.ChainCodec;
import io.hdrf.scheme.SchemeChain;
import io.hdrf.scheme.SchemeRegistry;
import io.hdrf.scheme.TestData;
import io.hdrf.scheme.TestSeed;
import io.hdrf.scheme.VolumeSchemes;
import io.hdrf.wire.FrameSpool;
import io.hdrf.wire.PacketSums;
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
    return new Reducer(
        "test", new HdrfConf(conf), blocks, files, counters, () -> {}, blocks.skips::put);
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
    return encode(sender, data, (frame, stored) -> {}, null);
  }

  /** The same, where the frames were decoded when they came. */
  private SpooledFrames received(byte[] data, byte[] seen) throws IOException {
    return encode(codec, data, (frame, stored) -> {}, seen);
  }

  private FrameSpool spool() {
    return new FrameSpool(() -> SpoolFile.create(spoolFiles, spoolPath));
  }

  /** As received, in packets of a frame each, the checksums of which were made on the way. */
  private SpooledFrames summed(byte[] data, byte[] seen, int packetLength, int firstSummed)
      throws IOException {
    PacketSums sums = new PacketSums();
    try (FrameSpool spool = spool()) {
      for (int from = 0; from < data.length; from += packetLength) {
        int count = Math.min(packetLength, data.length - from);
        spool.packet(from, count, from >= firstSummed);
        ByteBuffer decoded = ByteBuffer.wrap(seen, from, count);
        encode(
            codec,
            ByteBuffer.wrap(data, from, count),
            (length, stages, stored) -> {
              spool.frame(codec.chain().ids(), length, stages, stored, decoded);
              stored.position(stored.limit());
            });
        if (from >= firstSummed) {
          sums.make(decoded);
          spool.checksums(sums.made());
        }
      }
      return spool.finish();
    }
  }

  private static void encode(ChainCodec sender, ByteBuffer piece, ChainCodec.FrameWriter out)
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

  private SpooledFrames encode(ChainCodec sender, byte[] data, Damage damage, byte[] seen)
      throws IOException {
    int[] frame = {0};
    try (FrameSpool spool = spool()) {
      for (int from = 0; from < data.length; from += FRAME) {
        ByteBuffer piece = ByteBuffer.wrap(data, from, Math.min(FRAME, data.length - from));
        spool.packet(from, piece.remaining(), false);
        encode(
            sender,
            piece,
            (length, stages, stored) -> {
              ByteBuffer decoded =
                  seen == null ? null : ByteBuffer.wrap(seen, frame[0] * FRAME, length);
              damage.to(frame[0]++, stored);
              spool.frame(sender.chain().ids(), length, stages, stored, decoded);
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
    assertThat(counters.values().get("framesAdopted") > 0).isEqualTo(adopted > 0);
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
            },
            null);
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

  private AtomicInteger countDecodings() {
    AtomicInteger decodings = new AtomicInteger();
    scheme.afterDecode = frame -> decodings.incrementAndGet();
    return decodings;
  }

  private void assertAdopted(byte[] data, boolean proved) throws IOException {
    scheme.afterDecode = frame -> {};
    assertThat(blocks.isReduced(1)).isTrue();
    assertThat(blocks.decoded(1)).isEqualTo(data);
    assertCounted(1, 0);
    assertThat(counters.values()).containsEntry("adoptionsProved", proved ? 1L : 0L);
  }

  private void assertAllAreDecoded(BlockRef block, byte[] data) throws IOException {
    assertAllAreDecoded(block, data, FRAME);
  }

  private void assertAllAreDecoded(BlockRef block, byte[] data, int frame) throws IOException {
    AtomicInteger decodings = countDecodings();
    reducer.reduceNow(block);
    assertThat(decodings).hasValue((LENGTH + frame - 1) / frame);
    assertAdopted(data, false);
  }

  /** But for the first, which shows that this volume's codec decodes them. */
  @Test
  void framesThatWereDecodedWhenTheyCameAreNotDecodedAgain() throws IOException {
    byte[] data = text();
    BlockRef block = write(data, received(data, data));
    AtomicInteger decodings = countDecodings();
    reducer.reduceNow(block);
    assertThat(decodings).hasValue(1);
    assertAdopted(data, true);
  }

  @ParameterizedTest
  @EnumSource(
      value = DataChecksum.Type.class,
      names = {"NULL", "CRC32"})
  void withOtherChecksumsTheyAre(DataChecksum.Type type) throws IOException {
    byte[] data = text();
    BlockRef block = write(data, received(data, data), type);
    assertAllAreDecoded(block, data);
  }

  @Test
  void theyAreWhereTheOperatorSaysSo() throws IOException {
    reducer.close();
    Configuration conf = new Configuration(false);
    conf.setBoolean("hdrf.mirror.decode.again", true);
    reducer = reducer(conf, LocalDurableFiles.INSTANCE);
    byte[] data = text();
    BlockRef block = write(data, received(data, data));
    assertAllAreDecoded(block, data);
  }

  /** As after an append or a truncation, or when the memory was damaged. */
  @Test
  void whatWasSeenMustBeWhatTheChecksumsSay() throws IOException {
    byte[] data = text();
    byte[] seen = data.clone();
    seen[random.nextInt(LENGTH)] ^= (byte) (1 << random.nextInt(8));
    BlockRef block = write(data, received(data, seen));
    assertAllAreDecoded(block, data);
  }

  /** What was seen is this block, what is to be stored is another. */
  @Test
  void framesThatChangedAfterTheyWereSeenAreFoundOut() throws IOException {
    byte[] data = text();
    byte[] other = text();
    SpooledFrames seen = received(data, data);
    SpooledFrames stored = received(other, other);
    reducer.reduceNow(
        write(
            data,
            new EncodedBlock() {
              @Override
              public int[] chainIds() {
                return seen.chainIds();
              }

              @Override
              public long length() {
                return seen.length();
              }

              @Override
              public int frameCount() {
                return seen.frameCount();
              }

              @Override
              public void replay(ChainCodec.FrameWriter out) throws IOException {
                stored.replay(out);
              }

              @Override
              public boolean proves(ReducedBlock file, BlockChecksums checksums)
                  throws IOException {
                return seen.proves(file, checksums);
              }

              @Override
              public void close() {}
            }));
    assertEncodedHere(data, 1);
  }

  private byte[] halfRandom() {
    return TestData.HALF_RANDOM.bytes(LENGTH, random);
  }

  @Test
  void aFileOfFramesBecomesTheBlockWithoutACopy() throws IOException {
    byte[] data = halfRandom();
    try (SpooledFrames frames = received(data, data)) {
      Object inode = Files.getAttribute(spoolPath, "unix:ino");
      List<String> sent = new ArrayList<>();
      frames.replay((length, stages, stored) -> sent.add(describe(length, stages, stored)));
      reducer.reduceNow(write(data, frames));
      assertThat(Files.getAttribute(blocks.file(1), "unix:ino")).isEqualTo(inode);
      assertThat(storedFrames()).isEqualTo(sent);
      assertAdopted(data, true);
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
    try (SpooledFrames frames = received(data, data)) {
      reducer.reduceNow(write(data, frames));
      assertAdopted(data, true);
      assertThat(spoolPath).exists();
    }
    assertThat(spoolPath).doesNotExist();
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aBitThatChangesInAFileOfFramesIsFoundOut(boolean decoded) throws IOException {
    byte[] data = halfRandom();
    try (SpooledFrames frames = received(data, decoded ? data : null)) {
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
  void checksumsThatWereMadeOnTheWayAreAsGood() throws IOException {
    byte[] data = text();
    BlockRef block = write(data, summed(data, data, 80 * 512, 0));
    AtomicInteger decodings = countDecodings();
    reducer.reduceNow(block);
    assertThat(decodings).hasValue(1);
    assertAdopted(data, true);
  }

  @Test
  void checksumsOfOtherDataAreFoundOut() throws IOException {
    byte[] data = text();
    byte[] seen = data.clone();
    seen[random.nextInt(LENGTH)] ^= (byte) (1 << random.nextInt(8));
    assertAllAreDecoded(write(data, summed(data, seen, 78 * 512, 0)), data, 78 * 512);
  }

  /** The checksums of packets that end within a chunk are not those of the block. */
  @Test
  void checksumsOfPartsOfChunksProveNothing() throws IOException {
    byte[] data = text();
    assertAllAreDecoded(write(data, summed(data, data, FRAME, 0)), data, FRAME);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, LENGTH / 2})
  void checksumsOfSomePacketsProveNothing(int firstSummed) throws IOException {
    byte[] data = text();
    int packet = 80 * 512;
    assertAllAreDecoded(write(data, summed(data, data, packet, firstSummed)), data, packet);
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
    reducer.reduceNow(write(data, received(data, data)));
    assertThat(damages.get()).isGreaterThan(1);
    assertEncodedHere(data, 1);
  }

  /** Then it must find out about the rest. */
  @Test
  void aCodecThatSeesAnotherFirstFrameDecodesThemAll() throws IOException {
    byte[] data = text();
    BlockRef block = write(data, received(data, data));
    AtomicInteger decodings = new AtomicInteger();
    scheme.afterDecode =
        frame -> {
          if (decodings.getAndIncrement() == 0) {
            frame.put(frame.position(), (byte) (frame.get(frame.position()) ^ 1));
          }
        };
    reducer.reduceNow(block);
    assertThat(decodings).hasValue(1 + (LENGTH + FRAME - 1) / FRAME);
    assertAdopted(data, false);
  }
}
