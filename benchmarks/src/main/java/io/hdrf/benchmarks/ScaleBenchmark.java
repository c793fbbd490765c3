/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.benchmarks;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import io.hdrf.benchmarks.AgedVolume.Plan;
import io.hdrf.benchmarks.DiskCounts.Counts;
import io.hdrf.benchmarks.DiskCounts.Kind;
import io.hdrf.cluster.ClusterConfig;
import io.hdrf.metadata.MetadataStores;
import io.hdrf.spi.io.LocalDurableFiles;
import io.hdrf.spi.store.MetadataStoreProvider;
import io.hdrf.spi.store.StoreContext;
import io.hdrf.volume.Superblock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import org.apache.hadoop.conf.Configuration;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Deduplication on volumes as they are after years. */
@Command(
    name = "scale",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Makes volumes with deduplicated blocks as they are after years, and measures what they ask of"
          + " memory and disk: starts of a DataNode, look-ups, writes, reads, collections.",
      "",
      "The same data are written again and again: each generation shares most chunks with the one"
          + " before; of all but the last ten each third is deleted. Chunks have 5 KiB, are changed"
          + " in extents of 64 on average, and compressed to the half. Block files, recipes,"
          + " directories, index and records are true; chunks are zeros in holes, as are the blocks'"
          + " checksums.",
      "",
      "What a rotating disk would take is derived from what the processes ask of the volume, as if"
          + " nothing were in the page cache but names, and what was asked for ahead: 8 ms for each"
          + " read that does not begin where the last one of its file ended, and for each fsync; 150"
          + " MB/s.",
      "",
      "Sizes that the disk does not carry are extrapolated: by the line through all that were"
          + " measured. A TiB takes up to 10 GB.",
      ""
    })
public final class ScaleBenchmark implements Callable<Integer> {

  private static final String CHAIN = "dedup,zstd";
  private static final String STORE = "embedded";
  private static final double TIB = Math.pow(2, 40);
  private static final long BLOCK_LENGTH = 128L << 20;

  /** What is left free on the disk, in bytes. */
  private static final long RESERVE = 25L << 30;

  /** At most, with directories, block files, index and what a collection rewrites. */
  private static final double BYTES_PER_TIB = 6e9;

  /** At least, with its checksums. */
  private static final double BYTES_PER_BLOCK = 2 * 4096;

  private static final List<Double> SIZES = List.of(1.0, 2.0, 4.0, 10.0, 100.0);
  private static final List<Double> QUICK_SIZES = List.of(0.005, 0.01, 0.02);

  @Option(
      names = "--size-tib",
      split = ",",
      description = "Logical data on the volume, TiB (1,2,4,10,100; 0.005,0.01,0.02 with --quick).")
  private List<Double> sizes;

  @Option(
      names = "--blocks",
      defaultValue = "0",
      description =
          "Blocks on a volume of each size; 0: as many as have 128 MiB (${DEFAULT-VALUE}).")
  private long blocks;

  @Option(
      names = "--generations",
      split = ",",
      defaultValue = "1,10,50",
      description =
          "Generations whose blocks are read; as many as the last one are written"
              + " (${DEFAULT-VALUE}).")
  private List<Integer> generations;

  @Option(
      names = "--share",
      defaultValue = "0",
      description =
          "Percent of its chunks that a generation has of the one before; 0: another number from 70"
              + " to 95 each time (${DEFAULT-VALUE}).")
  private int share;

  @Option(
      names = "--dir",
      description = "Where the volumes are made, one after the other (target/scale).")
  private Path directory;

  @Option(
      names = "--seed",
      defaultValue = "1",
      description = "Of all that is random (${DEFAULT-VALUE}).")
  private long seed;

  @Option(names = "--quick", description = "Small sizes, unless others are named, and no DataNode.")
  private boolean quick;

  @Option(names = "--json", description = "Also write all figures to this file, as JSON.")
  private Path json;

  @Mixin private Settings settings;

  @Mixin private Report report;

  @Spec private CommandSpec command;

  public static void main(String[] arguments) {
    System.exit(new CommandLine(new ScaleBenchmark()).execute(arguments));
  }

  @Override
  public Integer call() throws Exception {
    if (share < 0 || share > 99) {
      throw new CommandLine.ParameterException(command.commandLine(), "--share: from 0 to 99");
    }
    if (Collections.min(generations) < 1) {
      throw new CommandLine.ParameterException(command.commandLine(), "--generations: from 1 on");
    }
    if (!DiskCounts.isCounting()) {
      System.err.println("Nothing is counted without the library that benchmarks/scale preloads.");
    }
    Path work = directory == null ? Directories.work("scale") : directory.toAbsolutePath();
    Files.createDirectories(work);
    Map<Double, Figures> measured = new LinkedHashMap<>();
    List<Double> tooLarge = new ArrayList<>();
    if (sizes == null) {
      sizes = quick ? QUICK_SIZES : SIZES;
    }
    for (double size : sizes) {
      double free = Files.getFileStore(work).getUsableSpace() - RESERVE;
      if (size * BYTES_PER_TIB + blocks * BYTES_PER_BLOCK > free) {
        tooLarge.add(size);
        continue;
      }
      Path own = work.resolve(String.format(Locale.ROOT, "volume-%s", size));
      measured.put(size, measure(own, size));
      // Should the benchmark be stopped: a larger one takes long.
      writeJson(new ScaleTable(measured, List.of()));
      Directories.delete(own);
    }
    if (measured.isEmpty()) {
      System.err.println(work + ": there is no room for any of the sizes");
      return 1;
    }
    ScaleTable table = new ScaleTable(measured, tooLarge);
    report.print(title() + table.markdown());
    writeJson(table);
    return 0;
  }

  private void writeJson(ScaleTable table) throws IOException {
    if (json != null) {
      new ObjectMapper()
          .enable(SerializationFeature.INDENT_OUTPUT)
          .writeValue(json.toFile(), table.values());
    }
  }

  private String title() throws IOException {
    return String.format(
        Locale.ROOT,
        "### %s, %d generations that share %s %%, seed %d%s%n%n",
        CHAIN,
        Collections.max(generations),
        share == 0 ? "70 to 95" : Integer.toString(share),
        seed,
        settings.heading());
  }

  private Figures measure(Path own, double size) throws Exception {
    long bytes = (long) (size * TIB);
    Plan plan =
        new Plan(
            bytes,
            blocks > 0 ? blocks : Math.max(1, bytes / BLOCK_LENGTH),
            Collections.max(generations),
            generations,
            share / 100.0,
            seed);
    return quick ? measureAlone(own, plan) : measureWithDataNode(own, plan);
  }

  private Figures measureAlone(Path own, Plan plan) throws Exception {
    Directories.delete(own);
    Path pool = own.resolve("current").resolve("BP-1-127.0.0.1-1");
    Path hdrf = pool.resolve("hdrf");
    Files.createDirectories(pool.resolve("current").resolve("finalized"));
    Files.createDirectories(hdrf);
    Superblock.create(hdrf, LocalDurableFiles.INSTANCE);
    DiskCounts disk = new DiskCounts(own);
    AgedVolume volume = make(pool, plan);
    Figures figures = described(volume);
    ScaleProbe probe = probe(volume, disk);
    probe.completeIndex();
    probe.measure();
    figures.values().putAll(probe.figures().values());
    return figures;
  }

  private Figures measureWithDataNode(Path own, Plan plan) throws Exception {
    ClusterConfig config =
        BenchmarkCluster.config(own, CHAIN + "@" + STORE, 1, 1)
            .withHeaps("1g", "2g")
            // The blocks belong to no file: the NameNode must not have them deleted.
            .with("dfs.namenode.startup.delay.block.deletion.sec", "864000")
            // Reads blocks from the disk while others are started.
            .with("dfs.block.scanner.volume.bytes.per.second", "0")
            .with("hdrf.dedup.gc.interval", "0");
    Figures figures;
    ScaleProbe probe;
    try (StartupSide side = new StartupSide(settings.addTo(config))) {
      AgedVolume volume = make(VolumeFiller.pool(side.volume()), plan);
      DiskCounts disk = new DiskCounts(side.volume());
      figures = described(volume);
      // The DataNode that formatted the volume may have found that an empty index is complete.
      side.removeStore(STORE);
      Directories.delete(volume.hdrf().resolve("dedup").resolve("filters"));
      start("first start, no records: ", side, disk, figures);
      probe = probe(volume, disk);
      probe.completeIndex();
      start("start with records and index: ", side, disk, figures);
    }
    probe.measure();
    figures.values().putAll(probe.figures().values());
    return figures;
  }

  private AgedVolume make(Path pool, Plan plan) throws IOException {
    Configuration configuration = new Configuration(false);
    configuration.set("hdrf.dedup.gc.rate", "0");
    configuration.set("hdrf.dedup.gc.min.age", "1");
    settings.addTo(configuration);
    AgedVolume volume = new AgedVolume(pool, plan, configuration);
    volume.make();
    return volume;
  }

  private static Figures described(AgedVolume volume) {
    Figures figures = new Figures();
    figures.put("blocks (thousand)", volume.blocksMade() / 1e3);
    figures.put("unique (TiB)", volume.uniqueBytes() / TIB);
    figures.put("on disk without holes (TiB)", volume.physicalBytes() / TIB);
    figures.put("a block's file (KB)", volume.blockBytes() / 1e3 / volume.blocksMade());
    return figures;
  }

  private static void start(String name, StartupSide side, DiskCounts disk, Figures figures)
      throws IOException, InterruptedException {
    Counts blocksBefore = disk.of(Kind.BLOCKS);
    Counts before = disk.all();
    side.start(false).values().forEach((key, value) -> figures.put(name + key, value));
    Counts ofBlocks = disk.of(Kind.BLOCKS).minus(blocksBefore);
    figures.put(name + "names looked for (thousand)", ofBlocks.names() / 1e3);
    figures.put(name + "seeks in block files (thousand)", ofBlocks.seeks() / 1e3);
    figures.put(name + "read from block files (MB)", ofBlocks.readBytes() / 1e6);
    figures.put(
        name + "read from all else (MB)",
        (disk.all().minus(before).readBytes() - ofBlocks.readBytes()) / 1e6);
  }

  private static ScaleProbe probe(AgedVolume volume, DiskCounts disk) throws IOException {
    MetadataStoreProvider provider =
        MetadataStores.load(Directories.dist().resolve("plugins")).named("scale", STORE);
    StoreContext context =
        StoreContext.of(volume.configuration(), STORE, volume.hdrf(), "DS-scale", volume.poolId());
    return new ScaleProbe(volume, () -> provider.open(context), disk);
  }
}
