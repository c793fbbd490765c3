/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.cli;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * What a command could not look at or do. One bad thing hides no other: it is said at once, the
 * rest is done all the same, and the exit code tells that not all was. For one thread.
 */
final class Troubles {

  /** Something that can fail. */
  interface Step {
    void run() throws IOException;
  }

  private final Terminal terminal;
  private final List<String> all = new ArrayList<>();

  Troubles(Terminal terminal) {
    this.terminal = terminal;
  }

  /**
   * Runs a step, and says what is wrong if it fails.
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

  /** Says something that keeps the answer from being complete, unless it was said before. */
  void add(String line) {
    if (!all.contains(line)) {
      all.add(line);
      terminal.say("hdrf: " + line);
    }
  }

  boolean isEmpty() {
    return all.isEmpty();
  }

  /** What was said, in that order. */
  List<String> lines() {
    return List.copyOf(all);
  }

  /**
   * The exit code.
   *
   * @param same whether nothing was found that differs
   */
  int exitCode(boolean same) {
    return !isEmpty() ? ExitCode.FAILED : same ? ExitCode.OK : ExitCode.DIFFERENT;
  }
}
