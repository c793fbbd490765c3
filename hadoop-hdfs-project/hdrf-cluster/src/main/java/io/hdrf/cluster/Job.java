/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.cluster;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Stream;

/** A Hadoop program that runs to its end in its own process. */
public final class Job extends Daemon {
  private static final long POLL_MILLIS = 200;

  private final LocalCluster cluster;
  private Process process;

  Job(String name, Path directory, LocalCluster cluster) {
    super(name, directory);
    this.cluster = cluster;
  }

  /** Starts it on {@code host} with empty output. */
  void start(Host host, List<String> flags, String mainClass, List<String> arguments)
      throws IOException {
    Files.deleteIfExists(out());
    Files.deleteIfExists(log());
    List<String> program = Stream.concat(Stream.of(mainClass), arguments.stream()).toList();
    process =
        launch(
            host, cluster.runtime(), cluster.runtime().classPath(cluster.conf()), flags, program);
  }

  /**
   * Waits for its end.
   *
   * @param line receives each line of output and log as it appears
   * @return the exit status
   */
  public int await(Consumer<String> line) throws IOException {
    try (LineFollower out = new LineFollower(out());
        LineFollower log = new LineFollower(log())) {
      boolean ended;
      do {
        ended = process.waitFor(POLL_MILLIS, TimeUnit.MILLISECONDS);
        out.poll(line);
        log.poll(line);
      } while (!ended);
      stop(Duration.ZERO);
      return process.exitValue();
    } catch (InterruptedException e) {
      kill();
      Thread.currentThread().interrupt();
      throw new ClusterException(name() + " was interrupted", e);
    }
  }

  /**
   * Waits for its end.
   *
   * @throws ClusterException with its last lines if it failed
   */
  public void awaitSuccess(Consumer<String> line) throws IOException {
    int status = await(line);
    if (status != 0) {
      throw new ClusterException(
          name() + " failed with exit status " + status + ":\n" + lastWords());
    }
  }
}
