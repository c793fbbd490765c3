/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.scheme;

import io.hdrf.io.Seeds;
import java.util.Arrays;
import java.util.Random;

/** Random numbers that can be had again, by the seed of {@link Seeds}. */
public final class TestSeed {

  private static final long SEED = Seeds.next("schemes");

  private TestSeed() {}

  /** A generator that depends on the seed and on {@code purpose} only. */
  public static Random random(Object... purpose) {
    return new Random(SEED ^ (Arrays.deepHashCode(purpose) * 0x9E3779B97F4A7C15L));
  }
}
