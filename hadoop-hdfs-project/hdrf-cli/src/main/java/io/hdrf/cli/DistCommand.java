/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code hdrf dist}. */
@Command(
    name = "dist",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Pack what is built into hdrf-VERSION.tar.gz, with its SHA-256 beside it.",
      "The same sources give the same bytes. 'bin/hdrf install' works from where it is unpacked."
    })
final class DistCommand implements Callable<Integer> {
  @Option(
      names = "--output",
      paramLabel = "DIR",
      description = "Where to. Default: target in the source tree.")
  private Path directory;

  @Override
  public Integer call() throws IOException {
    Path home = Home.directory();
    Path target = directory == null ? home.resolve("target") : directory;
    Files.createDirectories(target);
    Distribution distribution = Distribution.ofSourceTree(home, Home.dist(), Main.version());
    String name = "hdrf-" + distribution.version() + ".tar.gz";
    Path part = target.resolve("." + name + ".part");
    distribution.pack(part);
    byte[] packed = Files.readAllBytes(part);
    Files.move(part, target.resolve(name), StandardCopyOption.REPLACE_EXISTING);
    String digest = Distribution.sha256(packed);
    Files.writeString(target.resolve(name + ".sha256"), digest + "  " + name + "\n");
    Terminal terminal = Terminal.system();
    terminal.say("Wrote " + target.resolve(name) + ", " + Sizes.bytes(packed.length));
    terminal.result(digest + "  " + name);
    return ExitCode.OK;
  }
}
