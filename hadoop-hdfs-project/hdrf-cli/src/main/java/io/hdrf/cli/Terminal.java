/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.cli;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import java.io.IOException;
import java.io.PrintStream;
import java.io.Writer;
import java.util.List;

/** Standard error for progress and messages, standard output for results. */
final class Terminal {
  private static final ObjectMapper JSON =
      new ObjectMapper()
          .enable(SerializationFeature.INDENT_OUTPUT)
          .disable(JsonGenerator.Feature.AUTO_CLOSE_TARGET);

  private final PrintStream out;
  private final PrintStream err;
  private final boolean interactive;

  Terminal(PrintStream out, PrintStream err, boolean interactive) {
    this.out = out;
    this.err = err;
    this.interactive = interactive;
  }

  static Terminal system() {
    return new Terminal(System.out, System.err, Boolean.getBoolean("hdrf.terminal"));
  }

  Progress progress(String label, long total, Progress.Unit unit) {
    return new Progress(err, interactive, label, total, unit);
  }

  void say(String message) {
    err.println(message);
  }

  void result(String line) {
    out.println(line);
  }

  /** Prints a value as JSON while it is made: it may be long. */
  void json(Object value) throws IOException {
    JSON.writeValue(new Printed(), value);
    out.println();
  }

  /** Characters for standard output, in its own encoding. */
  private final class Printed extends Writer {
    @Override
    public void write(char[] characters, int offset, int length) {
      out.print(new String(characters, offset, length));
    }

    @Override
    public void flush() {
      out.flush();
    }

    @Override
    public void close() {
      flush();
    }
  }

  /** Prints rows with columns aligned: the first to the left, the others to the right. */
  void table(List<List<String>> rows) {
    int columns = rows.get(0).size();
    int[] widths = new int[columns];
    for (List<String> row : rows) {
      for (int i = 0; i < columns; i++) {
        widths[i] = Math.max(widths[i], row.get(i).length());
      }
    }
    for (List<String> row : rows) {
      StringBuilder line = new StringBuilder();
      for (int i = 0; i < columns; i++) {
        String cell = row.get(i);
        String space = " ".repeat(widths[i] - cell.length());
        line.append(i == 0 ? cell + space : "  " + space + cell);
      }
      out.println(line.toString().stripTrailing());
    }
  }
}
