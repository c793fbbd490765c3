/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.cli;

import io.hdrf.cluster.ClusterConfig;
import io.hdrf.cluster.HadoopRuntime;
import io.hdrf.conf.HdrfKeys;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine;
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
          + " once on stock HDFS, once with HDRF. Everything is stopped at the end.",
      "",
      "With --hadoop, daemons and jobs run on that version; the command itself stays a client of its"
          + " own version. WordCount is 3.4.2's for 3.4.3 and 3.5.0, of which Maven has none."
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
      names = "--hadoop",
      paramLabel = "VERSION",
      completionCandidates = OtherHadoop.Versions.class,
      showDefaultValue = CommandLine.Help.Visibility.NEVER,
      description = {
        "Hadoop's version: ${COMPLETION-CANDIDATES}, or a line, such as 3.4. Its jars are fetched",
        "when it is first asked for. Default: the one that HDRF is built with, or HADOOP_HOME's."
      })
  private String hadoop;

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
      showDefaultValue = CommandLine.Help.Visibility.NEVER,
      description = "Where the clusters live. Default: target/demo in HDRF's source tree.")
  private String workDirectory = "";

  @Override
  public Integer call() throws IOException {
    if (input != null && !Files.isDirectory(input)) {
      throw new IllegalArgumentException("No directory " + input);
    }
    String version = hadoop == null ? "" : OtherHadoop.version(hadoop);
    Path work =
        workDirectory.isEmpty()
            ? Home.directory().resolve("target").resolve("demo")
            : Path.of(workDirectory).toAbsolutePath();
    ClusterConfig config =
        ClusterConfig.in(work.resolve("hdrf"))
            .withDataNodes(dataNodes)
            .withReplication(replication)
            .withSchemes(schemes)
            .withHadoop(version)
            .with(HdrfKeys.METADATA_STORE, metadata.name())
            .withStock(stock);
    HadoopRuntime runtime = Home.runtime(config.hadoop());
    try (DirectoryLock lock = DirectoryLock.take(work)) {
      DemoReport report = new Demo(Terminal.system(), work, config, runtime).run(input);
      if (json != null) {
        report.write(json);
      }
      return report.allIdentical() ? ExitCode.OK : ExitCode.DIFFERENT;
    }
  }
}
