/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.cli;

import io.hdrf.admin.ReducedBlocks;
import io.hdrf.cluster.ClusterException;
import io.hdrf.conf.UsedDirectories;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code hdrf uninstall}. */
@Command(
    name = "uninstall",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Remove what 'hdrf install' has put into a Hadoop. The DataNode must be stopped.",
      "Refuses, with exit code 1, while there are reduced blocks on this node: a stock DataNode"
          + " would report them corrupt."
    })
final class UninstallCommand implements Callable<Integer> {
  @Parameters(
      arity = "0..1",
      paramLabel = "HADOOP_HOME",
      description =
          "The directory with bin/hdfs in it. Default: the one in which this command lies.")
  private Path directory;

  @Option(
      names = "--conf",
      paramLabel = "DIR",
      description =
          "Directory with a DataNode's core-site.xml and hdfs-site.xml; may be given several times."
              + " Default: HADOOP_CONF_DIR, else etc/hadoop in HADOOP_HOME.")
  private List<Path> configurations = List.of();

  @Option(
      names = "--force",
      description =
          "Go on where the DataNode's directories can't be looked at, for instance on a node"
              + " without one. Never overrides that reduced blocks were found.")
  private boolean force;

  @Spec private CommandSpec spec;

  private final Terminal terminal = Terminal.system();

  @Override
  public Integer call() throws IOException {
    HadoopHome home = HadoopHome.of(directory == null ? own() : directory);
    Installation installation = new Installation(home);
    if (!installation.exists()) {
      terminal.result("HDRF is not installed in " + home.directory() + ": nothing to do.");
      return ExitCode.OK;
    }
    List<String> obstacles = new ArrayList<>();
    long blocks = count(home, obstacles);
    if (blocks > 0) {
      terminal.say(
          "hdrf: "
              + blocks
              + " reduced blocks are on this node, and a stock DataNode would report every one of"
              + " them corrupt. Start the DataNode once more, make them plain with 'hdfs hdrf"
              + " inflate', stop it, and try again.");
      obstacles.forEach(obstacle -> terminal.say("hdrf: not looked at: " + obstacle));
      return obstacles.isEmpty() || force ? ExitCode.DIFFERENT : ExitCode.FAILED;
    }
    if (!obstacles.isEmpty() && !force) {
      throw new ClusterException(
          "Can't tell whether reduced blocks are on this node: "
              + String.join("; ", obstacles)
              + ". If there are none for sure, --force removes HDRF all the same.");
    }
    for (String obstacle : obstacles) {
      terminal.say(
          "hdrf: warning: " + obstacle + "; if reduced blocks are there, they can't be read now");
    }
    List<String> changes = installation.uninstall();
    terminal.result("Removed HDRF from " + home.directory() + ":");
    changes.forEach(change -> terminal.result("  " + change));
    terminal.result("");
    terminal.result(
        "Take dfs.datanode.fsdataset.factory and all keys hdrf.* out of this node's hdfs-site.xml"
            + " before you start the DataNode. Where other nodes read the same file: only when no"
            + " node has a reduced block any more, for one that has and starts without these lines"
            + " reports every one corrupt.");
    return ExitCode.OK;
  }

  /**
   * Counts the reduced blocks on this node.
   *
   * @param obstacles receives what can't be looked at
   * @throws ClusterException if the DataNode runs
   */
  private long count(HadoopHome home, List<String> obstacles) throws IOException {
    Set<Path> volumes = new LinkedHashSet<>();
    for (Path configuration : configurations(home)) {
      try {
        volumes.addAll(RecordTarget.localVolumes(configuration));
      } catch (IOException | IllegalArgumentException e) {
        obstacles.add(Main.message(e));
      }
    }
    try {
      volumes.addAll(UsedDirectories.read(home.directory(), obstacles));
    } catch (IOException e) {
      obstacles.add(Main.message(e));
    }
    List<Path> stopped = stopped(volumes, obstacles);
    List<Counted> counted = count(stopped, obstacles);
    // It takes long, and what a DataNode reduces meanwhile was counted as plain.
    stopped(stopped, obstacles);
    long sum = 0;
    for (Counted volume : counted) {
      long blocks = reducedBlocks(volume.pools, obstacles);
      if (blocks > 0) {
        terminal.say("hdrf: " + volume.directory + ": " + blocks + " reduced blocks");
      }
      sum += blocks;
    }
    return sum;
  }

  /**
   * Returns the volumes that can be looked at.
   *
   * @throws ClusterException if a DataNode has one in use
   */
  private static List<Path> stopped(Collection<Path> volumes, List<String> obstacles)
      throws ClusterException {
    List<Path> stopped = new ArrayList<>();
    for (Path volume : volumes) {
      try {
        if (StoppedVolume.isInUse(volume)) {
          throw new RunningException(volume);
        }
        stopped.add(volume);
      } catch (RunningException e) {
        throw e;
      } catch (IOException e) {
        obstacles.add(Main.message(e));
      }
    }
    return stopped;
  }

  /** A volume that was looked at. */
  private record Counted(Path directory, List<ReducedBlocks> pools) {}

  /** Looks at all volumes at once: each is a disk of its own. */
  private List<Counted> count(List<Path> volumes, List<String> obstacles) throws IOException {
    try (Progress progress = terminal.progress("block files", 0, Progress.Unit.COUNT)) {
      List<Counted> counted =
          Parallel.run(
              volumes,
              volumes.size(),
              volume ->
                  new Counted(volume, StoppedVolume.reducedBlocks(volume, () -> progress.add(1))),
              (volume, why) -> obstacles.add(volume + ": " + why));
      progress.done("looked at");
      return counted;
    }
  }

  private static long reducedBlocks(List<ReducedBlocks> pools, List<String> obstacles) {
    long sum = 0;
    for (ReducedBlocks pool : pools) {
      sum += pool.total();
      if (!pool.isCounted()) {
        obstacles.add(
            pool.directory()
                + ": "
                + pool.obstacle()
                + ". If this node has it no more, take it out of hdfs-site.xml and of "
                + UsedDirectories.NAME);
      }
    }
    return sum;
  }

  private List<Path> configurations(HadoopHome home) {
    if (!configurations.isEmpty()) {
      return configurations;
    }
    String set = System.getenv("HADOOP_CONF_DIR");
    return List.of(set == null || set.isEmpty() ? home.resolve("etc/hadoop") : Path.of(set));
  }

  /** Returns the Hadoop in which this command is installed. */
  private Path own() throws IOException {
    Path parent = Home.isDistribution() ? Home.dist().toRealPath().getParent() : null;
    if (parent == null || !Files.exists(parent.resolve(Installation.LINK))) {
      throw new ParameterException(
          spec.commandLine(),
          "Which Hadoop? This command is not installed in one: it lies in "
              + (Home.isDistribution() ? Home.dist() : "HDRF's source tree")
              + ". Name the directory with bin/hdfs in it, such as 'hdrf uninstall /opt/hadoop'.");
    }
    terminal.say("hdrf: " + parent + " is the Hadoop in which this command is installed");
    return parent;
  }

  /** A DataNode has a volume in use. */
  private static final class RunningException extends ClusterException {
    private static final long serialVersionUID = 1;

    RunningException(Path volume) {
      super("The DataNode that uses " + volume + " is running; stop it first");
    }
  }
}
