/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.benchmarks;

import io.hdrf.cluster.ClusterConfig;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** How long a DataNode with many blocks takes to start, stock and with HDRF. */
@Command(
    name = "startup",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description =
        "Fills a volume with small sparse blocks, half of them reduced, and times the start of a"
            + " DataNode on it, stock and with HDRF in turn; prints medians and paired ratios as"
            + " Markdown.")
public final class StartupBenchmark implements Callable<Integer> {

  private static final String SCHEME = "lz4";
  private static final String STORE = "embedded";

  /** What is started. */
  private enum Variant {
    STOCK("stock"),
    COMPLETE("HDRF, store complete"),
    ABSENT("HDRF, store absent");

    private final String title;

    Variant(String title) {
      this.title = title;
    }
  }

  @Option(
      names = "--blocks",
      defaultValue = "1000000",
      description = "Finalized blocks on the volume (${DEFAULT-VALUE}).")
  private int blocks;

  @Option(
      names = "--pairs",
      defaultValue = "3",
      description = "Starts of each variant with warm and with cold caches (${DEFAULT-VALUE}).")
  private int pairs;

  @Mixin private Report report;

  public static void main(String[] arguments) {
    System.exit(new CommandLine(new StartupBenchmark()).execute(arguments));
  }

  @Override
  public Integer call() throws Exception {
    Path work = Directories.work("startup");
    try (StartupSide stock = new StartupSide(config(work, BenchmarkCluster.STOCK));
        StartupSide hdrf = new StartupSide(config(work, SCHEME + "@" + STORE))) {
      stock.fill(filler -> filler.stock(blocks));
      hdrf.fill(filler -> filler.reduced(blocks, Directories.dist().resolve("plugins"), SCHEME));
      round(0, stock, hdrf, false);
      for (boolean cold : PageCache.canDrop() ? List.of(false, true) : List.of(false)) {
        report.print(table(cold, measure(stock, hdrf, cold)));
      }
    }
    Directories.delete(work);
    return 0;
  }

  private static ClusterConfig config(Path work, String variant) {
    return BenchmarkCluster.config(work.resolve(variant), variant, 1, 1)
        .withHeaps("1g", "2g")
        // The blocks belong to no file: the NameNode must not have them deleted.
        .with("dfs.namenode.startup.delay.block.deletion.sec", "864000")
        // Reads blocks from the disk while others are started.
        .with("dfs.block.scanner.volume.bytes.per.second", "0");
  }

  private Map<Variant, List<Figures>> measure(StartupSide stock, StartupSide hdrf, boolean cold)
      throws IOException, InterruptedException {
    Map<Variant, List<Figures>> figures = new EnumMap<>(Variant.class);
    for (Variant variant : Variant.values()) {
      figures.put(variant, new ArrayList<>());
    }
    for (int pair = 0; pair < pairs; pair++) {
      round(pair, stock, hdrf, cold).forEach((variant, round) -> figures.get(variant).add(round));
      System.err.printf("%s: round %d of %d%n", cold ? "cold" : "warm", pair + 1, pairs);
    }
    return figures;
  }

  /**
   * Starts each variant once, stock in turn as the second, the third and the first; the store that
   * was made for the absent one is the complete one.
   */
  private static Map<Variant, Figures> round(
      int number, StartupSide stock, StartupSide hdrf, boolean cold)
      throws IOException, InterruptedException {
    List<Variant> order = new ArrayList<>(List.of(Variant.ABSENT, Variant.COMPLETE));
    order.add((number + 1) % Variant.values().length, Variant.STOCK);
    Map<Variant, Figures> figures = new EnumMap<>(Variant.class);
    for (Variant variant : order) {
      if (variant == Variant.ABSENT) {
        hdrf.removeStore(STORE);
      }
      figures.put(variant, (variant == Variant.STOCK ? stock : hdrf).start(cold));
    }
    return figures;
  }

  private String table(boolean cold, Map<Variant, List<Figures>> rounds) {
    StringWriter text = new StringWriter();
    PrintWriter printer = new PrintWriter(text);
    printer.printf(
        Locale.ROOT,
        "### Start with %d blocks, caches %s, %d rounds%n%n",
        blocks,
        cold ? "cold" : "warm",
        pairs);
    printer.print("| ");
    for (Variant variant : Variant.values()) {
      printer.printf(variant == Variant.STOCK ? "| %s " : "| %s | ratio | rounds ", variant.title);
    }
    printer.printf("|%n|---|---|---|---|---|---|---|---|%n");
    List<Figures> stock = rounds.get(Variant.STOCK);
    for (String name : stock.get(0).values().keySet()) {
      printer.printf("| %s ", name);
      for (Variant variant : Variant.values()) {
        List<Figures> own = rounds.get(variant);
        printer.printf(Locale.ROOT, "| %.2f ", Figures.median(own).values().get(name));
        if (variant != Variant.STOCK) {
          printer.printf(
              Locale.ROOT,
              "| %.2f | %s ",
              Figures.ratios(own, stock).values().get(name),
              Figures.spread(own, stock, name));
        }
      }
      printer.printf("|%n");
    }
    return text.toString();
  }
}
