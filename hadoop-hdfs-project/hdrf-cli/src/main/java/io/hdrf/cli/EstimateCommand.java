/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.cli;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hdrf.scheme.SchemeRegistry;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.util.StringUtils;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help.Visibility;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code hdrf estimate}. */
@Command(
    name = "estimate",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    showDefaultValues = true,
    description = {
      "Find out what files would take with HDRF, before anything is enabled.",
      "",
      "The files are reduced as a DataNode reduces their blocks, once for each chain and, with"
          + " dedup, each chunk size: what is printed is one copy on one volume. Replicas, and"
          + " copies on other volumes, take as much again: only what lies on the same volume is"
          + " deduplicated."
    })
final class EstimateCommand implements Callable<Integer> {
  private static final long LOCAL_BLOCK_SIZE = 128L << 20;
  private static final List<String> CHUNK_SIZES = Arrays.asList("4k", "5k", "8k", "16k", "64k");

  @Parameters(
      arity = "1..*",
      paramLabel = "PATH",
      description = "A local file or directory, or an hdfs:// path; directories with all in them.")
  private List<String> paths;

  @Option(
      names = "--chain",
      paramLabel = "CHAIN",
      defaultValue = "lz4 zstd dedup dedup,lz4 dedup,zstd",
      split = " ",
      description = "Reduction schemes, in order; may be given several times.")
  private List<String> chains;

  @Option(
      names = "--chunk-size",
      paramLabel = "BYTES",
      split = ",",
      description = {
        "Average lengths of chunks, with commas between them, for chains with dedup.",
        "Default: 4k,5k,8k,16k,64k, and hdrf.dedup.chunk.size where --conf sets it."
      })
  private List<String> chunkSizes;

  @Option(
      names = "--block-size",
      paramLabel = "BYTES",
      defaultValue = "",
      showDefaultValue = Visibility.NEVER,
      description = "Length of blocks. Default: in HDFS that of each file, else 128m.")
  private String blockSize;

  @Option(
      names = "--conf",
      paramLabel = "DIR",
      description =
          "Directory with core-site.xml and hdfs-site.xml, for HDFS and for the settings hdrf.*.")
  private Path configuration;

  @Option(
      names = "-D",
      paramLabel = "KEY=VALUE",
      description = "A setting, instead of that of --conf: -D hdrf.dedup.delta=on.")
  private Map<String, String> settings = Map.of();

  @Option(
      names = "--work-dir",
      paramLabel = "DIR",
      defaultValue = "${sys:java.io.tmpdir}",
      description = {
        "Where chunks are written: for each chain with dedup as much as would be stored,",
        "one chain after the other. What is written there is deleted at the end."
      })
  private Path workDirectory;

  @Option(
      names = "--plugins",
      paramLabel = "DIR",
      description = "The jars of schemes. Default: those that are built here.")
  private Path plugins;

  @Option(names = "--json", description = "Print all figures as JSON, in bytes.")
  private boolean json;

  @Override
  public Integer call() throws IOException {
    Configuration conf = new Configuration();
    if (configuration != null) {
      RecordTarget.addFiles(conf, configuration);
      Login.use(conf);
    }
    settings.forEach(conf::set);
    Terminal terminal = Terminal.system();
    Troubles troubles = new Troubles(terminal);
    List<EstimateFile> files = files(conf, troubles);
    Path directory = Home.plugins(plugins);
    return run(files, conf, SchemeRegistry.load(directory), terminal, troubles);
  }

  /** Returns the files that the paths name, at least one of which has data. */
  List<EstimateFile> files(Configuration conf, Troubles troubles) throws IOException {
    long size = blockSize.isEmpty() ? 0 : bytes("--block-size", blockSize);
    List<EstimateFile> files = new ArrayList<>();
    for (String path : paths) {
      files.addAll(EstimateFile.find(path, conf, size, LOCAL_BLOCK_SIZE, troubles::add));
    }
    if (bytes(files) == 0) {
      throw new IllegalArgumentException("There is no data in " + String.join(", ", paths));
    }
    return files;
  }

  int run(
      List<EstimateFile> files,
      Configuration conf,
      SchemeRegistry registry,
      Terminal terminal,
      Troubles troubles)
      throws IOException {
    List<Estimate> estimates = new ArrayList<>();
    try (WorkDirectory work = WorkDirectory.in(workDirectory)) {
      Path volume = work.path().resolve("volume");
      List<String[]> plans = plans(conf);
      for (String[] plan : plans) {
        open(volume, registry, conf, plan).close();
        WorkDirectory.deleteTree(volume);
      }
      for (String[] plan : plans) {
        try (Estimator estimator = open(volume, registry, conf, plan)) {
          estimates.add(estimate(estimator, plan, files, terminal, troubles));
        }
        WorkDirectory.deleteTree(volume);
      }
    }
    if (json) {
      ObjectNode root = toJson(files, estimates);
      troubles.lines().forEach(root.putArray("notLookedAt")::add);
      terminal.result(Json.text(root));
    } else {
      print(files, estimates, terminal);
    }
    return troubles.exitCode(true);
  }

  private static Estimate estimate(
      Estimator estimator,
      String[] plan,
      List<EstimateFile> files,
      Terminal terminal,
      Troubles troubles)
      throws IOException {
    String label = String.join(" ", plan).trim();
    try (Progress progress = terminal.progress(label, bytes(files), Progress.Unit.BYTES)) {
      Estimate estimate = estimator.run(files, progress::add, troubles::add);
      progress.done(Sizes.percent(estimate.ratio()));
      return estimate;
    }
  }

  private static Estimator open(
      Path volume, SchemeRegistry registry, Configuration conf, String[] plan) throws IOException {
    return new Estimator(volume, registry, conf, plan[0], plan[1]);
  }

  /** Returns chains and chunk sizes, which are empty for chains without dedup. */
  private List<String[]> plans(Configuration conf) {
    List<String[]> plans = new ArrayList<>();
    for (String chain : chains) {
      if (Arrays.asList(chain.split("\\s*,\\s*")).contains(Estimator.DEDUP)) {
        chunkSizes(conf).forEach(size -> plans.add(new String[] {chain, size}));
      } else {
        plans.add(new String[] {chain, ""});
      }
    }
    return plans;
  }

  private Collection<String> chunkSizes(Configuration conf) {
    if (chunkSizes != null) {
      return chunkSizes.stream().map(String::trim).collect(Collectors.toList());
    }
    Map<Long, String> sizes = new TreeMap<>();
    CHUNK_SIZES.forEach(size -> sizes.put(bytes("--chunk-size", size), size));
    String configured = conf.getTrimmed(Estimator.CHUNK_SIZE, "");
    if (!configured.isEmpty()) {
      sizes.putIfAbsent(bytes(Estimator.CHUNK_SIZE, configured), configured);
    }
    return sizes.values();
  }

  private static long bytes(List<EstimateFile> files) {
    return files.stream().mapToLong(EstimateFile::length).sum();
  }

  private static long bytes(String option, String value) {
    long bytes;
    try {
      bytes = StringUtils.TraditionalBinaryPrefix.string2long(value);
    } catch (IllegalArgumentException e) {
      bytes = 0;
    }
    if (bytes < 1) {
      throw new IllegalArgumentException(
          option + " is \"" + value + "\", but must be a number of bytes; k, m and g may follow");
    }
    return bytes;
  }

  private static void print(List<EstimateFile> files, List<Estimate> estimates, Terminal terminal) {
    terminal.result(files.size() + " files, " + Sizes.bytes(bytes(files)) + "; one copy takes");
    List<List<String>> rows = new ArrayList<>();
    boolean dedup = estimates.stream().anyMatch(Estimate::hasChunks);
    boolean differences = estimates.stream().anyMatch(e -> e.chunksAsDifferences() > 0);
    int columns = differences ? 8 : dedup ? 7 : 3;
    rows.add(
        row(
            columns,
            "chain",
            "physical",
            "ratio",
            "chunks",
            "unique",
            "filters",
            "index",
            "differences"));
    for (Estimate e : estimates) {
      String physical = Sizes.bytes(e.physicalBytes());
      rows.add(
          e.hasChunks()
              ? row(
                  columns,
                  e.label(),
                  physical,
                  Sizes.percent(e.ratio()),
                  Long.toString(e.chunks()),
                  Sizes.percent(e.uniqueShare()),
                  Sizes.bytes(e.filterBytes()),
                  Sizes.bytes(e.embeddedIndexBytes()),
                  e.chunksAsDifferences() + " (" + Sizes.percent(e.differenceShare()) + ")")
              : row(columns, e.label(), physical, Sizes.percent(e.ratio()), "", "", "", "", ""));
    }
    terminal.table(rows);
    if (dedup) {
      terminal.result(
          "filters are in the DataNode's memory, too. The index is that of the embedded");
      terminal.result("store; in Redis it takes as much, of its memory and not of the volume.");
    }
    if (differences) {
      terminal.result(
          "differences are chunks that are kept as such, and their part of the unique.");
    }
  }

  private static List<String> row(int columns, String... cells) {
    return Arrays.asList(cells).subList(0, columns);
  }

  private static ObjectNode toJson(List<EstimateFile> files, List<Estimate> estimates) {
    ObjectNode root = Json.root();
    root.putObject("input").put("files", files.size()).put("bytes", bytes(files));
    ArrayNode list = root.putArray("estimates");
    for (Estimate e : estimates) {
      ObjectNode node =
          list.addObject()
              .put("chain", e.chain())
              .put("blocks", e.blocks())
              .put("plainBlocks", e.plainBlocks())
              .put("logicalBytes", e.logicalBytes())
              .put("physicalBytes", e.physicalBytes())
              .put("blockFileBytes", e.blockBytes())
              .put("storeBytes", e.storeBytes())
              .put("ratio", e.ratio());
      if (e.hasChunks()) {
        node.put("chunkSize", e.chunkSize())
            .put("chunks", e.chunks())
            .put("uniqueChunks", e.uniqueChunks())
            .put("uniqueBytes", e.uniqueBytes())
            .put("uniqueShare", e.uniqueShare())
            .put("chunksAsDifferences", e.chunksAsDifferences())
            .put("bytesAsDifferences", e.bytesAsDifferences())
            .put("bytesOfDifferences", e.bytesOfDifferences())
            .put("indexEntries", e.indexEntries())
            .put("filterBytes", e.filterBytes())
            .put("embeddedIndexBytes", e.embeddedIndexBytes())
            .put("redisIndexBytes", e.redisIndexBytes());
      }
    }
    return root;
  }
}
