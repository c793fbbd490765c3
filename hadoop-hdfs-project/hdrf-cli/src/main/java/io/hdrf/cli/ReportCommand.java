/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.cli;

import io.hdrf.admin.VolumeUse;
import io.hdrf.scheme.SchemeRegistry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import org.apache.hadoop.conf.Configuration;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code hdrf report}. */
@Command(
    name = "report",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Show what HDRF saves in the whole cluster and what needs attention: asks every live DataNode"
          + " that the NameNode lists. With PATH: show what a file or directory takes and saves.",
      "The exit code is 1 if something needs attention, and 3 if a DataNode is dead or does not"
          + " answer in time; it is named, and the others are shown. DataNodes without HDRF are"
          + " listed, too, and are nothing wrong."
    })
final class ReportCommand implements Callable<Integer> {
  private static final int MAX_PARALLEL = 1000;

  @Parameters(
      paramLabel = "PATH",
      arity = "0..1",
      description = {
        "A file or directory in HDFS, as in 'hdfs dfs -du PATH'. Only what you may list is counted,"
            + " and what snapshots alone keep is not, unless PATH lies in one."
      })
  private String path;

  @Mixin private RecordTarget target;

  @Option(
      names = "--parallel",
      paramLabel = "N",
      defaultValue = "16",
      description = "How many DataNodes are asked at a time. Default: ${DEFAULT-VALUE}.")
  private int parallel;

  @Option(
      names = "--plugins",
      paramLabel = "DIR",
      description = {
        "The jars of schemes: which of them keep stores of their own, and their names. Default:"
            + " those that are built here."
      })
  private Path plugins;

  @Option(names = "--json", description = "Print JSON.")
  private boolean json;

  @Option(
      names = "--html",
      paramLabel = "FILE",
      description = {
        "Write it as one page of HTML to FILE instead, with drawings and the blocks that save least."
            + " Not with PATH."
      })
  private Path html;

  @Override
  public Integer call() throws IOException {
    if (html != null && path != null) {
      throw new IllegalArgumentException("--html shows the whole cluster, and no PATH");
    }
    if (parallel < 1 || parallel > MAX_PARALLEL) {
      throw new IllegalArgumentException(
          "--parallel is " + parallel + ", accepted is 1 to " + MAX_PARALLEL);
    }
    Terminal terminal = Terminal.system();
    Troubles troubles = new Troubles(terminal);
    return path == null ? cluster(terminal, troubles) : path(terminal, troubles);
  }

  private int cluster(Terminal terminal, Troubles troubles) throws IOException {
    List<RecordTarget.Address> all = target.everywhere(troubles);
    if (all.isEmpty()) {
      troubles.add("the NameNode lists no live DataNode");
    }
    int timeout = target.timeoutMillis();
    List<NodeReport> nodes =
        Parallel.run(
            all,
            parallel,
            address -> NodeReport.ask(address, timeout),
            (address, why) -> troubles.add(address.name() + ": " + why));
    for (NodeReport node : nodes) {
      node.gaps().forEach(gap -> troubles.add(node.name() + ": " + gap));
      for (VolumeUse use : node.uses()) {
        if (!use.isWhole()) {
          troubles.add(
              node.name() + " " + use.directory() + ": not all is counted: " + use.obstacle());
        }
      }
    }
    ClusterReport report = new ClusterReport(nodes);
    long now = System.currentTimeMillis();
    if (html != null) {
      new ClusterPage(report, troubles.lines(), now).write(html);
    }
    if (json) {
      terminal.json(report.toJson(troubles));
    } else if (html == null) {
      report.print(terminal, now);
    }
    return troubles.exitCode(report.isFine());
  }

  /** What is not known is asked of the DataNodes. */
  private SchemeRegistry schemes() throws IOException {
    Path directory = Home.plugins(plugins);
    return plugins == null && !Files.isDirectory(directory)
        ? SchemeRegistry.of(List.of())
        : SchemeRegistry.load(directory);
  }

  private int path(Terminal terminal, Troubles troubles) throws IOException {
    Configuration conf = target.ofCluster();
    try (PathReport report =
        new PathReport(conf, schemes(), parallel, target.timeoutMillis(), troubles)) {
      report.count(path);
      if (json) {
        terminal.json(report.toJson());
      } else {
        report.print(terminal);
      }
    }
    return troubles.exitCode(true);
  }
}
