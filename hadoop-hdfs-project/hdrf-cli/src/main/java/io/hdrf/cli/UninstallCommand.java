/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.cli;

import io.hdrf.admin.ReducedBlocks;
import io.hdrf.cluster.ClusterException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

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
  @Parameters(paramLabel = "HADOOP_HOME", description = "The directory with bin/hdfs in it.")
  private Path directory;

  @Option(
      names = "--conf",
      paramLabel = "DIR",
      description =
          "Directory with the DataNode's core-site.xml and hdfs-site.xml. Default: HADOOP_CONF_DIR,"
              + " else etc/hadoop in HADOOP_HOME.")
  private Path configuration;

  @Option(
      names = "--force",
      description =
          "Go on where the DataNode's directories can't be looked at, for instance on a node"
              + " without one. Never overrides that reduced blocks were found.")
  private boolean force;

  private final Terminal terminal = Terminal.system();

  @Override
  public Integer call() throws IOException {
    HadoopHome home = HadoopHome.of(directory);
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
      return ExitCode.DIFFERENT;
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
        "Take dfs.datanode.fsdataset.factory and all keys hdrf.* out of hdfs-site.xml before you"
            + " start the DataNode.");
    return ExitCode.OK;
  }

  /**
   * The reduced blocks on this node.
   *
   * @param obstacles what can't be looked at is added
   * @throws ClusterException if the DataNode runs
   */
  private long count(HadoopHome home, List<String> obstacles) throws IOException {
    List<Path> volumes;
    try {
      volumes = RecordTarget.localVolumes(configuration(home));
    } catch (IOException | IllegalArgumentException e) {
      obstacles.add(Main.message(e));
      return 0;
    }
    long sum = 0;
    for (Path volume : volumes) {
      try {
        if (StoppedVolume.isInUse(volume)) {
          throw new RunningException(volume);
        }
        long blocks = reducedBlocks(volume, obstacles);
        if (blocks > 0) {
          terminal.say("hdrf: " + volume + ": " + blocks + " reduced blocks");
        }
        sum += blocks;
      } catch (RunningException e) {
        throw e;
      } catch (IOException e) {
        obstacles.add(Main.message(e));
      }
    }
    return sum;
  }

  private static long reducedBlocks(Path volume, List<String> obstacles) {
    long sum = 0;
    for (ReducedBlocks pool : StoppedVolume.reducedBlocks(List.of(volume))) {
      sum += pool.total();
      if (!pool.isCounted()) {
        obstacles.add(pool.directory() + ": " + pool.obstacle());
      }
    }
    return sum;
  }

  private Path configuration(HadoopHome home) {
    if (configuration != null) {
      return configuration;
    }
    String set = System.getenv("HADOOP_CONF_DIR");
    return set == null || set.isEmpty() ? home.resolve("etc/hadoop") : Path.of(set);
  }

  /** A DataNode has a volume in use. */
  private static final class RunningException extends ClusterException {
    private static final long serialVersionUID = 1;

    RunningException(Path volume) {
      super("The DataNode that uses " + volume + " is running; stop it first");
    }
  }
}
