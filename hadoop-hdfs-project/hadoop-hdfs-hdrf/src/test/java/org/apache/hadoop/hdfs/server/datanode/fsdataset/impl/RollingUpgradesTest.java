/* SPDX-License-Identifier: Apache-2.0 */
package org.apache.hadoop.hdfs.server.datanode.fsdataset.impl;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.Test;

class RollingUpgradesTest {

  private final RollingUpgrades upgrades = new RollingUpgrades();

  @Test
  void untilANameNodeHasAnsweredOneMayBeOpen() {
    assertThat(upgrades.mayBeOpen("BP-1")).isTrue();
    assertThat(upgrades.answered("BP-1", 7)).isTrue();
    assertThat(upgrades.answered("BP-1", 8)).isFalse();
    assertThat(upgrades.mayBeOpen("BP-1")).isFalse();
    assertThat(upgrades.mayBeOpen("BP-2")).as("another NameNode's").isTrue();
    upgrades.forget("BP-1");
    assertThat(upgrades.mayBeOpen("BP-1")).isTrue();
  }

  @Test
  void anAnswerEndsNoneThatItHasNamed() {
    upgrades.opened("BP-1", () -> 7);
    assertThat(upgrades.answered("BP-1", 7)).isFalse();
    assertThat(upgrades.mayBeOpen("BP-1")).isTrue();
    upgrades.opened("BP-1", () -> 8);
    assertThat(upgrades.answered("BP-1", 8)).isFalse();
    assertThat(upgrades.answered("BP-1", 7)).as("of another one, before").isFalse();
    assertThat(upgrades.mayBeOpen("BP-1")).isTrue();
  }

  /** Of a NameNode that has forgotten an upgrade which it finalized while nobody listened. */
  @Test
  void aLaterAnswerThatDoesNotNameItEndsOne() {
    upgrades.opened("BP-1", () -> 7);
    assertThat(upgrades.answered("BP-1", 9)).isTrue();
    assertThat(upgrades.mayBeOpen("BP-1")).isFalse();
    assertThat(upgrades.answered("BP-1", 10)).isFalse();
  }

  /** A NameNode says it in each answer; a look at all blocks for each would be too much. */
  @Test
  void theEndIsNewsOnce() {
    upgrades.opened("BP-1", () -> 1);
    assertThat(upgrades.closed("BP-1")).isTrue();
    assertThat(upgrades.mayBeOpen("BP-1")).isFalse();
    assertThat(upgrades.closed("BP-1")).isFalse();
    assertThat(upgrades.answered("BP-1", 2)).isFalse();
    upgrades.opened("BP-1", () -> 3);
    assertThat(upgrades.mayBeOpen("BP-1")).isTrue();
  }

  /** Of two NameNodes that say so, the one that was overtaken may come last. */
  @Test
  void theTransactionIsReadWhenItIsNoted() {
    AtomicLong last = new AtomicLong(110);
    upgrades.opened("BP-1", last::get);
    LongSupplier late = last::get;
    last.set(111);
    upgrades.opened("BP-1", late);
    assertThat(upgrades.answered("BP-1", 111)).isFalse();
    assertThat(upgrades.mayBeOpen("BP-1")).isTrue();
  }
}
