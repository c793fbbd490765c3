/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.cli;

import io.hdrf.cluster.ClusterConfig;
import io.hdrf.cluster.HadoopRuntime;
import io.hdrf.conf.HdrfKeys;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code hdrf demo}. */
@Command(
    name = "demo",
    mixinStandardHelpOptions = true,
    showDefaultValues = true,
    description = {
      "Store real files on a real cluster and prove that nothing changed but the space they take.",
      "",
      "Starts a NameNode and DataNodes as separate processes on 127.0.0.1, stores files, runs"
          + " WordCount by MapReduce, reads everything back, restarts the DataNodes and reads again:"
          + " once on stock HDFS, once with HDRF. Everything is stopped at the end."
    })
final class DemoCommand implements Callable<Integer> {
  /** The metadata stores, named like the option's values. */
  enum Metadata {
    embedded,
    redis,
    none
  }

  @Parameters(
      arity = "0..1",
      paramLabel = "DIR",
      description = "The files to store. Default: source text of several Hadoop versions.")
  private Path input;

  @Option(names = "--json", paramLabel = "FILE", description = "Write the figures to a file.")
  private Path json;

  @Option(names = "--datanodes", paramLabel = "N", description = "Number of DataNodes.")
  private int dataNodes = 3;

  @Option(names = "--replication", paramLabel = "N", description = "Replicas of each block.")
  private int replication = 3;

  @Option(names = "--schemes", paramLabel = "CHAIN", description = "Reduction schemes, in order.")
  private String schemes = "lz4";

  @Option(
      names = "--metadata",
      paramLabel = "STORE",
      description = {
        "Where records of blocks are kept: embedded, redis (a server is started for each DataNode)",
        "or none."
      })
  private Metadata metadata = Metadata.embedded;

  @Option(
      names = "--stock",
      description = "Use stock DataNodes for the second half too, to see what they need.")
  private boolean stock;

  @Option(
      names = "--work-dir",
      paramLabel = "DIR",
      defaultValue = "",
      showDefaultValue = picocli.CommandLine.Help.Visibility.NEVER,
      description = "Where the clusters live. Default: target/demo in HDRF's source tree.")
  private String workDirectory = "";

  @Override
  public Integer call() throws IOException {
    if (input != null && !Files.isDirectory(input)) {
      throw new IllegalArgumentException("No directory " + input);
    }
    Path work =
        workDirectory.isEmpty()
            ? Home.directory().resolve("target").resolve("demo")
            : Path.of(workDirectory).toAbsolutePath();
    ClusterConfig config =
        ClusterConfig.in(work.resolve("hdrf"))
            .withDataNodes(dataNodes)
            .withReplication(replication)
            .withSchemes(schemes)
            .with(HdrfKeys.METADATA_STORE, metadata.name())
            .withStock(stock);
    HadoopRuntime runtime = Home.runtime();
    try (DirectoryLock lock = DirectoryLock.take(work)) {
      DemoReport report = new Demo(Terminal.system(), work, config, runtime).run(input);
      if (json != null) {
        report.write(json);
      }
      return report.allIdentical() ? ExitCode.OK : ExitCode.DIFFERENT;
    }
  }
}
