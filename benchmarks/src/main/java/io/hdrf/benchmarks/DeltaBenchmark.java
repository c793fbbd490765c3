/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.benchmarks;

import io.hdrf.benchmarks.DeltaSimulation.Detector;
import io.hdrf.benchmarks.DeltaSimulation.Pair;
import io.hdrf.codec.dedup.delta.BaseTable;
import io.hdrf.codec.dedup.delta.RecentBases;
import io.hdrf.corpus.SourceCorpus;
import io.hdrf.scheme.SchemeRegistry;
import io.hdrf.spi.PluginSettings;
import io.hdrf.spi.io.BufferPool;
import io.hdrf.spi.memory.MemoryBudget;
import io.hdrf.spi.scheme.BlockScheme;
import io.hdrf.spi.scheme.ChunkFunction;
import io.hdrf.spi.scheme.FrameChain;
import io.hdrf.spi.scheme.FrameScheme;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.apache.hadoop.conf.Configuration;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** What differences to similar chunks save, by how these are found. */
@Command(
    name = "delta",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Cuts files into chunks as dedup does, and stores those that no file had before: in full, or"
          + " as the difference to a chunk of a file before, in groups that zstd encodes. Prints as"
          + " Markdown, for each way to look for such a chunk, what is stored, how many chunks as"
          + " differences, how many groups are decoded for their bases with 64 at hand, and"
          + " processor times of the one thread. Nothing is written. Each file is one block."
          + " N-transform and Finesse run in Java: compare their times of features with each other"
          + " alone.",
      ""
    })
public final class DeltaBenchmark implements Callable<Integer> {

  /** The most percent of a difference, MB of the table, KiB of a group's chunks. */
  private record Settings(int percent, double index, int logical) {}

  @Parameters(
      arity = "0..*",
      paramLabel = "FILE",
      description = "What is stored, in this order; without any, versions of a source tree.")
  private List<Path> files = new ArrayList<>();

  @Option(
      names = "--versions",
      defaultValue = "10",
      description =
          "The last ones of benchmarks/data/versions.txt, or of twenty-versions.txt where"
              + " more than ten are wanted (${DEFAULT-VALUE}).")
  private int versions;

  @Option(
      names = "--detectors",
      split = ",",
      defaultValue = "none,neighbours,odess,both,finesse,n_transform",
      description = "Ways to look for bases (${DEFAULT-VALUE}).")
  private List<String> detectors;

  @Option(
      names = "--percent",
      split = ",",
      defaultValue = "20",
      description = "The most that a difference may take of its chunk (${DEFAULT-VALUE}).")
  private List<Integer> percents;

  @Option(
      names = "--index-mb",
      split = ",",
      defaultValue = "64",
      description =
          "Memory of the table of bases, the power of two below; 16 bytes an entry"
              + " (${DEFAULT-VALUE}).")
  private List<Double> indexes;

  @Option(
      names = "--sample",
      defaultValue = "1",
      description = "One in so many full chunks goes into the table (${DEFAULT-VALUE}).")
  private int sample;

  @Option(
      names = "--group-kb",
      defaultValue = "256",
      description = "Of a group before it is encoded (${DEFAULT-VALUE}).")
  private int groupSize;

  @Option(
      names = "--logical-kb",
      split = ",",
      defaultValue = "1024",
      description = "Of the chunks that a group makes (${DEFAULT-VALUE}).")
  private List<Integer> logicalSizes;

  @Option(
      names = "--scheme",
      defaultValue = "zstd",
      description = "What encodes groups; none: nothing does (${DEFAULT-VALUE}).")
  private String scheme;

  @Option(
      names = "--chunk-size",
      defaultValue = "5k",
      description = "hdrf.dedup.chunk.size (${DEFAULT-VALUE}).")
  private String chunkSize;

  @Option(
      names = "--references",
      defaultValue = "0",
      description =
          "Encode so many chunks of each detector's with xdelta3 and zstd --patch-from as well"
              + " (${DEFAULT-VALUE}).")
  private int references;

  @Spec private CommandSpec command;

  private final Configuration conf = new Configuration(false);

  public static void main(String[] arguments) {
    System.exit(new CommandLine(new DeltaBenchmark()).execute(arguments));
  }

  @Override
  public Integer call() throws Exception {
    conf.set("hdrf.dedup.chunk.size", chunkSize);
    SchemeRegistry registry = SchemeRegistry.load(Directories.dist().resolve("plugins"));
    ChunkFunction function =
        ((BlockScheme) registry.byName("dedup")).chunkFunction(new PluginSettings(conf, "dedup"));
    List<FrameScheme> schemes =
        scheme.equals("none") ? List.of() : List.of((FrameScheme) registry.byName(scheme));
    FrameChain chain = FrameChain.of(schemes, conf);
    List<ByteBuffer> data = new ArrayList<>();
    for (Path file : files.isEmpty() ? corpus() : files) {
      try (FileChannel channel = FileChannel.open(file)) {
        data.add(channel.map(FileChannel.MapMode.READ_ONLY, 0, channel.size()));
      }
    }
    Map<String, List<Pair>> pairs = new LinkedHashMap<>();
    boolean headed = false;
    long dedup = 0;
    for (String name : detectors) {
      Detector detector = detector(name);
      for (Settings settings : settings(detector)) {
        DeltaSimulation made = run(function, chain, data, detector, settings);
        if (!headed) {
          printHead(data.size(), made);
          headed = true;
        }
        if (detector == Detector.NONE) {
          dedup = made.storedBytes();
        } else {
          pairs.putIfAbsent(name, made.pairs);
        }
        print(name, settings, made, dedup);
      }
    }
    if (references > 0) {
      compare(pairs, chain);
    }
    return 0;
  }

  /** All combinations; one, where there are no differences. */
  private List<Settings> settings(Detector detector) {
    List<Settings> all = new ArrayList<>();
    for (int percent : percents) {
      for (double index : indexes) {
        for (int logical : logicalSizes) {
          all.add(new Settings(percent, index, logical));
        }
      }
    }
    return detector == Detector.NONE ? all.subList(0, 1) : all;
  }

  private List<Path> corpus() throws IOException {
    SourceCorpus corpus = new SourceCorpus(Directories.home());
    List<String> all =
        versions > corpus.versions().size()
            ? corpus.versions("twenty-versions.txt")
            : corpus.versions();
    if (versions < 1 || versions > all.size()) {
      throw new CommandLine.ParameterException(
          command.commandLine(), "--versions: 1 to " + all.size());
    }
    List<Path> tars = new ArrayList<>();
    for (String version : all.subList(all.size() - versions, all.size())) {
      tars.add(corpus.file(version));
    }
    return tars;
  }

  private Detector detector(String name) {
    try {
      return Detector.valueOf(name.toUpperCase(Locale.ROOT));
    } catch (IllegalArgumentException e) {
      throw new CommandLine.ParameterException(
          command.commandLine(), "--detectors: there is no " + name, e);
    }
  }

  private DeltaSimulation run(
      ChunkFunction function,
      FrameChain chain,
      List<ByteBuffer> data,
      Detector detector,
      Settings settings)
      throws IOException {
    BaseTable table =
        new RecentBases((long) (settings.index * (1 << 20)), MemoryBudget.unlimited());
    DeltaSimulation made =
        new DeltaSimulation(
            function,
            detector,
            table,
            sample,
            settings.percent,
            new ChunkGroups(
                chain, groupSize << 10, settings.logical << 10, function.maxChunkLength()));
    made.mostPairs = references;
    for (ByteBuffer file : data) {
      made.store(file.duplicate());
    }
    return made;
  }

  private void printHead(int count, DeltaSimulation made) {
    System.out.printf(
        "%d files, %.1f MB, chunks of %s: %.1f MB of %d chunks are new%n%n"
            + "| bases | most | index | logical | stored (MB) | of dedup | differences"
            + " | of the new chunks | as (MB) | references (MB) | groups | decoded for bases"
            + " | s: cut | features | find, encode | groups |%n"
            + "|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|%n",
        count, made.totalBytes / 1e6, chunkSize, made.newBytes / 1e6, made.chunkCount());
  }

  private static void print(String name, Settings settings, DeltaSimulation made, long dedup) {
    System.out.printf(
        "| %s | %d %% | %s MB | %d KiB | %.2f | %s | %d | %.1f %% | %.2f | %.2f | %d | %d | %.2f |"
            + " %.2f | %.2f | %.2f |%n",
        name,
        settings.percent,
        String.format("%.3f", settings.index).replaceAll("\\.?0+$", ""),
        settings.logical,
        made.storedBytes() / 1e6,
        dedup == 0 ? "" : String.format("%.4f", (double) made.storedBytes() / dedup),
        made.differences,
        100.0 * made.differences / made.chunkCount(),
        made.differenceBytes / 1e6,
        made.referenceBytes / 1e6,
        made.groupCount(),
        made.groupLoads,
        made.cutNanos / 1e9,
        made.featureNanos / 1e9,
        made.encodeNanos / 1e9,
        made.groupNanos / 1e9);
  }

  /** Differences of the same chunks to the same bases, as they are and encoded as one group. */
  private static void compare(Map<String, List<Pair>> pairs, FrameChain chain)
      throws IOException, InterruptedException {
    List<ReferenceEncoders> encoders =
        Arrays.stream(ReferenceEncoders.values()).filter(ReferenceEncoders::isInstalled).toList();
    System.out.printf(
        "%n| bases | differences | of chunks, bytes | own | in a group"
            + " |%s%n|---|---|---|---|---|%s%n",
        encoders.stream()
            .map(encoder -> " " + encoder.title + " | in a group |")
            .collect(Collectors.joining()),
        "---|---|".repeat(encoders.size()));
    for (Map.Entry<String, List<Pair>> entry : pairs.entrySet()) {
      long chunkBytes = 0;
      List<ByteArrayOutputStream> differences = new ArrayList<>();
      for (int i = 0; i <= encoders.size(); i++) {
        differences.add(new ByteArrayOutputStream());
      }
      for (Pair pair : entry.getValue()) {
        chunkBytes += pair.chunk().remaining();
        differences.get(0).write(pair.difference());
        for (int i = 0; i < encoders.size(); i++) {
          differences.get(i + 1).write(encoders.get(i).encode(pair.base(), pair.chunk()));
        }
      }
      System.out.printf("| %s | %d | %d |", entry.getKey(), entry.getValue().size(), chunkBytes);
      for (ByteArrayOutputStream made : differences) {
        System.out.printf(" %d | %d |", made.size(), encoded(made.toByteArray(), chain));
      }
      System.out.println();
    }
  }

  private static int encoded(byte[] bytes, FrameChain chain) throws IOException {
    ByteBuffer plain = ByteBuffer.allocateDirect(bytes.length).put(bytes).flip();
    ByteBuffer encoded = BufferPool.shared().take(chain.maxEncodedLength(bytes.length));
    try {
      chain.encode(plain, encoded);
      return encoded.position();
    } finally {
      BufferPool.shared().give(encoded);
    }
  }
}
