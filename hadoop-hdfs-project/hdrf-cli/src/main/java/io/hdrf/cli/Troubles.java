/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.cli;

import java.io.IOException;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Failures of a command's steps. One failure hides no other: it is printed at once, the other steps
 * still run, and the exit code shows that not all succeeded. For one thread.
 */
final class Troubles {

  /** A step that can fail. */
  interface Step {
    void run() throws IOException;
  }

  private final Terminal terminal;
  private final Set<String> all = new LinkedHashSet<>();

  Troubles(Terminal terminal) {
    this.terminal = terminal;
  }

  /**
   * Runs a step, and prints the reason if it fails.
   *
   * @param what the step is about, for people
   * @return whether it succeeded
   */
  boolean attempt(String what, Step step) {
    try {
      step.run();
      return true;
    } catch (IOException e) {
      add(what + ": " + Main.message(e));
      return false;
    }
  }

  /** Prints something that makes the answer incomplete, unless it was printed before. */
  void add(String line) {
    if (all.add(line)) {
      terminal.say("hdrf: " + line);
    }
  }

  boolean isEmpty() {
    return all.isEmpty();
  }

  /** Returns the printed lines, in order. */
  List<String> lines() {
    return List.copyOf(all);
  }

  /**
   * Returns the exit code.
   *
   * @param same whether nothing differs
   */
  int exitCode(boolean same) {
    return !isEmpty() ? ExitCode.FAILED : same ? ExitCode.OK : ExitCode.DIFFERENT;
  }
}
