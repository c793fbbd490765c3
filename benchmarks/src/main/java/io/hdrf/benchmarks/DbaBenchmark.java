/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.benchmarks;

import io.hdrf.codec.dedup.dba.BloomFilterArray;
import io.hdrf.codec.dedup.dba.Candidates;
import io.hdrf.codec.dedup.dba.DbaSettings;
import io.hdrf.codec.dedup.dba.DbaSettings.Control;
import io.hdrf.codec.dedup.dba.Insertion;
import io.hdrf.spi.io.LocalDurableFiles;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Redraws figures 6 to 10 of the paper on dynamic Bloom filter arrays. One thread. */
@Command(
    name = "dba",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description =
        "Figures 6 to 10 of the paper on dynamic Bloom filter arrays, as tables and plots in"
            + " Markdown. Rates are of the thread's CPU time, with those of elapsed time beside"
            + " them.")
public final class DbaBenchmark implements Callable<Integer> {

  private static final int BATCH = 1024;
  private static final int INSERT_BATCH = 4096;

  /** Numbers from here on are of elements that were never inserted. */
  private static final long ABSENT = 1L << 40;

  @Option(
      names = "--figures",
      split = ",",
      defaultValue = "6,7,8,9,10",
      description = "Which figures (${DEFAULT-VALUE}).")
  private List<Integer> figures;

  @Option(
      names = "--groups",
      split = ",",
      defaultValue = "1,8,16,32,64",
      description = "Filters of a group, for figures 6, 7 and 9 (${DEFAULT-VALUE}).")
  private int[] widths;

  @Option(
      names = "--filters",
      defaultValue = "160",
      description = "Filters that figures 6 and 7 grow to (${DEFAULT-VALUE}).")
  private int filters;

  @Option(
      names = "--capacity",
      defaultValue = "524288",
      description = "Elements of one filter (${DEFAULT-VALUE}).")
  private int capacity;

  @Option(
      names = "--elements",
      defaultValue = "83733597",
      description = "Elements that figure 8 grows to (${DEFAULT-VALUE}).")
  private long elements;

  @Option(
      names = "--batches",
      defaultValue = "400",
      description = "Batches of 1024 queries for one point (${DEFAULT-VALUE}).")
  private int batches;

  @Mixin private Report report;

  private final ThreadMXBean threads = ManagementFactory.getThreadMXBean();
  private final Candidates candidates = new Candidates();
  private Path directory;

  public static void main(String[] arguments) {
    System.exit(new CommandLine(new DbaBenchmark()).execute(arguments));
  }

  @Override
  public Integer call() throws Exception {
    directory = Files.createTempDirectory("dba");
    try {
      if (figures.contains(6)) {
        queryRates(6, 1.0 / (1 << 14));
      }
      if (figures.contains(7)) {
        queryRates(7, 1.0 / (1 << 7));
      }
      if (figures.contains(8)) {
        errorRates();
      }
      if (figures.contains(9)) {
        reinsertionRates();
      }
      if (figures.contains(10)) {
        memory();
      }
    } finally {
      Directories.delete(directory);
    }
    return 0;
  }

  // Figures 6 and 7

  private record Rate(double cpu, double elapsed) {}

  private void queryRates(int figure, double errorRate) throws IOException {
    Map<Integer, List<Rate>> rates = new LinkedHashMap<>();
    List<Double> points = new ArrayList<>();
    for (int width : widths) {
      points.clear();
      List<Rate> own = new ArrayList<>();
      DbaSettings settings =
          settings(errorRate).group(width).filters(filters).memory(DbaSettings.UNLIMITED).build();
      try (Growing array = new Growing(settings)) {
        for (int at : new int[] {1, 8, 16, 32, 64, 96, 128, 160}) {
          int until = Math.min(at, filters);
          if (points.isEmpty() || points.get(points.size() - 1) < until) {
            array.growTo((long) until * capacity, false);
            own.add(array.queryRate());
            points.add((double) until);
          }
        }
        System.err.printf("figure %d, g = %d: %s%n", figure, width, own);
      }
      rates.put(width, own);
    }
    report.print(
        "### Figure " + figure + ": queries, error rate 2^-" + Math.round(-log2(errorRate)));
    report.print(
        "\nMillion queries per second of CPU time (of elapsed time), half of them present.\n");
    StringBuilder head = new StringBuilder("| g |");
    StringBuilder line = new StringBuilder("|---|");
    for (double point : points) {
      head.append(String.format(Locale.ROOT, " %.0f filters |", point));
      line.append("---|");
    }
    report.print(head.toString());
    report.print(line.toString());
    TextPlot plot = new TextPlot("million queries per second of CPU time over filters");
    rates.forEach(
        (width, own) -> {
          StringBuilder row = new StringBuilder("| ").append(width).append(" |");
          List<Double> y = new ArrayList<>();
          for (Rate rate : own) {
            row.append(
                String.format(Locale.ROOT, " %.2f (%.2f) |", rate.cpu / 1e6, rate.elapsed / 1e6));
            y.add(rate.cpu / 1e6);
          }
          report.print(row.toString());
          plot.curve("g=" + width, points, y);
        });
    report.print("\n" + plot);
  }

  // Figure 8

  private void errorRates() throws IOException {
    double limit = 1.0 / (1 << 14);
    List<Double> x = new ArrayList<>();
    Map<String, List<Double>> curves = new LinkedHashMap<>();
    StringBuilder ends = new StringBuilder();
    for (String how : new String[] {"none", "enlarge", "tighten"}) {
      List<Double> measured = new ArrayList<>();
      x.clear();
      DbaSettings settings =
          settings(limit)
              .group(32)
              .control(how.equals("enlarge") ? Control.ENLARGE : Control.TIGHTEN)
              .memory(DbaSettings.UNLIMITED)
              .build();
      try (Growing array = new Growing(settings)) {
        for (int i = 1; i <= 16; i++) {
          array.growTo(elements * i / 16, !how.equals("none"));
          x.add(elements * i / 16e6);
          measured.add(array.errorRate(8_000_000) * 1e5);
        }
        ends.append(
            String.format(
                Locale.ROOT,
                "- %s: %d filters, %.0f MB, %d groups adjusted; bound of the compound rate"
                    + " %.2f · 10^-5, exceeded %d times; groups: %s%n",
                how,
                array.array.filters(),
                array.count("memoryBytes") / 1e6,
                array.count("tightened") + array.count("enlarged"),
                array.array.errorRate() * 1e5,
                array.count("exceeded"),
                array.describe()));
      }
      System.err.printf("figure 8, %s: %s%n", how, measured);
      curves.put(how, measured);
    }
    report.print("### Figure 8: error rate while the array grows\n");
    report.print(
        "Share of 8 million absent fingerprints with a candidate, in 10^-5; limit 6.10.\n");
    report.print("| million elements | none | enlarge | tighten |");
    report.print("|---|---|---|---|");
    TextPlot plot = new TextPlot("error rate in 10^-5 over million elements");
    for (int i = 0; i < x.size(); i++) {
      StringBuilder row = new StringBuilder(String.format(Locale.ROOT, "| %.1f |", x.get(i)));
      for (List<Double> curve : curves.values()) {
        row.append(String.format(Locale.ROOT, " %.2f |", curve.get(i)));
      }
      report.print(row.toString());
    }
    curves.forEach((name, y) -> plot.curve(name, x, y));
    report.print("\n" + ends + "\n" + plot);
  }

  // Figure 9

  private void reinsertionRates() throws IOException {
    report.print("### Figure 9: partial reconstruction\n");
    report.print(
        "Million elements per second of CPU time that one step of the maintenance inserts");
    report.print("again, the reading of their fingerprints included: a filter refreshed, under");
    report.print("configurations A to C; a group enlarged; two rows added to a group.\n");
    report.print(
        "| g | A: 20 rows, 2^19 | B: 20 rows, 3 · 2^19 | C: 22 rows, 2^19 | enlarged to 3 · 2^19"
            + " | 2 rows added |");
    report.print("|---|---|---|---|---|---|");
    for (int width : widths) {
      double a = refreshRate(errorLimit().group(width));
      double b = refreshRate(errorLimit().group(width).capacity(3 * capacity));
      double c = refreshRate(errorLimit().group(width).filters(192));
      double enlarge = adjustRate(errorLimit().group(width).control(Control.ENLARGE), "enlarged");
      double tighten = adjustRate(errorLimit().group(width).control(Control.TIGHTEN), "tightened");
      report.print(
          String.format(
              Locale.ROOT,
              "| %d | %.2f | %.2f | %.2f | %.2f | %.2f |",
              width,
              a,
              b,
              c,
              enlarge,
              tighten));
    }
    report.print("");
  }

  private DbaSettings.Builder errorLimit() {
    return settings(1.0 / (1 << 14)).memory(DbaSettings.UNLIMITED);
  }

  /** Has a full filter refreshed, of whose elements the due share was deleted. */
  private double refreshRate(DbaSettings.Builder builder) throws IOException {
    DbaSettings settings = builder.build();
    try (Growing array = new Growing(settings)) {
      array.growTo(4L * settings.capacity(), false);
      int stale = (int) Math.ceil(settings.staleShare() * settings.capacity());
      array.array.deleted(array.index.segments().iterator().next(), stale);
      return array.reinsertionRate("refreshed");
    }
  }

  /** Has one group adjusted, as the planned number of filters is all but reached. */
  private double adjustRate(DbaSettings.Builder builder, String counter) throws IOException {
    try (Growing array = new Growing(builder.build())) {
      array.growTo(60L * capacity, false);
      return array.reinsertionRate(counter);
    }
  }

  // Figure 10

  private void memory() {
    report.print("### Figure 10: memory against one Bloom filter\n");
    report.print("Bits of r filters together by those of one filter with the same error rate and");
    report.print("capacity; in brackets as stored, with whole numbers of rows.\n");
    report.print("| error rate | r = 1 | 16 | 64 | 160 | 256 | 1024 |");
    report.print("|---|---|---|---|---|---|---|");
    int[] counts = {1, 16, 64, 160, 256, 1024};
    TextPlot plot = new TextPlot("memory by that of one filter over filters");
    for (int exponent : new int[] {7, 10, 14, 17, 20}) {
      double errorRate = Math.pow(2, -exponent);
      StringBuilder row = new StringBuilder("| 2^-").append(exponent).append(" |");
      List<Double> x = new ArrayList<>();
      List<Double> y = new ArrayList<>();
      for (int count : counts) {
        double own = -Math.expm1(Math.log1p(-errorRate) / count);
        double exact = log2(own) / log2(errorRate);
        double stored = Math.ceil(-log2(own) - 1e-9) / exponent;
        row.append(String.format(Locale.ROOT, " %.2f (%.2f) |", exact, stored));
        x.add((double) count);
        y.add(exact);
      }
      report.print(row.toString());
      plot.curve("2^-" + exponent, x, y);
    }
    report.print("\n" + plot);
  }

  private static double log2(double value) {
    return Math.log(value) / Math.log(2);
  }

  private DbaSettings.Builder settings(double errorRate) {
    return DbaSettings.builder().errorRate(errorRate).capacity(capacity);
  }

  /** An array that elements are added to in sequence. */
  private final class Growing implements AutoCloseable {
    private final CountedIndex index = new CountedIndex();
    private final BloomFilterArray array;
    private final byte[] fingerprints = CountedIndex.buffer(INSERT_BATCH);
    private long size;

    Growing(DbaSettings settings) throws IOException {
      Path own = Files.createTempDirectory(directory, "array");
      array = BloomFilterArray.open(own, LocalDurableFiles.INSTANCE, settings, index);
    }

    String describe() {
      return array.describe();
    }

    long count(String counter) {
      return array.counters().asMap().get(counter);
    }

    void growTo(long target, boolean maintain) {
      while (size < target) {
        int count = (int) Math.min(INSERT_BATCH, target - size);
        for (int i = 0; i < count; i++) {
          CountedIndex.fingerprint(size + i, fingerprints, i);
        }
        int[] segments = new int[count];
        try (Insertion insertion = array.insert(fingerprints, count, segments)) {
          if (insertion != null) {
            index.add(size, segments);
          }
        }
        size += count;
        while (maintain && array.maintain()) {
          // Until there is nothing to do.
        }
      }
    }

    /** Maintains the array until a counter rises; returns millions of elements a second of CPU. */
    double reinsertionRate(String counter) {
      long before = count("reinserted");
      long began = threads.getCurrentThreadCpuTime();
      while (count(counter) == 0) {
        if (!array.maintain()) {
          throw new IllegalStateException("nothing is " + counter + ": " + describe());
        }
      }
      return (count("reinserted") - before) * 1e3 / (threads.getCurrentThreadCpuTime() - began);
    }

    /** Half of the queries are present. The better of several runs. */
    Rate queryRate() {
      SplittableRandom random = new SplittableRandom(size);
      List<byte[]> queries = new ArrayList<>();
      for (int i = 0; i < batches; i++) {
        byte[] batch = CountedIndex.buffer(BATCH);
        for (int j = 0; j < BATCH; j++) {
          long element = random.nextBoolean() ? random.nextLong(size) : ABSENT + random.nextInt();
          CountedIndex.fingerprint(element, batch, j);
        }
        queries.add(batch);
      }
      Rate best = new Rate(0, 0);
      for (int run = 0; run < 6; run++) {
        long cpu = threads.getCurrentThreadCpuTime();
        long began = System.nanoTime();
        for (byte[] batch : queries) {
          array.query(batch, BATCH, candidates);
        }
        double asked = (double) batches * BATCH;
        Rate rate =
            new Rate(
                asked * 1e9 / (threads.getCurrentThreadCpuTime() - cpu),
                asked * 1e9 / (System.nanoTime() - began));
        best = new Rate(Math.max(best.cpu, rate.cpu), Math.max(best.elapsed, rate.elapsed));
      }
      return best;
    }

    /** The share of absent elements that have a candidate. */
    double errorRate(int samples) {
      byte[] batch = CountedIndex.buffer(BATCH);
      long positives = 0;
      for (int done = 0; done < samples; done += BATCH) {
        for (int i = 0; i < BATCH; i++) {
          CountedIndex.fingerprint(ABSENT + size + done + i, batch, i);
        }
        array.query(batch, BATCH, candidates);
        for (int i = 0; i < BATCH && candidates.total() > 0; i++) {
          positives += candidates.size(i) > 0 ? 1 : 0;
        }
      }
      return (double) positives / samples;
    }

    @Override
    public void close() {
      System.gc();
    }
  }
}
