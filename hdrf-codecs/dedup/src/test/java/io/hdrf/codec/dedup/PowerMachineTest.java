/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup;

import static org.assertj.core.api.Assertions.assertThat;

import io.hdrf.io.InMemory;
import io.hdrf.spi.scheme.TestSeed;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.Random;
import java.util.Set;
import org.apache.log4j.Level;
import org.apache.log4j.LogManager;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Power fails repeatedly at random changes of a whole DataNode's files. {@code
 * -Dhdrf.power.crashes} sets the number of failures; an error names the seed of its life, which
 * {@code -Dhdrf.power.seed} repeats.
 */
class PowerMachineTest {

  private static final int CRASHES = Integer.getInteger("hdrf.power.crashes", 40);
  private static final Long SEED = Long.getLong("hdrf.power.seed");

  private static final Set<PowerMachine.Hazard> HAZARDS = EnumSet.allOf(PowerMachine.Hazard.class);

  @TempDir(factory = InMemory.class)
  private static Path scratch;

  /** Each injected failure would be logged at length. */
  @BeforeAll
  static void logLess() {
    LogManager.getLogger("io.hdrf").setLevel(Level.OFF);
  }

  @AfterAll
  static void logAgain() {
    LogManager.getLogger("io.hdrf").setLevel(null);
  }

  @Test
  void nothingIsLostWithThePower() throws Exception {
    PowerMachine.Happened happened = new PowerMachine.Happened();
    if (SEED != null) {
      new PowerMachine(SEED, HAZARDS, scratch, happened).run();
      System.out.println(happened.counts);
      return;
    }
    Random seeds = TestSeed.random("power machine");
    long begin = System.nanoTime();
    while (happened.crashes < CRASHES) {
      new PowerMachine(seeds.nextLong(), HAZARDS, scratch, happened).run();
    }
    System.out.printf(
        "%d power losses, %d changes, %d faults, %d blocks reduced, %d reads, %d s%n%s%n",
        happened.crashes,
        happened.changes,
        happened.faults,
        happened.blocksReduced,
        happened.blocksRead,
        (System.nanoTime() - begin) / 1_000_000_000,
        happened.counts);
    assertThat(happened.blocksReduced).isGreaterThan(CRASHES);
    assertThat(happened.faults).isGreaterThan(CRASHES / 10);
  }
}
