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
 * Applications in turns on clusters that run side by side, so that slow drifts of the machine meet
 * all of them. For one thread.
 */
final class TimedRounds {

  /** What later rounds need: the input, users' directories, and jobs' staging. */
  private static final Set<String> KEPT = Set.of("input", "user", "tmp");

  private final Sites sites;
  private final List<Bed> beds;
  private final List<List<Figures>> seconds = new ArrayList<>();
  private int turns;
  private int differences;

  /**
   * @param sites where they run
   * @param beds hold the input; the others are compared with the first
   */
  TimedRounds(Sites sites, List<Bed> beds) {
    this.sites = sites;
    this.beds = List.copyOf(beds);
    beds.forEach(bed -> seconds.add(new ArrayList<>()));
  }

  /** One round: every application on all clusters, each of which goes first in its turn. */
  void run(List<Application> applications) throws Exception {
    for (Bed bed : beds) {
      clean(bed);
      seconds.get(beds.indexOf(bed)).add(new Figures());
    }
    for (Application application : applications) {
      for (int i = 0; i < beds.size(); i++) {
        int bed = (turns + i) % beds.size();
        List<Figures> own = seconds.get(bed);
        own.get(own.size() - 1).put(application.name(), seconds(application, beds.get(bed)));
      }
      turns++;
      Map<String, String> expected = digests(application, beds.get(0));
      for (Bed bed : beds.subList(1, beds.size())) {
        differences += digests(application, bed).equals(expected) ? 0 : 1;
      }
    }
  }

  private static void clean(Bed bed) throws IOException {
    for (FileStatus status : bed.fs().listStatus(new Path("/"))) {
      if (!KEPT.contains(status.getPath().getName())) {
        bed.fs().delete(status.getPath(), true);
      }
    }
  }

  private double seconds(Application application, Bed bed) throws Exception {
    sites.limit();
    long sent = bed.bytesSent();
    long began = System.nanoTime();
    application.work().run(bed);
    double seconds = (System.nanoTime() - began) / 1e9;
    System.err.printf(
        Locale.ROOT,
        "%s on %s: %.1f s, %d MB sent by DataNodes%n",
        application.name(),
        bed.uri(),
        seconds,
        (bed.bytesSent() - sent) / 1_000_000);
    sites.unlimit();
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

  /** How many times an output was not that on the first cluster. */
  int differences() {
    return differences;
  }

  /**
   * The times as Markdown.
   *
   * @param chains of the clusters after the first, which is stock
   */
  String table(String title, List<String> chains) {
    StringBuilder text = new StringBuilder("### " + title + ", ");
    text.append(seconds.get(0).size()).append(" rounds in turns\n\n");
    for (int i = 0; i < chains.size(); i++) {
      text.append("| application | stock: s | `").append(chains.get(i));
      text.append("`: s | ratio | pairs |\n|---|---|---|---|---|\n");
      text.append(Figures.rows(seconds.get(i + 1), seconds.get(0))).append('\n');
    }
    return text.append(String.format("Outputs that differ: %d%n%n", differences)).toString();
  }
}
