/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.hadooptests;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * The directory of one run: {@code includes.txt}, {@code reports/}, {@code counters/}, and {@code
 * again/}, a run of the same shape, for the classes that were run a second time.
 */
record TestRun(Path directory) {
  private static final String INCLUDES = "includes.txt";

  Path includes() {
    return directory.resolve(INCLUDES);
  }

  TestRun again() {
    return new TestRun(directory.resolve("again"));
  }

  List<String> classes() throws IOException {
    return ClassList.read(includes());
  }

  boolean ranAgain(String testClass) throws IOException {
    return Files.exists(again().includes()) && again().classes().contains(testClass);
  }

  /** Returns the outcome of the last run of a class. */
  Outcome last(String testClass) throws IOException {
    return ranAgain(testClass) ? again().first(testClass) : first(testClass);
  }

  /** Returns the failures that occur in every run of a class; others occur only now and then. */
  Outcome steady(String testClass) throws IOException {
    Outcome first = first(testClass);
    if (!ranAgain(testClass)) {
      return first;
    }
    Outcome second = again().first(testClass);
    if (!first.finished() || !second.finished()) {
      return first.finished() ? first : second;
    }
    SortedSet<String> both = new TreeSet<>(first.failed());
    both.retainAll(second.failed());
    return new Outcome(testClass, second.tests(), second.skipped(), second.seconds(), both);
  }

  /** Returns HDRF's counters of the last run of a class. */
  Map<String, Long> counters(String testClass) throws IOException {
    Path run = ranAgain(testClass) ? again().directory : directory;
    return CounterFiles.read(run.resolve("counters"), testClass);
  }

  Outcome first(String testClass) throws IOException {
    return SurefireReports.read(directory.resolve("reports"), testClass);
  }
}
