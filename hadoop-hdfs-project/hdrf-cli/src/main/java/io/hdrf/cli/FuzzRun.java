/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.cli;

import io.hdrf.cluster.ClusterException;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Runs every fuzz target of the source tree for an equal share of some minutes, each in its own
 * JVM, as Jazzer needs. Inputs that break a target are kept among those that the test suite
 * replays; inputs that only reach more code go to {@code .cifuzz-corpus} in the module, where the
 * next run continues.
 */
final class FuzzRun {

  private static final String CLASS_PATH = "target/fuzz.classpath";
  private static final String LOG_DIRECTORY = "target/fuzz";

  /** One input that takes longer is a finding: all of them are small. */
  private static final int MAX_SECONDS = 60;

  private static final Pattern PROGRESS = Pattern.compile("(?m)^#\\d+\\s+\\w+\\s+cov: (\\d+) .*$");
  private static final Pattern DONE = Pattern.compile("(?m)^Done (\\d+) runs in (\\d+) second");
  private static final Pattern COUNT = Pattern.compile("(?m)^#(\\d+)\\s");

  /** libFuzzer's names for the files of its findings. */
  private static final Pattern FINDING = Pattern.compile("(crash|timeout|oom|leak)-[0-9a-f]+");

  private final Path home;
  private final PrintStream out;

  FuzzRun(Path home, PrintStream out) {
    this.home = home;
    this.out = out;
  }

  /**
   * Jazzer's result for one target.
   *
   * @param runs the number of inputs tried
   * @param coverage the number of edges of instrumented code reached, at the end
   */
  record Outcome(long runs, int coverage) {

    /** Reads the output; zeros where it has no result. */
    static Outcome of(String output) {
      long runs = 0;
      int coverage = 0;
      for (Matcher line = COUNT.matcher(output); line.find(); ) {
        runs = Math.max(runs, Long.parseLong(line.group(1)));
      }
      for (Matcher line = PROGRESS.matcher(output); line.find(); ) {
        coverage = Math.max(coverage, Integer.parseInt(line.group(1)));
      }
      for (Matcher line = DONE.matcher(output); line.find(); ) {
        runs = Math.max(runs, Long.parseLong(line.group(1)));
      }
      return new Outcome(runs, coverage);
    }
  }

  /** Returns the share of each target, at least one second. */
  static int seconds(double minutes, int targets) {
    return (int) Math.max(1, Math.round(minutes * 60 / targets));
  }

  /** Runs all targets. */
  int run(double minutes) throws IOException, InterruptedException {
    List<FuzzTarget> targets = FuzzTarget.in(home);
    if (targets.isEmpty()) {
      throw new ClusterException("No fuzz targets below " + home);
    }
    build(targets);
    int seconds = seconds(minutes, targets.size());
    out.printf("%d targets, %d s each%n", targets.size(), seconds);
    out.printf("%-44s %12s %9s  %s%n", "target", "runs", "coverage", "findings");
    int status = ExitCode.OK;
    Map<FuzzTarget, List<Path>> found = new LinkedHashMap<>();
    for (FuzzTarget target : targets) {
      status = Math.max(status, run(target, seconds, found));
    }
    found.forEach(
        (target, inputs) ->
            inputs.forEach(
                input ->
                    out.printf(
                        "%s: kept %s, which bin/hdrf test replays from now on%n",
                        target.simpleName(), home.relativize(input))));
    return status;
  }

  private void build(List<FuzzTarget> targets) throws IOException, InterruptedException {
    Set<String> modules = new TreeSet<>();
    targets.forEach(target -> modules.add(home.relativize(target.module()).toString()));
    List<String> command =
        new ArrayList<>(
            List.of(
                "mvn",
                "-B",
                "-ntp",
                "-q",
                "-pl",
                String.join(",", modules),
                "-am",
                "-DskipTests",
                "-Dspotless.check.skip=true",
                "package",
                "dependency:build-classpath",
                "-Dmdep.outputFile=" + CLASS_PATH,
                "-Dmdep.includeScope=test"));
    String offline = System.getenv("HDRF_OFFLINE");
    if (offline != null && !offline.isEmpty()) {
      command.add("-o");
    }
    Process build = new ProcessBuilder(command).directory(home.toFile()).inheritIO().start();
    if (build.waitFor() != 0) {
      throw new ClusterException("The build failed");
    }
  }

  private int run(FuzzTarget target, int seconds, Map<FuzzTarget, List<Path>> found)
      throws IOException, InterruptedException {
    // Jazzer stores its findings there if the directory exists.
    boolean made = !Files.exists(target.inputs());
    Files.createDirectories(target.inputs());
    Set<Path> before = findings(target);
    Path log =
        Files.createDirectories(target.module().resolve(LOG_DIRECTORY))
            .resolve(target.simpleName().replace('#', '.') + ".log");
    Process process =
        new ProcessBuilder(command(target, seconds))
            .directory(target.module().toFile())
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start();
    int exit;
    try {
      exit = process.waitFor();
    } finally {
      process.destroy();
    }
    List<Path> kept = keep(target, before);
    if (made && kept.isEmpty()) {
      removeIfEmpty(target);
    }
    Outcome outcome = Outcome.of(Files.readString(log));
    String findings = kept.isEmpty() ? "none" : Integer.toString(kept.size());
    if (kept.isEmpty() && exit != 0) {
      findings = "ended with status " + exit;
    }
    out.printf(
        "%-44s %12d %9d  %s%n", target.simpleName(), outcome.runs(), outcome.coverage(), findings);
    if (exit != 0 || !kept.isEmpty()) {
      out.printf("  see %s%n", home.relativize(log));
    }
    if (!kept.isEmpty()) {
      found.put(target, kept);
      return ExitCode.DIFFERENT;
    }
    if (exit == 0 && outcome.runs() == 0) {
      out.printf("  nothing was tried: see %s%n", home.relativize(log));
      return ExitCode.FAILED;
    }
    return exit == 0 ? ExitCode.OK : ExitCode.DIFFERENT;
  }

  private static List<String> command(FuzzTarget target, int seconds) throws IOException {
    Path module = target.module();
    String classPath =
        module.resolve("target/test-classes")
            + ":"
            + module.resolve("target/classes")
            + ":"
            + Files.readString(module.resolve(CLASS_PATH)).trim();
    return List.of(
        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
        "-Xmx1g",
        "--add-opens",
        "java.base/java.lang=ALL-UNNAMED",
        "-cp",
        classPath,
        "com.code_intelligence.jazzer.Jazzer",
        "--target_class=" + target.className(),
        "--target_method=" + target.method(),
        "-max_total_time=" + seconds,
        "-timeout=" + MAX_SECONDS);
  }

  /** Returns the findings, which lie among the inputs or in the working directory. */
  private static Set<Path> findings(FuzzTarget target) throws IOException {
    Set<Path> all = new TreeSet<>();
    for (Path directory : List.of(target.inputs(), target.module())) {
      try (Stream<Path> files = Files.list(directory)) {
        files
            .filter(file -> FINDING.matcher(file.getFileName().toString()).matches())
            .forEach(all::add);
      }
    }
    return all;
  }

  private static List<Path> keep(FuzzTarget target, Set<Path> before) throws IOException {
    Set<Path> fresh = findings(target);
    fresh.removeAll(before);
    List<Path> kept = new ArrayList<>();
    for (Path file : fresh) {
      Path place = target.inputs().resolve(file.getFileName());
      if (!file.equals(place)) {
        Files.move(file, place);
      }
      kept.add(place);
    }
    return kept;
  }

  private static void removeIfEmpty(FuzzTarget target) throws IOException {
    for (Path directory : List.of(target.inputs(), target.inputs().getParent())) {
      try (Stream<Path> files = Files.list(directory)) {
        if (files.findAny().isPresent()) {
          return;
        }
      }
      Files.delete(directory);
    }
  }
}
