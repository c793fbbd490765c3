/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.cli;

import io.hdrf.corpus.ColumnCorpus;
import io.hdrf.corpus.SourceCorpus;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code hdrf corpus}. */
@Command(
    name = "corpus",
    mixinStandardHelpOptions = true,
    description = "Fetch the text that 'hdrf demo' and the benchmarks store, and print its files.")
final class CorpusCommand implements Callable<Integer> {
  @Option(
      names = "--columns",
      description = "Make columns of numbers instead, of 4 and 8 bytes each, and rows of 40 bytes.")
  private boolean columns;

  @Override
  public Integer call() throws IOException {
    Terminal terminal = Terminal.system();
    List<Path> files = columns ? new ColumnCorpus(Home.directory()).files() : files(terminal);
    for (Path file : files) {
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
