/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.hadooptests;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The steps of the script {@code run} that aren't Maven's:
 *
 * <ul>
 *   <li>{@code select RUN LIST CLASSES_DIR VERSION all|quick [CLASS...]}: selects the classes to
 *       run;
 *   <li>{@code missing RUN STOCK_RUN BASELINE}: selects the classes of RUN that BASELINE lacks, to
 *       run them on stock HDFS;
 *   <li>{@code again RUN [BASELINE...]}: selects the classes that failed (or, with baselines, are
 *       worse), to run them again;
 *   <li>{@code record RUN BASELINE}: writes the outcomes of a run on stock HDFS into the baseline;
 *   <li>{@code compare RUN MARKDOWN BASELINE...}: writes the table.
 * </ul>
 *
 * <p>{@code select}, {@code missing} and {@code again} print the number of classes; {@code compare}
 * ends with status 1 if a class is worse under HDRF. Status 2 is an error, also that HDRF was in no
 * DataNode of a run that is compared.
 */
public final class Main {
  private Main() {}

  /**
   * Runs one step.
   *
   * @param args the step and its arguments
   */
  public static void main(String[] args) {
    try {
      System.exit(run(args, System.out));
    } catch (IOException | IllegalArgumentException e) {
      System.err.println("hadoop-tests: " + e.getMessage());
      System.exit(2);
    }
  }

  static int run(String[] args, PrintStream out) throws IOException {
    List<String> operands = Arrays.asList(args).subList(Math.min(2, args.length), args.length);
    if (operands.isEmpty() && !(args.length == 2 && args[0].equals("again"))) {
      throw new IllegalArgumentException("too few arguments: " + String.join(" ", args));
    }
    TestRun run = new TestRun(Paths.get(args[1]));
    switch (args[0]) {
      case "select":
        return schedule(run, select(operands), out);
      case "missing":
        return schedule(new TestRun(Paths.get(operands.get(0))), missing(run, operands), out);
      case "again":
        return schedule(run.again(), failed(run, operands), out);
      case "record":
        record(run, Paths.get(operands.get(0)));
        return 0;
      case "compare":
        return compare(run, operands, out);
      default:
        throw new IllegalArgumentException("unknown step " + args[0]);
    }
  }

  private static int schedule(TestRun run, List<String> names, PrintStream out) throws IOException {
    ClassList.write(run.includes(), names);
    out.println(names.size());
    return 0;
  }

  private static List<String> select(List<String> operands) throws IOException {
    if (operands.size() == 4) {
      return ClassList.listed(
          Paths.get(operands.get(0)), operands.get(2), operands.get(3).equals("quick"));
    }
    Set<String> names = new LinkedHashSet<>();
    for (String name : operands.subList(4, operands.size())) {
      names.addAll(ClassList.find(Paths.get(operands.get(1)), name));
    }
    return new ArrayList<>(names);
  }

  private static List<String> missing(TestRun run, List<String> operands) throws IOException {
    List<String> names = new ArrayList<>(run.classes());
    names.removeAll(OutcomeTable.read(Paths.get(operands.get(1))).keySet());
    return names;
  }

  private static List<String> failed(TestRun run, List<String> baselines) throws IOException {
    List<String> names = new ArrayList<>();
    if (baselines.isEmpty()) {
      for (String name : run.classes()) {
        if (!run.first(name).failed().isEmpty()) {
          names.add(name);
        }
      }
    } else {
      for (Comparison comparison : comparisons(run, baselines)) {
        if (comparison.verdict() == Comparison.Verdict.WORSE) {
          names.add(comparison.stock().testClass());
        }
      }
    }
    return names;
  }

  private static void record(TestRun run, Path baseline) throws IOException {
    SortedMap<String, Outcome> table =
        Files.exists(baseline) ? OutcomeTable.read(baseline) : new TreeMap<>();
    for (String name : run.classes()) {
      table.put(name, run.steady(name));
    }
    OutcomeTable.write(baseline, table);
  }

  private static int compare(TestRun run, List<String> operands, PrintStream out)
      throws IOException {
    List<Comparison> comparisons = comparisons(run, operands.subList(1, operands.size()));
    Files.write(Paths.get(operands.get(0)), ComparisonReport.markdown(comparisons).getBytes(UTF_8));
    out.print(ComparisonReport.table(comparisons));
    out.println(ComparisonReport.summary(comparisons));
    if (comparisons.stream().noneMatch(Comparison::hadHdrf)) {
      throw new IOException("HDRF was in no DataNode of this run");
    }
    boolean worse = comparisons.stream().anyMatch(c -> c.verdict() == Comparison.Verdict.WORSE);
    return worse ? 1 : 0;
  }

  private static List<Comparison> comparisons(TestRun run, List<String> baselines)
      throws IOException {
    Map<String, Outcome> stock = new TreeMap<>();
    for (String baseline : baselines) {
      if (Files.exists(Paths.get(baseline))) {
        stock.putAll(OutcomeTable.read(Paths.get(baseline)));
      }
    }
    List<Comparison> comparisons = new ArrayList<>();
    for (String name : run.classes()) {
      Outcome before = stock.get(name);
      if (before == null) {
        throw new IOException("no outcome of " + name + " on stock HDFS");
      }
      comparisons.add(
          new Comparison(before, run.last(name), run.counters(name), run.ranAgain(name)));
    }
    return comparisons;
  }
}
