/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

/**
 * An {@code hdrf} command that ran in this process.
 *
 * @param code its exit code
 * @param out what it wrote to standard output
 */
public record Ran(int code, String out) {

  /** Runs a command. */
  public static Ran of(String... words) {
    PrintStream before = System.out;
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    System.setOut(new PrintStream(out, true, StandardCharsets.UTF_8));
    try {
      return new Ran(Main.commandLine().execute(words), out.toString(StandardCharsets.UTF_8));
    } finally {
      System.setOut(before);
    }
  }

  /** Returns the output of a command with {@code --json}. */
  public JsonNode json() throws IOException {
    return new ObjectMapper().readTree(out);
  }
}
