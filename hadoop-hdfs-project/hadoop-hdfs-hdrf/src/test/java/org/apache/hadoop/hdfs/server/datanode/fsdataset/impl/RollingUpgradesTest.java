/* SPDX-License-Identifier: Apache-2.0 */
package org.apache.hadoop.hdfs.server.datanode.fsdataset.impl;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class RollingUpgradesTest {

  private final RollingUpgrades upgrades = new RollingUpgrades();

  @Test
  void untilANameNodeHasAnsweredOneMayBeOpen() {
    assertThat(upgrades.mayBeOpen("BP-1")).isTrue();
    assertThat(upgrades.answered("BP-1")).isTrue();
    assertThat(upgrades.answered("BP-1")).isFalse();
    assertThat(upgrades.mayBeOpen("BP-1")).isFalse();
    assertThat(upgrades.mayBeOpen("BP-2")).as("another NameNode's").isTrue();
    upgrades.forget("BP-1");
    assertThat(upgrades.mayBeOpen("BP-1")).isTrue();
  }

  /** Whether it has named it, or is one of a NameNode that was rolled back. */
  @Test
  void anAnswerEndsNone() {
    upgrades.opened("BP-1");
    assertThat(upgrades.answered("BP-1")).isFalse();
    assertThat(upgrades.mayBeOpen("BP-1")).isTrue();
  }

  /** A NameNode says it in each answer; a look at all blocks for each would be too much. */
  @Test
  void theEndIsNewsOnce() {
    upgrades.opened("BP-1");
    assertThat(upgrades.closed("BP-1")).isTrue();
    assertThat(upgrades.mayBeOpen("BP-1")).isFalse();
    assertThat(upgrades.closed("BP-1")).isFalse();
    assertThat(upgrades.answered("BP-1")).isFalse();
    upgrades.opened("BP-1");
    assertThat(upgrades.mayBeOpen("BP-1")).isTrue();
  }
}
