/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.spi.scheme;

import java.util.Random;

/** Repeatable random numbers: the seed is printed, and taken from a property if set. */
public final class TestSeed {

  public static final String PROPERTY = "hdrf.test.seed";
  private static final long SEED = Long.getLong(PROPERTY, System.nanoTime());

  static {
    System.out.println("To repeat the random choices: -D" + PROPERTY + "=" + SEED);
  }

  private TestSeed() {}

  /** A generator that depends on the seed and on {@code purpose} only. */
  public static Random random(Object... purpose) {
    return new Random(SEED ^ (java.util.Arrays.deepHashCode(purpose) * 0x9E3779B97F4A7C15L));
  }
}
