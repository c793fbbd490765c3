/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.benchmarks;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import picocli.CommandLine.Option;

/** What a benchmark finds, on standard output and in a file. A mixin of its command. */
public final class Report {

  @Option(names = "--out", description = "Also write what is printed to this file.")
  private Path out;

  private final StringBuilder printed = new StringBuilder();

  /** Prints a table. The file has all so far, should the benchmark be stopped. */
  public void print(String table) {
    System.out.println(table);
    printed.append(table).append('\n');
    if (out != null) {
      try {
        Files.writeString(out, printed);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }
}
