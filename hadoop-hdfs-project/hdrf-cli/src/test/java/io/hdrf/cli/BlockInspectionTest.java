/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.hdrf.block.BlockRef;
import io.hdrf.block.ReducedBlockWriter;
import io.hdrf.block.TagKey;
import io.hdrf.cli.BlockInspection.Verdict;
import io.hdrf.codec.dedup.DedupScheme;
import io.hdrf.codec.lz4.Lz4Scheme;
import io.hdrf.scheme.SchemeChain;
import io.hdrf.scheme.SchemeRegistry;
import io.hdrf.scheme.VolumeSchemes;
import io.hdrf.scheme.VolumeServices;
import io.hdrf.spi.io.LocalDurableFiles;
import io.hdrf.spi.scheme.BlockCodec;
import io.hdrf.spi.scheme.BlockScheme;
import io.hdrf.spi.scheme.BlockSource;
import io.hdrf.spi.scheme.SchemeContext;
import io.hdrf.spi.scheme.SpiVersion;
import io.hdrf.spi.scheme.StoredPayloads;
import io.hdrf.spi.store.MetadataStore;
import io.hdrf.volume.Superblock;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.AbstractList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import java.util.zip.CRC32C;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BlockInspectionTest {
  private static final String POOL = "BP-1-127.0.0.1-1";
  private static final int LENGTH = 300_000;

  @TempDir private Path volume;
  private final byte[] data = new byte[LENGTH];
  private SchemeRegistry registry;
  private Path hdrf;
  private Path block;
  private Path meta;

  @BeforeEach
  void writeReducedBlock() throws Exception {
    Random random = new Random(1);
    for (int i = 0; i < LENGTH; i++) {
      data[i] = (byte) ('a' + random.nextInt(4));
    }
    Path finalized = volume.resolve("current/" + POOL + "/current/finalized/subdir0");
    Files.createDirectories(finalized);
    block = finalized.resolve("blk_77");
    meta = finalized.resolve("blk_77_1001.meta");
    hdrf = volume.resolve("current/" + POOL + "/hdrf");
    registry = SchemeRegistry.of(List.of(new Lz4Scheme()));
    writeMeta(meta, data);
    TagKey key = Superblock.create(hdrf, LocalDurableFiles.INSTANCE).key();
    SchemeChain chain = SchemeChain.parse("test", "lz4", registry);
    try (VolumeSchemes schemes =
            new VolumeSchemes(registry, new Configuration(), hdrf, LocalDurableFiles.INSTANCE);
        ReducedBlockWriter writer =
            ReducedBlockWriter.create(
                LocalDurableFiles.INSTANCE,
                block,
                new BlockRef(POOL, 77),
                LENGTH,
                chain.ids(),
                key,
                LENGTH)) {
      ByteBuffer source = ByteBuffer.wrap(data);
      BlockSource input =
          dst -> {
            if (!source.hasRemaining()) {
              return -1;
            }
            int count = Math.min(dst.remaining(), source.remaining());
            dst.put(source.slice().limit(count));
            source.position(source.position() + count);
            return count;
          };
      schemes.codec(chain).encode(LENGTH, input, writer);
      writer.finish();
      writer.force();
    }
  }

  /** Writes checksums like HDFS: version 1, CRC32C, 512 bytes a checksum. */
  private static void writeMeta(Path meta, byte[] data) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate(7 + 4 * ((data.length + 511) / 512));
    bytes.putShort((short) 1).put((byte) 2).putInt(512);
    for (int i = 0; i < data.length; i += 512) {
      CRC32C crc = new CRC32C();
      crc.update(data, i, Math.min(512, data.length - i));
      bytes.putInt((int) crc.getValue());
    }
    Files.write(meta, bytes.array());
  }

  private static void flip(Path file, long position) throws IOException {
    try (RandomAccessFile open = new RandomAccessFile(file.toFile(), "rw")) {
      open.seek(position);
      int value = open.read();
      open.seek(position);
      open.write(value ^ 1);
    }
  }

  private BlockInspection inspect() throws IOException {
    return BlockInspection.of(block, registry, true);
  }

  @Test
  void aSoundBlockIsVerified() throws IOException {
    BlockInspection inspection = inspect();
    assertThat(inspection.verdict()).as(inspection.detail()).isEqualTo(Verdict.VERIFIED);
    assertThat(inspection.facts())
        .containsEntry("form", "reduced")
        .containsEntry("blockId", 77L)
        .containsEntry("schemes", List.of("lz4"))
        .containsEntry("logicalBytes", (long) LENGTH)
        .containsEntry("frames", 3)
        .containsEntry("longestFrame", 128 << 10)
        .containsEntry("tag", "that of the volume")
        .containsEntry("verdict", "verified");
    assertThat((List<?>) inspection.facts().get("frameList")).hasSize(3);
  }

  @Test
  void everyDamagedByteIsSeen() throws IOException {
    for (long position : new long[] {4, 30, 50, 55, 70, 100_000}) {
      flip(block, position);
      BlockInspection inspection = inspect();
      assertThat(inspection.verdict()).as("byte " + position).isEqualTo(Verdict.DAMAGED);
      assertThat(inspection.detail()).isNotEmpty();
      flip(block, position);
    }
    assertThat(inspect().verdict()).isEqualTo(Verdict.VERIFIED);
  }

  @Test
  void otherChecksumsAreAMismatch() throws IOException {
    flip(meta, 7 + 4 * 100);
    BlockInspection inspection = inspect();
    assertThat(inspection.verdict()).isEqualTo(Verdict.DAMAGED);
    assertThat(inspection.detail()).contains("51200");
  }

  @Test
  void anotherVolumesTagIsDamage() throws IOException {
    Files.delete(hdrf.resolve("superblock.0"));
    Files.delete(hdrf.resolve("superblock.1"));
    Superblock.create(hdrf, LocalDurableFiles.INSTANCE);
    assertThat(inspect().verdict()).isEqualTo(Verdict.DAMAGED);
    assertThat(inspect().detail()).contains("tag");
  }

  @Test
  void aCopyElsewhereIsReadWithoutItsTag() throws IOException {
    Path copy = Files.createDirectories(volume.resolve("copy")).resolve("blk_77");
    Files.copy(block, copy);
    block = copy;
    assertThat(inspect().verdict()).isEqualTo(Verdict.NOT_VERIFIED);
    Files.copy(meta, copy.resolveSibling("blk_77_1001.meta"));
    assertThat(inspect().verdict()).isEqualTo(Verdict.VERIFIED);
    assertThat(inspect().facts().get("tag")).asString().startsWith("not checked");
  }

  @Test
  void aSchemeThatIsNotInstalledIsNamed() throws IOException {
    registry = SchemeRegistry.of(List.of());
    BlockInspection inspection = inspect();
    assertThat(inspection.verdict()).isEqualTo(Verdict.NOT_VERIFIED);
    assertThat(inspection.facts().get("schemes")).asString().contains("not installed");
  }

  @Test
  void plainBlocksAreCheckedToo() throws IOException {
    Files.write(block, data);
    assertThat(inspect().verdict()).isEqualTo(Verdict.VERIFIED);
    assertThat(inspect().facts()).containsEntry("form", "plain");
    flip(block, 5);
    assertThat(inspect().verdict()).isEqualTo(Verdict.DAMAGED);
    Files.delete(meta);
    assertThat(inspect().verdict()).isEqualTo(Verdict.NOT_VERIFIED);
  }

  /** A store of {@code dedup} with a block, and one with changes of it. */
  private Path[] writeVersions() throws Exception {
    registry = SchemeRegistry.of(List.of(new Lz4Scheme(), new DedupScheme()));
    MetadataStore store = new MemoryStore();
    VolumeServices services =
        new VolumeServices() {
          @Override
          public long volumeId() {
            return 5;
          }

          @Override
          public MetadataStore metadata() {
            return store;
          }

          @Override
          public StoredPayloads payloads(int schemeId) {
            return VolumeServices.NONE.payloads(schemeId);
          }
        };
    Configuration conf = new Configuration();
    conf.set("hdrf.dedup.delta", "on");
    conf.setInt("hdrf.dedup.gc.interval", 0);
    SchemeChain chain = SchemeChain.parse("test", "dedup,lz4", registry);
    TagKey key = Superblock.readKey(hdrf).orElseThrow();
    new Random(2).nextBytes(data);
    Path[] blocks = new Path[2];
    try (VolumeSchemes schemes =
        new VolumeSchemes(registry, conf, hdrf, LocalDurableFiles.INSTANCE, services)) {
      for (int i = 0; i < blocks.length; i++) {
        blocks[i] = block.resolveSibling("blk_" + i);
        try (ReducedBlockWriter writer =
            ReducedBlockWriter.create(
                LocalDurableFiles.INSTANCE,
                blocks[i],
                new BlockRef(POOL, i),
                LENGTH,
                chain.ids(),
                key,
                LENGTH)) {
          ByteBuffer source = ByteBuffer.wrap(data);
          BlockSource input =
              dst -> {
                int count = Math.min(dst.remaining(), source.remaining());
                dst.put(source.slice().limit(count));
                source.position(source.position() + count);
                return count == 0 ? -1 : count;
              };
          schemes.codec(chain).encode(LENGTH, input, writer);
          writer.finish();
          writer.force();
        }
        for (int j = 1000; j < LENGTH; j += 4000) {
          data[j] ^= 1;
        }
      }
    }
    return blocks;
  }

  private Path container() throws IOException {
    try (Stream<Path> files = Files.list(hdrf.resolve("dedup/containers"))) {
      return files.findFirst().orElseThrow();
    }
  }

  @Test
  void aBlockTellsWhatItNamesInItsStore() throws Exception {
    Path[] blocks = writeVersions();
    block = blocks[0];
    assertThat(inspect().facts())
        .containsEntry("schemes", List.of("dedup", "lz4"))
        .containsEntry("recipeVersion", 1)
        .containsEntry("bases", 0L);
    block = blocks[1];
    BlockInspection inspection = inspect();
    assertThat(inspection.verdict()).isEqualTo(Verdict.NOT_VERIFIED);
    String id = container().getFileName().toString().replace(".hdc", "");
    assertThat(inspection.facts())
        .containsEntry("recipeVersion", 2)
        .containsEntry("containersOfBases", List.of(id));
    long bases = (Long) inspection.facts().get("bases");
    assertThat(bases).isPositive().isLessThanOrEqualTo((Long) inspection.facts().get("chunks"));
    assertThat((List<?>) inspection.facts().get("namedList"))
        .extracting("names")
        .contains("chunks", "bases");
    assertThat(BlockInspection.of(block, registry, false).facts()).doesNotContainKey("namedList");
    flip(block, 60);
    assertThat(inspect().verdict()).isEqualTo(Verdict.DAMAGED);
    assertThat(inspect().detail()).contains(block.toString());
  }

  @Test
  void aContainerIsShownWithItsDifferences() throws Exception {
    writeVersions();
    block = container();
    BlockInspection inspection = inspect();
    assertThat(inspection.verdict()).as(inspection.detail()).isEqualTo(Verdict.VERIFIED);
    assertThat(inspection.facts())
        .containsEntry("scheme", "dedup")
        .containsEntry("form", "container")
        .containsEntry("schemes", List.of("lz4"))
        .containsEntry("verdict", "verified");
    assertThat((Long) inspection.facts().get("chunksAsDifferences")).isPositive();
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    PrintStream stream = new PrintStream(out, true, StandardCharsets.UTF_8);
    InspectCommand.print(new Terminal(stream, stream, false), inspection.facts());
    assertThat(out.toString(StandardCharsets.UTF_8))
        .containsPattern("chunks as differences +\\d+\\R")
        .containsPattern("group +position +header length .* state\\R0 +64 .* sound\\R")
        .containsPattern("chunk +group +length +kept length +base +fingerprint\\R0 +0 ")
        .containsPattern("\\R\\d+ +2 +\\d+ +\\d+ +[0-9a-f]{12}:\\d+ +[0-9a-f]{64}\\R");
    assertThat(new ObjectMapper().valueToTree(inspection.facts()).path("chunkList"))
        .hasSize(((Long) inspection.facts().get("chunks")).intValue());

    flip(block, 1000);
    assertThat(inspect().verdict()).isEqualTo(Verdict.DAMAGED);
    assertThat(inspect().detail()).contains(block.toString());
    assertThat(inspect().facts()).containsEntry("damagedGroups", 1);
  }

  @Test
  void whatALaterVersionWroteIsNotDamaged() throws Exception {
    writeVersions();
    block = container();
    byte[] bytes = Files.readAllBytes(block);
    ByteBuffer later = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    int footer = bytes.length - 96;
    for (int[] part : new int[][] {{0, 60}, {footer, 92}}) {
      later.put(part[0] + 4, (byte) 9);
      CRC32C crc = new CRC32C();
      crc.update(bytes, part[0], part[1]);
      later.putInt(part[0] + part[1], (int) crc.getValue());
    }
    Files.write(block, bytes);
    assertThat(inspect().verdict()).isEqualTo(Verdict.NOT_VERIFIED);
    assertThat(inspect().detail())
        .contains(block.toString())
        .contains("format version 9 is too new");
  }

  /** A disk that fails: nothing is known to be damaged. */
  @Test
  void whatTheDiskCanNotReadIsToldSo() throws Exception {
    block = writeVersions()[1];
    BlockScheme failing =
        new BlockScheme() {
          @Override
          public int spiVersion() {
            return SpiVersion.CURRENT;
          }

          @Override
          public String name() {
            return "dedup";
          }

          @Override
          public int id() {
            return new DedupScheme().id();
          }

          @Override
          public boolean framesPassTail() {
            return false;
          }

          @Override
          public BlockCodec open(SchemeContext context) {
            throw new UnsupportedOperationException();
          }

          @Override
          public boolean inspectStore(Path file, boolean lists, Map<String, Object> facts)
              throws IOException {
            throw new IOException("Input/output error");
          }

          @Override
          public void inspectPayloads(
              StoredPayloads payloads, boolean lists, Map<String, Object> facts)
              throws IOException {
            throw new IOException("frame 0: Input/output error");
          }
        };
    registry = SchemeRegistry.of(List.of(new Lz4Scheme(), failing));
    for (Path file : new Path[] {block, container()}) {
      block = file;
      assertThat(inspect().verdict()).isEqualTo(Verdict.READ_ERROR);
      assertThat(inspect().facts()).containsEntry("verdict", "read error");
      assertThat(inspect().detail()).contains("Input/output error");
    }
  }

  /** A block may name millions of chunks. */
  @Test
  void jsonIsWrittenWhileItIsMade() throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    PrintStream stream = new PrintStream(out, true, StandardCharsets.UTF_8);
    int count = 20_000;
    List<Map<String, Object>> rows =
        new AbstractList<>() {
          @Override
          public int size() {
            return count;
          }

          @Override
          public Map<String, Object> get(int index) {
            assertThat(out.size()).isGreaterThanOrEqualTo(index * 10 - (64 << 10));
            return Map.of("row", index);
          }
        };
    Terminal terminal = new Terminal(stream, stream, false);
    terminal.json(Map.of("rowList", rows));
    terminal.result("behind");
    String text = out.toString(StandardCharsets.UTF_8);
    assertThat(text).endsWith("}" + System.lineSeparator() + "behind" + System.lineSeparator());
    assertThat(new ObjectMapper().readTree(text.replace("behind", "")).path("rowList"))
        .hasSize(count);
  }

  /** Users may write what begins like a container. */
  @Test
  void aBlockIsNeverTakenForAContainer() throws Exception {
    writeVersions();
    byte[] imitation = Files.readAllBytes(container());
    Files.write(block, imitation);
    writeMeta(meta, imitation);
    assertThat(inspect().facts()).containsEntry("form", "plain");
    assertThat(inspect().verdict()).isEqualTo(Verdict.VERIFIED);
  }

  @Test
  void userDataThatLooksReducedIsPlain() throws IOException {
    byte[] imitation = Files.readAllBytes(block);
    imitation[60] ^= 1;
    Files.write(block, imitation);
    writeMeta(meta, imitation);
    BlockInspection inspection = inspect();
    assertThat(inspection.verdict()).isEqualTo(Verdict.VERIFIED);
    assertThat(inspection.facts()).containsEntry("form", "plain");
  }
}
