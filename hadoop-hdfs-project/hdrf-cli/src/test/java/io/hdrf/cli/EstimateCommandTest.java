/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;
import static org.assertj.core.api.Assertions.withinPercentage;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.hdrf.block.BlockRef;
import io.hdrf.block.ReducedBlockWriter;
import io.hdrf.block.TagKey;
import io.hdrf.cluster.DiskUsage;
import io.hdrf.codec.dedup.DedupScheme;
import io.hdrf.codec.hadoop.HadoopCodecScheme;
import io.hdrf.codec.lz4.Lz4Scheme;
import io.hdrf.scheme.SchemeChain;
import io.hdrf.scheme.SchemeRegistry;
import io.hdrf.scheme.VolumeSchemes;
import io.hdrf.spi.io.LocalDurableFiles;
import io.hdrf.spi.scheme.BlockSource;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.LocatedFileStatus;
import org.apache.hadoop.fs.RawLocalFileSystem;
import org.apache.hadoop.fs.RemoteIterator;
import org.apache.hadoop.security.AccessControlException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

class EstimateCommandTest {
  private static final int LENGTH = 12 << 20;
  private static final int BLOCK = 4 << 20;

  private final ByteArrayOutputStream out = new ByteArrayOutputStream();

  @TempDir private Path directory;
  private SchemeRegistry registry;
  private Path data;
  private Path work;

  @BeforeEach
  void prepare() throws IOException {
    registry =
        SchemeRegistry.of(List.of(new Lz4Scheme(), new DedupScheme(), new HadoopCodecScheme()));
    data = Files.createDirectory(directory.resolve("data"));
    work = Files.createDirectory(directory.resolve("work"));
  }

  /** Words in random order: compressible, without long repetitions. */
  private static byte[] text(int length, long seed) {
    Random random = new Random(seed);
    StringBuilder text = new StringBuilder(length + 16);
    while (text.length() < length) {
      text.append(Integer.toString(random.nextInt(5000) * 7919, 36)).append(' ');
    }
    return Arrays.copyOf(text.toString().getBytes(StandardCharsets.US_ASCII), length);
  }

  private static byte[] noise(int length) {
    byte[] bytes = new byte[length];
    new Random(3).nextBytes(bytes);
    return bytes;
  }

  private JsonNode estimate(String... options) throws IOException {
    return estimate(new Configuration(), options);
  }

  private JsonNode estimate(Configuration conf, String... options) throws IOException {
    List<String> args = new ArrayList<>(List.of("--json", "--work-dir=" + work, "--block-size=4m"));
    args.addAll(List.of(options));
    args.add(data.toString());
    EstimateCommand command = new EstimateCommand();
    new CommandLine(command).parseArgs(args.toArray(new String[0]));
    PrintStream stream = new PrintStream(out, true, StandardCharsets.UTF_8);
    PrintStream progress = new PrintStream(new ByteArrayOutputStream());
    int code = run(command, conf, new Terminal(stream, progress, false));
    assertThat(code).isEqualTo(ExitCode.OK);
    JsonNode answer = new ObjectMapper().readTree(out.toString(StandardCharsets.UTF_8));
    out.reset();
    assertThat(answer.get("version").asInt()).isEqualTo(1);
    return answer.get("estimates");
  }

  private int run(EstimateCommand command, Configuration conf, Terminal terminal)
      throws IOException {
    Troubles troubles = new Troubles(terminal);
    return command.run(command.files(conf, troubles), conf, registry, terminal, troubles);
  }

  /** Returns the size of a file's blocks as reduced block files. */
  private long lz4Bytes(byte[] content) throws IOException {
    Path volume = Files.createDirectory(directory.resolve("volume"));
    SchemeChain chain = SchemeChain.parse("test", "lz4", registry);
    long sum = 0;
    try (VolumeSchemes schemes =
        new VolumeSchemes(
            registry, new Configuration(), volume.resolve("hdrf"), LocalDurableFiles.INSTANCE)) {
      for (int from = 0; from < content.length; from += BLOCK) {
        int length = Math.min(BLOCK, content.length - from);
        Path file = volume.resolve("blk_" + from);
        ByteBuffer source = ByteBuffer.wrap(content, from, length);
        try (ReducedBlockWriter writer =
            ReducedBlockWriter.create(
                LocalDurableFiles.INSTANCE,
                file,
                new BlockRef("BP-1", from),
                length,
                chain.ids(),
                new TagKey(new byte[TagKey.LENGTH]),
                length)) {
          schemes.codec(chain).encode(length, input(source), writer);
          writer.finish();
          writer.force();
        }
        sum += DiskUsage.allocated(file);
      }
    }
    return sum;
  }

  private static BlockSource input(ByteBuffer source) {
    return dst -> {
      int count = Math.min(dst.remaining(), source.remaining());
      dst.put(source.slice().limit(count));
      source.position(source.position() + count);
      return count == 0 ? -1 : count;
    };
  }

  private void assertNothingIsLeft() throws IOException {
    try (Stream<Path> left = Files.list(work)) {
      assertThat(left).isEmpty();
    }
  }

  @Test
  void aFrameChainTakesWhatItsBlockFilesTake() throws IOException {
    byte[] content = text(LENGTH + 100_000, 1);
    Files.write(data.resolve("a"), content);
    JsonNode lz4 = estimate("--chain=lz4").get(0);
    assertThat(lz4.get("logicalBytes").asLong()).isEqualTo(content.length);
    assertThat(lz4.get("blocks").asInt()).isEqualTo(4);
    assertThat(lz4.get("plainBlocks").asInt()).isZero();
    assertThat(lz4.has("chunks")).isFalse();
    long expected = lz4Bytes(content);
    assertThat(expected).isLessThan(content.length * 9L / 10);
    assertThat(lz4.get("physicalBytes").asDouble())
        .isCloseTo((double) expected, within(0.03 * expected));
    assertNothingIsLeft();
  }

  @Test
  void whatDoesNotShrinkStaysPlain() throws IOException {
    Files.write(data.resolve("a"), noise(BLOCK + 1));
    JsonNode lz4 = estimate("--chain=lz4").get(0);
    assertThat(lz4.get("plainBlocks").asInt()).isEqualTo(2);
    assertThat(lz4.get("physicalBytes").asLong()).isEqualTo(BLOCK + 4096);
  }

  @Test
  void hadoopsCodecsAreEstimatedToo() throws IOException {
    Files.write(data.resolve("a"), text(LENGTH, 1));
    Configuration conf = new Configuration();
    conf.set("hdrf.hadoop-codec.class", "org.apache.hadoop.io.compress.GzipCodec");
    JsonNode estimates =
        estimate(conf, "--chain=lz4", "--chain=hadoop-codec", "--chain=dedup,hadoop-codec");
    double lz4 = estimates.get(0).get("ratio").asDouble();
    assertThat(estimates.get(1).get("chain").asText()).isEqualTo("hadoop-codec");
    assertThat(estimates.get(1).get("ratio").asDouble()).isBetween(0.2, 0.9 * lz4);
    assertThat(estimates.get(2).get("ratio").asDouble()).isBetween(0.2, 0.95 * lz4);
  }

  /** With this filter, a DataNode would leave such blocks alone. */
  @Test
  void whatTheFilterExcludesIsPlain() throws IOException {
    byte[] content = text(2 * BLOCK, 1);
    System.arraycopy("%PDF-".getBytes(StandardCharsets.US_ASCII), 0, content, BLOCK, 5);
    Files.write(data.resolve("a"), content);
    Configuration conf = new Configuration();
    conf.set("hdrf.filter.exclude.keywords", "%PDF-");
    assertThat(estimate(conf, "--chain=lz4").get(0).get("plainBlocks").asInt()).isEqualTo(1);
  }

  @Test
  void aSecondVersionTakesLittle() throws IOException {
    byte[] first = noise(2 * LENGTH);
    Files.write(data.resolve("a"), first);
    byte[] second = new byte[first.length + 1];
    System.arraycopy(first, 0, second, 0, 1000);
    System.arraycopy(first, 1000, second, 1001, first.length - 1000);
    Files.write(Files.createDirectory(data.resolve("sub")).resolve("b"), second);
    JsonNode estimates = estimate("--chain=lz4", "--chain=dedup,lz4", "--chunk-size=8k,16k");
    assertThat(estimates).hasSize(3);
    assertThat(estimates.get(0).get("ratio").asDouble()).isCloseTo(1, within(0.01));
    for (int i = 1; i < 3; i++) {
      JsonNode dedup = estimates.get(i);
      assertThat(dedup.get("chain").asText()).isEqualTo("dedup,lz4");
      assertThat(dedup.get("ratio").asDouble()).isBetween(0.5, 0.56);
      assertThat(dedup.get("uniqueShare").asDouble()).isBetween(0.5, 0.51);
      assertThat(dedup.get("embeddedIndexBytes").asLong())
          .isEqualTo(42 * dedup.get("indexEntries").asLong());
      long sampled = dedup.get("uniqueChunks").asLong() / 32;
      assertThat(dedup.get("indexEntries").asLong())
          .isBetween(sampled, sampled + dedup.get("blocks").asLong());
      assertThat(dedup.get("physicalBytes").asLong())
          .isEqualTo(
              dedup.get("blockFileBytes").asLong()
                  + dedup.get("storeBytes").asLong()
                  + dedup.get("filterBytes").asLong()
                  + dedup.get("embeddedIndexBytes").asLong());
      assertThat(dedup.get("storeBytes").asDouble())
          .isCloseTo(dedup.get("uniqueBytes").asDouble(), withinPercentage(1.5));
    }
    assertThat(estimates.get(1).get("chunks").asLong())
        .isGreaterThan(estimates.get(2).get("chunks").asLong() * 3 / 2)
        .isBetween(2L * 2 * LENGTH / (16 << 10), 2L * 2 * LENGTH / (4 << 10));
    assertNothingIsLeft();
  }

  /** Bytes that are changed here and there, so that most chunks are new and similar to others. */
  private static byte[] changed(byte[] bytes, int from) {
    byte[] changed = bytes.clone();
    for (int i = from; i < changed.length; i += 4000) {
      changed[i] ^= 0x55;
    }
    return changed;
  }

  @Test
  void chunksThatAreSimilarAreEstimatedAsDifferences() throws IOException {
    byte[] bytes = noise(LENGTH);
    for (int i = 0; i < 3; i++) {
      Files.write(data.resolve("version-" + i), bytes);
      bytes = changed(bytes, 1000 * (i + 1));
    }
    Configuration conf = new Configuration();
    JsonNode whole = estimate(conf, "--chain=dedup,lz4", "--chunk-size=8k").get(0);
    assertThat(whole.get("chunksAsDifferences").asLong()).isZero();
    assertThat(whole.get("ratio").asDouble()).isGreaterThan(0.95);
    conf.set("hdrf.dedup.delta", "on");
    JsonNode different = estimate(conf, "--chain=dedup,lz4", "--chunk-size=8k").get(0);
    assertThat(different.get("ratio").asDouble()).isBetween(1.0 / 3, 0.36);
    assertThat(different.get("uniqueChunks").asLong())
        .isCloseTo(whole.get("uniqueChunks").asLong(), withinPercentage(1));
    assertThat((double) different.get("chunksAsDifferences").asLong())
        .isCloseTo(different.get("uniqueChunks").asLong() * 2.0 / 3, withinPercentage(5));
    assertThat((double) different.get("bytesAsDifferences").asLong())
        .isCloseTo(2.0 * LENGTH, withinPercentage(5));
    // What was not stored whole, it stored as differences, and its directory and bases.
    assertThat(
            whole.get("storeBytes").asDouble()
                - different.get("bytesAsDifferences").asDouble()
                + different.get("bytesOfDifferences").asDouble())
        .isCloseTo(different.get("storeBytes").asDouble(), withinPercentage(3));
    assertNothingIsLeft();
  }

  @Test
  void dataWithoutSimilarChunksTakeNoMore() throws IOException {
    Files.write(data.resolve("a"), noise(LENGTH));
    Configuration conf = new Configuration();
    JsonNode whole = estimate(conf, "--chain=dedup,lz4", "--chunk-size=8k").get(0);
    conf.set("hdrf.dedup.delta", "on");
    JsonNode different = estimate(conf, "--chain=dedup,lz4", "--chunk-size=8k").get(0);
    assertThat(different.get("chunksAsDifferences").asLong()).isZero();
    assertThat(different.get("physicalBytes")).isEqualTo(whole.get("physicalBytes"));
  }

  @Test
  void theChunkSizesOfADataNodeAreAmongThoseEstimated() throws IOException {
    Path file = Files.write(data.resolve("a"), text(1 << 20, 1));
    List<EstimateFile> files =
        EstimateFile.find(file.toString(), new Configuration(), 0, BLOCK, line -> {});
    long chunksOfDefault;
    try (Estimator estimator =
        new Estimator(work.resolve("volume"), registry, new Configuration(), "dedup", "")) {
      chunksOfDefault = estimator.run(files, count -> {}, line -> {}).chunks();
    }
    WorkDirectory.deleteTree(work.resolve("volume"));
    JsonNode estimates = estimate("--chain=dedup");
    assertThat(estimates.findValuesAsText("chunkSize"))
        .containsExactly("4k", "5k", "8k", "16k", "64k");
    assertThat(estimates.get(1).get("chunks").asLong()).isEqualTo(chunksOfDefault);
    Configuration conf = new Configuration();
    conf.set("hdrf.dedup.chunk.size", "32k");
    assertThat(estimate(conf, "--chain=dedup").findValuesAsText("chunkSize"))
        .containsExactly("4k", "5k", "8k", "16k", "32k", "64k");
    conf.set("hdrf.dedup.chunk.size", "8192");
    assertThat(estimate(conf, "--chain=dedup").findValuesAsText("chunkSize"))
        .containsExactly("4k", "5k", "8k", "16k", "64k");
    assertThat(estimate(conf, "--chain=dedup", "--chunk-size=64k").findValuesAsText("chunkSize"))
        .containsExactly("64k");
    conf.set("hdrf.dedup.chunk.size", "nonsense");
    assertThatThrownBy(() -> estimate(conf, "--chain=dedup"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("hdrf.dedup.chunk.size");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"--chain=nonsense", "--chain=lz4,dedup", "--chain=dedup --chunk-size=8k,nonsense"})
  void whatCanNotBeIsSaidBeforeAnythingIsRead(String options) throws IOException {
    Files.write(data.resolve("a"), text(100_000, 1));
    assertThatThrownBy(() -> estimate(options.split(" ")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(options.contains("size") ? "hdrf.dedup.chunk.size" : "--chain")
        .hasMessageContaining(options.contains("nonsense") ? "nonsense" : "lz4,dedup");
    assertThat(out.size()).isZero();
    assertNothingIsLeft();
  }

  @Test
  void aFileThatCanNotBeReadIsNamedAndNothingIsLeft() throws IOException {
    Path gone = data.resolve("gone");
    Files.write(gone, text(100_000, 1));
    EstimateCommand command = new EstimateCommand();
    new CommandLine(command).parseArgs("--chain=dedup", "--work-dir=" + work, data.toString());
    Configuration conf = new Configuration();
    Files.write(data.resolve("other"), text(200_000, 2));
    PrintStream stream = new PrintStream(out, true, StandardCharsets.UTF_8);
    Terminal terminal = new Terminal(stream, stream, false);
    Troubles troubles = new Troubles(terminal);
    List<EstimateFile> files = command.files(conf, troubles);
    Files.write(gone, text(50_000, 1));
    assertThat(command.run(files, conf, registry, terminal, troubles)).isEqualTo(ExitCode.FAILED);
    assertThat(troubles.lines()).hasSize(1).first().asString().contains(gone.toString());
    assertThat(out.toString(StandardCharsets.UTF_8)).contains("dedup 4k", "dedup 64k");
    assertNothingIsLeft();
  }

  @Test
  void urisAreReadByHadoop() throws IOException {
    byte[] content = text(300_000, 1);
    Files.write(data.resolve("a"), content);
    Configuration conf = new Configuration();
    conf.set("fs.viewfs.mounttable.x.link./m", data.toUri().toString());
    List<EstimateFile> files = EstimateFile.find("viewfs://x/m", conf, 0, BLOCK, line -> {});
    assertThat(files).hasSize(1);
    ByteBuffer end = ByteBuffer.allocateDirect(1000);
    try (var open = files.get(0).opener().open()) {
      assertThat(open.read(end, content.length - 500)).isEqualTo(500);
      assertThat(open.read(end, 0)).isEqualTo(500);
    }
    byte[] read = new byte[1000];
    end.flip().get(read);
    assertThat(Arrays.copyOf(read, 500))
        .isEqualTo(Arrays.copyOfRange(content, content.length - 500, content.length));
    assertThat(Arrays.copyOfRange(read, 500, 1000)).isEqualTo(Arrays.copyOf(content, 500));
  }

  /** Files in an encryption zone and erasure-coded ones, as the superuser sees them. */
  public static final class ZoneFileSystem extends RawLocalFileSystem {
    static boolean superuser;

    @Override
    public URI getUri() {
      return URI.create("zone:///");
    }

    private static org.apache.hadoop.fs.Path local(org.apache.hadoop.fs.Path path) {
      return new org.apache.hadoop.fs.Path("file://" + path.toUri().getPath());
    }

    private static FileStatus status(Path file) throws IOException {
      String name = file.getFileName().toString();
      return new FileStatus(
          Files.size(file),
          false,
          1,
          BLOCK,
          0,
          0,
          null,
          "u",
          "g",
          null,
          new org.apache.hadoop.fs.Path("zone://" + file),
          false,
          name.equals("encrypted"),
          name.equals("striped"));
    }

    @Override
    public boolean exists(org.apache.hadoop.fs.Path path) {
      return true;
    }

    @Override
    public RemoteIterator<LocatedFileStatus> listFiles(
        org.apache.hadoop.fs.Path path, boolean recursive) throws IOException {
      List<LocatedFileStatus> found = new ArrayList<>();
      for (String name : List.of("encrypted", "plain", "striped")) {
        found.add(
            new LocatedFileStatus(status(Path.of(path.toUri().getPath()).resolve(name)), null));
      }
      Iterator<LocatedFileStatus> all = found.iterator();
      return new RemoteIterator<>() {
        @Override
        public boolean hasNext() {
          return all.hasNext();
        }

        @Override
        public LocatedFileStatus next() {
          return all.next();
        }
      };
    }

    @Override
    public FileStatus getFileStatus(org.apache.hadoop.fs.Path path) throws IOException {
      if (!superuser) {
        throw new AccessControlException("Superuser privilege is required");
      }
      return status(Path.of(path.toUri().getPath().replace("/.reserved/raw", "")));
    }

    @Override
    public FSDataInputStream open(org.apache.hadoop.fs.Path path, int bufferSize)
        throws IOException {
      String name = path.toUri().getPath();
      String raw = name.replace("/.reserved/raw", "");
      return FileSystem.getLocal(new Configuration())
          .getRaw()
          .open(local(new org.apache.hadoop.fs.Path(name.equals(raw) ? raw : raw + ".cipher")));
    }
  }

  @Test
  void whatIsEncryptedIsEstimatedAsItIsStored() throws IOException {
    Files.write(data.resolve("plain"), text(100_000, 1));
    Files.write(data.resolve("encrypted"), text(100_000, 2));
    Files.write(data.resolve("encrypted.cipher"), noise(100_000));
    Files.write(data.resolve("striped"), text(100_000, 3));
    Configuration conf = new Configuration();
    conf.set("fs.zone.impl", ZoneFileSystem.class.getName());
    List<String> leftOut = new ArrayList<>();
    ZoneFileSystem.superuser = false;
    List<EstimateFile> files = EstimateFile.find("zone://" + data, conf, 0, BLOCK, leftOut::add);
    assertThat(files)
        .hasSize(1)
        .first()
        .extracting(EstimateFile::name)
        .asString()
        .contains("plain");
    assertThat(leftOut).hasSize(2);
    assertThat(leftOut.get(0)).contains("encrypted", "Superuser privilege is required");
    assertThat(leftOut.get(1)).contains("striped", "erasure-coded");

    leftOut.clear();
    ZoneFileSystem.superuser = true;
    files = EstimateFile.find("zone://" + data, conf, 0, BLOCK, leftOut::add);
    assertThat(files).hasSize(2);
    assertThat(leftOut).hasSize(1);
    ByteBuffer read = ByteBuffer.allocateDirect(1000);
    try (var open = files.get(0).opener().open()) {
      assertThat(open.read(read, 0)).isEqualTo(1000);
    }
    byte[] bytes = new byte[1000];
    read.flip().get(bytes);
    assertThat(bytes).isEqualTo(Arrays.copyOf(noise(100_000), 1000));
  }

  /** The argument after it is one of the files to estimate. */
  @Test
  void jsonIsNoFileToBeWritten() throws IOException {
    byte[] content = text(100_000, 1);
    Path file = Files.write(data.resolve("a"), content);
    EstimateCommand command = new EstimateCommand();
    new CommandLine(command)
        .parseArgs("--chain=dedup,lz4", "--work-dir=" + work, "--json", file.toString());
    Configuration conf = new Configuration();
    PrintStream stream = new PrintStream(out, true, StandardCharsets.UTF_8);
    run(command, conf, new Terminal(stream, stream, false));
    assertThat(file).hasBinaryContent(content);
    assertThat(out.toString(StandardCharsets.UTF_8)).contains("\"estimates\"");
  }

  @Test
  void peopleGetATable() throws IOException {
    Files.write(data.resolve("a"), text(1 << 20, 1));
    EstimateCommand command = new EstimateCommand();
    new CommandLine(command)
        .parseArgs("--chain=dedup,lz4", "--chunk-size=8k,16k", "--work-dir=" + work, data + "");
    Configuration conf = new Configuration();
    PrintStream stream = new PrintStream(out, true, StandardCharsets.UTF_8);
    run(command, conf, new Terminal(stream, stream, false));
    assertThat(out.toString(StandardCharsets.UTF_8))
        .contains("dedup,lz4 8k")
        .contains("dedup,lz4 16k")
        .contains("filters")
        .doesNotContain("differences");
    out.reset();
    Files.write(data.resolve("b"), changed(text(1 << 20, 1), 1000));
    conf.set("hdrf.dedup.delta", "on");
    run(command, conf, new Terminal(stream, stream, false));
    assertThat(out.toString(StandardCharsets.UTF_8))
        .containsPattern("chain .* index +differences\\R")
        .containsPattern("dedup,lz4 8k .* \\d+ \\(\\d\\d\\.\\d %\\)\\R");
  }

  private int main(StringWriter err, String... args) {
    return Main.commandLine().setErr(new PrintWriter(err)).execute(args);
  }

  @Test
  void exitCodes() throws IOException {
    String plugins = "--plugins=" + Files.createDirectory(directory.resolve("plugins"));
    Path file = Files.write(data.resolve("a"), text(1000, 1));
    StringWriter err = new StringWriter();
    assertThat(main(err, "estimate", plugins, "/no/such/file")).isEqualTo(ExitCode.USAGE);
    assertThat(err.toString()).contains("/no/such/file").doesNotContain("\tat ");
    err = new StringWriter();
    assertThat(main(err, "estimate", plugins, "--chain=nonsense", file.toString()))
        .isEqualTo(ExitCode.USAGE);
    assertThat(err.toString()).contains("nonsense").doesNotContain("\tat ");
    err = new StringWriter();
    assertThat(
            main(
                err,
                "estimate",
                plugins,
                "--chain=none",
                "-Dhdrf.reduce.min.block.size=x",
                file.toString()))
        .isEqualTo(ExitCode.USAGE);
    assertThat(err.toString()).contains("hdrf.reduce.min.block.size");
    err = new StringWriter();
    assertThat(main(err, "estimate", plugins, "--block-size=x", file.toString()))
        .isEqualTo(ExitCode.USAGE);
    assertThat(err.toString()).contains("--block-size");
    err = new StringWriter();
    assertThat(main(err, "estimate")).isEqualTo(ExitCode.USAGE);
    err = new StringWriter();
    assertThat(main(err, "estimate", plugins, "--chain=none", file.toString()))
        .as(err.toString())
        .isEqualTo(ExitCode.OK);
  }
}
