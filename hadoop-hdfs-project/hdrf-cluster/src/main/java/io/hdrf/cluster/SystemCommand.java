/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.cluster;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Short programs of the operating system. */
final class SystemCommand {

  private SystemCommand() {}

  /** Returns whether a program of that name is on the path. */
  static boolean exists(String name) {
    String path = System.getenv("PATH");
    return path != null
        && List.of(path.split(":", -1)).stream()
            .anyMatch(directory -> Files.isExecutable(Path.of(directory, name)));
  }

  /**
   * Runs a program to its end.
   *
   * @return its output
   * @throws ClusterException with its output if it failed
   */
  static String run(List<String> command) throws IOException {
    Process process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectInput(Path.of("/dev/null").toFile())
            .start();
    String output =
        new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
    int status;
    try {
      status = process.waitFor();
    } catch (InterruptedException e) {
      process.destroy();
      Thread.currentThread().interrupt();
      throw new ClusterException("Interrupted during: " + String.join(" ", command), e);
    }
    if (status != 0) {
      throw new ClusterException(
          String.join(" ", command) + ": exit status " + status + ": " + output);
    }
    return output;
  }
}
