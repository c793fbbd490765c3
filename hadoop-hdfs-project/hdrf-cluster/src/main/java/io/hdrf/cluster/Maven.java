/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.cluster;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** Runs Maven for files that a build does not fetch. */
public final class Maven {
  private static final int LINES = 5;

  private Maven() {}

  /**
   * Runs it to its end; off the network if {@code HDRF_OFFLINE} is set.
   *
   * @param what it fetches, for the message
   * @param log deleted if it succeeds
   * @throws ClusterException with its first lines if it failed
   */
  public static void fetch(String what, Path pom, Path log, List<String> arguments)
      throws IOException {
    List<String> command = new ArrayList<>(List.of("mvn", "-B", "-q", "-f", pom.toString()));
    String offline = System.getenv("HDRF_OFFLINE");
    if (offline != null && !offline.isEmpty()) {
      command.add("-o");
    }
    command.addAll(arguments);
    Process maven =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile()).start();
    int status;
    try {
      status = maven.waitFor();
    } catch (InterruptedException e) {
      maven.destroy();
      Thread.currentThread().interrupt();
      throw new ClusterException("Interrupted while Maven fetched " + what, e);
    }
    if (status != 0) {
      throw new ClusterException(
          "Maven could not fetch "
              + what
              + ":\n"
              + Files.readString(log)
                  .lines()
                  .limit(LINES)
                  .map(line -> "  " + line)
                  .collect(Collectors.joining("\n")));
    }
    Files.delete(log);
  }
}
