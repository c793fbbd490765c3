/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.lifecycle;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** A program whose environment holds nothing of the caller's Hadoop or JVM. */
final class Command {
  private final ProcessBuilder builder;

  Command(Path program, String... arguments) {
    List<String> words = new ArrayList<>(List.of(program.toString()));
    words.addAll(List.of(arguments));
    builder = new ProcessBuilder(words).redirectErrorStream(true);
    clean(builder.environment());
    builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
  }

  static void clean(Map<String, String> environment) {
    environment
        .keySet()
        .removeIf(name -> name.matches("(HADOOP|HDFS|HDRF|YARN)_.*|.*JAVA_OPTIONS"));
    environment.remove("CLASSPATH");
  }

  Command with(String name, String value) {
    builder.environment().put(name, value);
    return this;
  }

  ProcessBuilder builder() {
    return builder;
  }

  /**
   * The result of a program.
   *
   * @param status its exit status
   * @param output all its output
   */
  record Result(int status, String output) {}

  Result run() throws IOException, InterruptedException {
    Process process = builder.redirectInput(Path.of("/dev/null").toFile()).start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    return new Result(process.waitFor(), output);
  }

  /** Runs it and returns its output; it must succeed. */
  String output() throws IOException, InterruptedException {
    Result result = run();
    if (result.status() != 0) {
      throw new AssertionError(
          String.join(" ", builder.command())
              + " failed with exit status "
              + result.status()
              + ":\n"
              + result.output());
    }
    return result.output();
  }
}
