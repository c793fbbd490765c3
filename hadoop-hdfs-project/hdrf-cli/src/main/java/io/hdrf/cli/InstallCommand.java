/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.cli;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code hdrf install}. */
@Command(
    name = "install",
    mixinStandardHelpOptions = true,
    description = {
      "Put HDRF into an unpacked Hadoop: a directory of its own, and a profile for Hadoop's shell"
          + " by which DataNodes get HDRF's jars and 'hdfs hdrf' works. Replaces another version.",
      "Says what it changed, and what hdfs-site.xml must have. Until that is done and the DataNode is"
          + " restarted, it runs as before."
    })
final class InstallCommand implements Callable<Integer> {
  @Parameters(paramLabel = "HADOOP_HOME", description = "The directory with bin/hdfs in it.")
  private Path directory;

  @Option(
      names = "--untested",
      description =
          "Also into a version of Hadoop that HDRF was not tested with, such as a vendor's build:"
              + " see hdrf.hadoop.untested.version.")
  private boolean untested;

  static Distribution distribution() throws IOException {
    return Home.isDistribution()
        ? Distribution.unpacked(Home.dist(), Main.version())
        : Distribution.ofSourceTree(Home.directory(), Home.dist(), Main.version());
  }

  @Override
  public Integer call() throws IOException {
    HadoopHome home = HadoopHome.of(directory);
    home.requireVersion(untested);
    Installation installation = new Installation(home);
    Distribution distribution = distribution();
    List<String> changes = installation.install(distribution);
    Terminal terminal = Terminal.system();
    String what = "HDRF " + distribution.version();
    if (changes.isEmpty()) {
      terminal.result(what + " is installed in " + home.directory() + ": nothing to do.");
    } else {
      terminal.result(
          "Installed " + what + " in " + home.directory() + " (Hadoop " + home.version() + "):");
      changes.forEach(change -> terminal.result("  " + change));
    }
    installation.differences().forEach(difference -> terminal.result("  " + difference));
    if (!changes.isEmpty()) {
      terminal.result("It is used from the DataNode's next restart on.");
    }
    terminal.result("");
    terminal.result("The DataNode's hdfs-site.xml must have:");
    terminal.result("");
    terminal.result(installation.site().stripTrailing());
    terminal.result("");
    terminal.result("Other schemes, and all keys: " + home.resolve(Installation.LINK + "/docs"));
    return ExitCode.OK;
  }
}
