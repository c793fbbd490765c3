/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.hadooptests;

import java.util.Collections;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * The outcome of one test class.
 *
 * @param testClass its full name
 * @param tests the test methods run, skipped ones included
 * @param skipped the skipped ones
 * @param seconds wall time, as Surefire reports it
 * @param failed names of the methods that failed or threw; {@link #DID_NOT_FINISH} alone if the JVM
 *     was killed or ended before the class did
 */
record Outcome(String testClass, int tests, int skipped, double seconds, SortedSet<String> failed) {
  static final String DID_NOT_FINISH = "(did not finish)";

  Outcome {
    failed = Collections.unmodifiableSortedSet(new TreeSet<>(failed));
  }

  static Outcome unfinished(String testClass) {
    return new Outcome(testClass, 0, 0, 0, new TreeSet<>(Collections.singleton(DID_NOT_FINISH)));
  }

  boolean finished() {
    return !failed.contains(DID_NOT_FINISH);
  }

  int passed() {
    return finished() ? tests - skipped - failed.size() : 0;
  }
}
