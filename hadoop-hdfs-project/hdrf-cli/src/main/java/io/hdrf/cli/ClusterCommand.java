/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hdrf.cluster.ClusterConfig;
import io.hdrf.cluster.ClusterException;
import io.hdrf.cluster.DataNode;
import io.hdrf.cluster.DiskUsage;
import io.hdrf.cluster.LocalCluster;
import io.hdrf.conf.HdrfKeys;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code hdrf cluster}. */
@Command(
    name = "cluster",
    mixinStandardHelpOptions = true,
    synopsisSubcommandLabel = "COMMAND",
    description = {
      "A small HDFS cluster on 127.0.0.1 to try things by hand; it keeps its data.",
      "With HADOOP_HOME set, that distribution's jars are used."
    },
    subcommands = {
      ClusterCommand.Start.class,
      ClusterCommand.Stop.class,
      ClusterCommand.Restart.class,
      ClusterCommand.Status.class,
      ClusterCommand.Fs.class,
      ClusterCommand.Conf.class
    })
final class ClusterCommand implements Runnable {
  @Spec private CommandSpec spec;

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "Which command?");
  }

  /** The directory of the cluster. */
  static final class Location {
    @Option(
        names = "--data-dir",
        paramLabel = "DIR",
        description = "The cluster's directory. Default: .hdrf/cluster in the home directory.")
    private Path directory;

    Path directory() {
      return (directory == null ? Home.cluster() : directory).toAbsolutePath().normalize();
    }

    LocalCluster open() throws IOException {
      if (!ClusterConfig.exists(directory())) {
        throw new ClusterException(
            "No cluster in " + directory() + "; 'hdrf cluster start' makes one");
      }
      return LocalCluster.open(directory(), Home.runtime(ClusterConfig.load(directory()).hadoop()));
    }

    LocalCluster openRunning() throws IOException {
      LocalCluster cluster = open();
      if (!cluster.isRunning()) {
        throw new ClusterException(
            "The cluster in " + directory() + " is not running; see 'hdrf cluster start'");
      }
      return cluster;
    }
  }

  private static void start(LocalCluster cluster, Terminal terminal) throws IOException {
    ClusterConfig config = cluster.config();
    try (Progress progress = terminal.progress("Starting", 0, Progress.Unit.NONE)) {
      cluster.start();
      progress.done(
          "NameNode and "
              + config.dataNodes()
              + " DataNodes "
              + (config.stock() ? "without HDRF" : "with schemes " + config.schemes()));
    }
    terminal.result(cluster.uri());
  }

  private static void stop(LocalCluster cluster, Terminal terminal) throws IOException {
    try (Progress progress = terminal.progress("Stopping", 0, Progress.Unit.NONE)) {
      cluster.stop();
      cluster.kill();
      progress.done("all processes ended");
    }
  }

  /** {@code hdrf cluster start}. */
  @Command(
      name = "start",
      mixinStandardHelpOptions = true,
      description = {
        "Start the cluster; it goes on running when the command has ended.",
        "Options that are left out are as at the last start."
      })
  static final class Start implements Callable<Integer> {
    @Mixin private Location location;

    @Option(names = "--datanodes", paramLabel = "N", description = "Number of DataNodes; first 3.")
    private Integer dataNodes;

    @Option(names = "--volumes", paramLabel = "N", description = "Volumes a DataNode; first 1.")
    private Integer volumes;

    @Option(names = "--replication", paramLabel = "N", description = "Replicas; first 3.")
    private Integer replication;

    @Option(names = "--schemes", paramLabel = "CHAIN", description = "hdrf.schemes; first lz4.")
    private String schemes;

    @Option(
        names = "--hadoop",
        paramLabel = "VERSION",
        completionCandidates = OtherHadoop.Versions.class,
        description = {
          "Hadoop's version, for a new cluster: ${COMPLETION-CANDIDATES}, or a line, such as 3.4.",
          "First the one that HDRF is built with, or HADOOP_HOME's."
        })
    private String hadoop;

    @Option(
        names = "--metadata",
        paramLabel = "STORE",
        description = "hdrf.metadata.store: embedded, redis or none; first embedded.")
    private String metadata;

    @Option(names = "--stock", description = "Without HDRF.")
    private boolean stock;

    @Option(
        names = "-D",
        paramLabel = "KEY=VALUE",
        description = {
          "A property for hdfs-site.xml, kept for later starts.",
          "datanode-N:KEY sets it for one DataNode only, the first being datanode-0."
        })
    private Map<String, String> properties = Map.of();

    @Override
    public Integer call() throws IOException {
      Path directory = location.directory();
      ClusterConfig config =
          changed(
              ClusterConfig.exists(directory)
                  ? ClusterConfig.load(directory)
                  : ClusterConfig.in(directory));
      try (DirectoryLock lock = DirectoryLock.take(directory)) {
        if (ClusterConfig.exists(directory)) {
          LocalCluster before = location.open();
          if (before.isRunning() && !config.equals(before.config())) {
            throw new ClusterException(
                "The cluster in " + directory + " is running with other options; stop it first");
          }
        }
        ClusterCommand.start(
            LocalCluster.create(config, Home.runtime(config.hadoop())), Terminal.system());
      }
      return ExitCode.OK;
    }

    /** Returns the configuration with the given options. */
    private ClusterConfig changed(ClusterConfig before) {
      ClusterConfig config = before;
      if (dataNodes != null) {
        config = config.withDataNodes(dataNodes);
      }
      if (volumes != null) {
        config = config.withVolumes(volumes);
      }
      if (replication != null) {
        config = config.withReplication(replication);
      }
      if (schemes != null) {
        config = config.withSchemes(schemes);
      }
      if (hadoop != null) {
        config = config.withHadoop(OtherHadoop.version(hadoop));
      }
      if (stock) {
        config = config.withStock(true);
      }
      if (metadata != null) {
        config = config.with(HdrfKeys.METADATA_STORE, metadata);
      }
      for (Map.Entry<String, String> property : properties.entrySet()) {
        config = config.with(property.getKey(), property.getValue());
      }
      return config;
    }
  }

  /** {@code hdrf cluster stop}. */
  @Command(
      name = "stop",
      mixinStandardHelpOptions = true,
      description = "Stop the cluster; its data stays.")
  static final class Stop implements Callable<Integer> {
    @Mixin private Location location;

    @Override
    public Integer call() throws IOException {
      LocalCluster cluster = location.open();
      try (DirectoryLock lock = DirectoryLock.take(location.directory())) {
        ClusterCommand.stop(cluster, Terminal.system());
      }
      return ExitCode.OK;
    }
  }

  /** {@code hdrf cluster restart}. */
  @Command(name = "restart", mixinStandardHelpOptions = true, description = "Stop and start.")
  static final class Restart implements Callable<Integer> {
    @Mixin private Location location;

    @Override
    public Integer call() throws IOException {
      LocalCluster cluster = location.open();
      Terminal terminal = Terminal.system();
      try (DirectoryLock lock = DirectoryLock.take(location.directory())) {
        ClusterCommand.stop(cluster, terminal);
        ClusterCommand.start(cluster, terminal);
      }
      return ExitCode.OK;
    }
  }

  /** {@code hdrf cluster fs}. */
  @Command(
      name = "fs",
      description = "Run 'hadoop fs' on the cluster, for instance: hdrf cluster fs -ls /",
      mixinStandardHelpOptions = true)
  static final class Fs implements Callable<Integer> {
    @Mixin private Location location;

    @Parameters(paramLabel = "ARGS", arity = "0..*", description = "As 'hadoop fs' takes them.")
    private List<String> arguments = List.of();

    @Override
    public Integer call() throws IOException {
      Process shell =
          location.openRunning().command("org.apache.hadoop.fs.FsShell", arguments).start();
      try {
        return shell.waitFor();
      } catch (InterruptedException e) {
        shell.destroy();
        Thread.currentThread().interrupt();
        throw new ClusterException("Interrupted", e);
      }
    }
  }

  /** {@code hdrf cluster conf}. */
  @Command(
      name = "conf",
      mixinStandardHelpOptions = true,
      description = "Print the directory to set HADOOP_CONF_DIR to.")
  static final class Conf implements Callable<Integer> {
    @Mixin private Location location;

    @Override
    public Integer call() throws IOException {
      Terminal.system().result(location.open().conf().toString());
      return ExitCode.OK;
    }
  }

  /** {@code hdrf cluster status}. */
  @Command(
      name = "status",
      mixinStandardHelpOptions = true,
      description = {
        "What runs, what the DataNodes hold, and HDRF's metrics.",
        "The exit code is 0 if every daemon runs, else 1."
      })
  static final class Status implements Callable<Integer> {
    @Mixin private Location location;

    @Option(names = "--json", description = "Print JSON.")
    private boolean json;

    @Override
    public Integer call() throws IOException {
      LocalCluster cluster = location.open();
      Terminal terminal = Terminal.system();
      ObjectNode root = Json.object();
      boolean healthy = cluster.nameNode().isServing();
      root.put("directory", cluster.config().directory().toString());
      root.put("uri", cluster.uri());
      root.put("stock", cluster.config().stock());
      root.put("schemes", cluster.config().stock() ? "" : cluster.config().schemes());
      root.put("nameNode", healthy ? "serving" : "down");
      root.put("liveDataNodes", healthy ? cluster.nameNode().liveDataNodes() : 0);
      ArrayNode nodes = root.putArray("dataNodes");
      Set<Integer> down = new HashSet<>();
      List<DiskUsage> usages = new ArrayList<>();
      List<List<JsonNode>> metrics = new ArrayList<>();
      for (DataNode dataNode : cluster.dataNodes()) {
        boolean serving = dataNode.isAlive() && dataNode.isServing();
        healthy &= serving;
        if (!serving) {
          down.add(dataNode.index());
        }
        usages.add(dataNode.diskUsage());
        metrics.add(serving ? dataNode.hdrfMetrics() : List.of());
        ObjectNode node = nodes.addObject();
        node.put("name", dataNode.name());
        node.put("state", serving ? "serving" : "down");
        node.setAll(UsageJson.of(usages.get(usages.size() - 1)));
        node.putArray("hdrf").addAll(metrics.get(metrics.size() - 1));
      }
      if (json) {
        terminal.result(Json.text(root));
      } else {
        terminal.result(
            String.format(
                "%s  NameNode %s, %d of %d DataNodes alive, %s",
                root.path("uri").asText(),
                root.path("nameNode").asText(),
                root.path("liveDataNodes").asInt(),
                cluster.dataNodes().size(),
                cluster.config().stock() ? "stock" : "schemes " + cluster.config().schemes()));
        terminal.result("");
        terminal.table(UsageJson.table(usages, down));
        if (!cluster.config().stock()) {
          terminal.result("");
          terminal.table(MetricsTable.rows(metrics));
        }
      }
      return healthy ? ExitCode.OK : ExitCode.DIFFERENT;
    }
  }

  static CommandLine configure(CommandLine commandLine) {
    // Arguments after 'fs' belong to Hadoop's shell, options too.
    commandLine
        .getSubcommands()
        .get("cluster")
        .getSubcommands()
        .get("fs")
        .setUnmatchedOptionsArePositionalParams(true)
        .setStopAtPositional(true);
    return commandLine;
  }
}
