/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.io;

/** Seeds of property tests: {@code -Dhdrf.test.seed=N} repeats a run. */
public final class Seeds {

  private Seeds() {}

  /** The seed from the system property, or a new one; printed. */
  public static long next(String test) {
    Long given = Long.getLong("hdrf.test.seed");
    long seed = given != null ? given : System.nanoTime();
    System.out.println(test + ": -Dhdrf.test.seed=" + seed);
    return seed;
  }
}
