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
    description = "Write docs/configuration.md from conf/hdrf-default.xml.")
final class DocsCommand implements Callable<Integer> {
  @Override
  public Integer call() throws IOException {
    Path home = Home.directory();
    Path page = home.resolve(ConfigurationPage.PAGE);
    Files.createDirectories(page.getParent());
    Files.writeString(page, ConfigurationPage.render(home.resolve(ConfigurationPage.SOURCE)));
    Terminal.system().say("Wrote " + page);
    return ExitCode.OK;
  }
}
