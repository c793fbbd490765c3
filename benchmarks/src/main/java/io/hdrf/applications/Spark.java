/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.applications;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Spark as it comes from PyPI, with the Hadoop client that it brings along. */
final class Spark {

  private static final String VERSION = "3.5.3";

  private final Path home;
  private final Path script;

  private Spark(Path home, Path script) {
    this.home = home;
    this.script = script;
  }

  /**
   * Installs it where it is missing.
   *
   * @param directory for its virtual environment, kept between runs
   * @param script the jobs
   */
  static Spark in(Path directory, Path script) throws IOException {
    Path home = directory.resolve("spark-" + VERSION);
    if (!Files.exists(home.resolve("installed"))) {
      command(Map.of(), List.of("python3", "-m", "venv", home.toString()));
      command(
          Map.of(),
          List.of(
              home.resolve("bin/pip").toString(),
              "install",
              "--quiet",
              "--disable-pip-version-check",
              "pyspark==" + VERSION));
      Files.createFile(home.resolve("installed"));
    }
    return new Spark(home, script);
  }

  /** Runs one of the script's jobs on a cluster's files, on its host for clients. */
  void run(Bed bed, String job) throws IOException {
    Map<String, String> environment = new HashMap<>();
    environment.put("JAVA_HOME", System.getProperty("java.home"));
    // Words go to the same partition in each run.
    environment.put("PYTHONHASHSEED", "0");
    environment.put("HADOOP_CONF_DIR", bed.conf().toString());
    environment.put("SPARK_LOCAL_IP", bed.client().address());
    bed.clientJars()
        .ifPresent(
            jars ->
                environment.put(
                    "PYSPARK_SUBMIT_ARGS", "--driver-class-path " + jars + "/* pyspark-shell"));
    command(
        environment,
        bed.client()
            .commandFor(
                List.of(
                    home.resolve("bin/python").toString(),
                    script.toString(),
                    job,
                    bed.uri(),
                    Applications.INPUT)));
  }

  private static void command(Map<String, String> environment, List<String> words)
      throws IOException {
    ProcessBuilder builder = new ProcessBuilder(new ArrayList<>(words)).redirectErrorStream(true);
    builder.environment().keySet().removeIf(name -> name.startsWith("SPARK_"));
    builder.environment().putAll(environment);
    Process process = builder.start();
    process.getOutputStream().close();
    String output =
        new String(
            process.getInputStream().readAllBytes(), java.nio.charset.StandardCharsets.UTF_8);
    try {
      int status = process.waitFor();
      if (status != 0) {
        throw new IOException(
            String.join(" ", words)
                + " failed with status "
                + status
                + ":\n"
                + output.substring(Math.max(0, output.length() - 4000)));
      }
    } catch (InterruptedException e) {
      process.destroy();
      Thread.currentThread().interrupt();
      throw new IOException("Interrupted during " + words.get(0), e);
    }
  }
}
