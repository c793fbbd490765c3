/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;

/** {@code hdrf docs}. */
@Command(
    name = "docs",
    mixinStandardHelpOptions = true,
    description =
        "Write docs/configuration.md from conf/hdrf-default.xml, and the tables of metrics in"
            + " docs/operations.md.")
final class DocsCommand implements Callable<Integer> {
  @Override
  public Integer call() throws IOException {
    Path home = Home.directory();
    Path metrics = home.resolve(MetricsPage.PAGE);
    write(
        home.resolve(ConfigurationPage.PAGE),
        ConfigurationPage.render(home.resolve(ConfigurationPage.SOURCE)));
    write(
        metrics,
        MetricsPage.render(
            Files.readString(metrics), Files.readString(home.resolve(MetricsPage.SOURCE))));
    return ExitCode.OK;
  }

  private static void write(Path page, String text) throws IOException {
    Files.writeString(page, text);
    Terminal.system().say("Wrote " + page);
  }
}
