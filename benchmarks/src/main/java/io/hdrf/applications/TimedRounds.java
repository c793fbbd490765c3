/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.applications;

import io.hdrf.benchmarks.Figures;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.Path;

/**
 * Applications in turns on two clusters that run side by side, so that slow drifts of the machine
 * meet both. For one thread.
 */
final class TimedRounds {

  /** What later rounds need: the input, users' directories, and jobs' staging. */
  private static final Set<String> KEPT = Set.of("input", "user", "tmp");

  private final Bed stock;
  private final Bed reduced;
  private final List<Figures> stockSeconds = new ArrayList<>();
  private final List<Figures> reducedSeconds = new ArrayList<>();
  private int turns;
  private int differences;

  /** Both clusters hold the input. */
  TimedRounds(Bed stock, Bed reduced) {
    this.stock = stock;
    this.reduced = reduced;
  }

  /** One round: every application on both clusters, which begins changing from one to the next. */
  void run(List<Application> applications) throws Exception {
    clean(stock);
    clean(reduced);
    Figures ofStock = new Figures();
    Figures ofReduced = new Figures();
    for (Application application : applications) {
      boolean stockFirst = turns++ % 2 == 0;
      if (stockFirst) {
        ofStock.put(application.name(), seconds(application, stock));
      }
      ofReduced.put(application.name(), seconds(application, reduced));
      if (!stockFirst) {
        ofStock.put(application.name(), seconds(application, stock));
      }
      differences += digests(application, stock).equals(digests(application, reduced)) ? 0 : 1;
    }
    stockSeconds.add(ofStock);
    reducedSeconds.add(ofReduced);
  }

  private static void clean(Bed bed) throws IOException {
    for (FileStatus status : bed.fs().listStatus(new Path("/"))) {
      if (!KEPT.contains(status.getPath().getName())) {
        bed.fs().delete(status.getPath(), true);
      }
    }
  }

  private static double seconds(Application application, Bed bed) throws Exception {
    long began = System.nanoTime();
    application.work().run(bed);
    double seconds = (System.nanoTime() - began) / 1e9;
    System.err.printf(Locale.ROOT, "%s on %s: %.1f s%n", application.name(), bed.uri(), seconds);
    application.check().run(bed);
    bed.awaitReduced();
    return seconds;
  }

  private static Map<String, String> digests(Application application, Bed bed) throws IOException {
    Map<String, String> digests = new HashMap<>();
    for (String output : application.outputs()) {
      Digests.of(bed.fs(), new Path(output))
          .forEach((name, digest) -> digests.put(output + name, digest));
    }
    return digests;
  }

  /** How many times an output was not that on stock HDFS. */
  int differences() {
    return differences;
  }

  /** The times as Markdown. */
  String table(int replication, String chain) {
    StringBuilder text =
        new StringBuilder("### Replication " + replication + ", `" + chain + "`: ");
    text.append(stockSeconds.size()).append(" rounds in turns\n\n");
    text.append("| application | stock: s | `").append(chain).append("`: s | ratio | pairs |\n");
    text.append("|---|---|---|---|---|\n");
    text.append(Figures.rows(reducedSeconds, stockSeconds));
    return text.append(String.format("%nOutputs that differ: %d%n%n", differences)).toString();
  }
}
