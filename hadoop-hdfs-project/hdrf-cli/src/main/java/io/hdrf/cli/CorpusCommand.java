/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.cli;

import io.hdrf.corpus.SourceCorpus;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;

/** {@code hdrf corpus}. */
@Command(
    name = "corpus",
    mixinStandardHelpOptions = true,
    description = "Fetch the text that 'hdrf demo' and the benchmarks store, and print its files.")
final class CorpusCommand implements Callable<Integer> {
  @Override
  public Integer call() throws IOException {
    Terminal terminal = Terminal.system();
    for (Path file : files(terminal)) {
      terminal.result(file.toString());
    }
    return ExitCode.OK;
  }

  static List<Path> files(Terminal terminal) throws IOException {
    SourceCorpus corpus = new SourceCorpus(Home.directory());
    int versions = corpus.versions().size();
    try (Progress progress =
        terminal.progress("Source text of Hadoop", versions, Progress.Unit.COUNT)) {
      List<Path> files = corpus.files(version -> progress.add(1));
      progress.done(versions + " versions");
      return files;
    }
  }
}
