/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.wire;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class WireCountersTest {

  @Test
  void totalsAreThoseOfAllDataNodesOfTheJvm() {
    long encoded = total("mirrorFramesEncoded");
    long stock = total("mirrorFallbackPeerIsStock");
    WireCounters first = new WireCounters();
    WireCounters second = new WireCounters();
    first.encoded(3);
    second.encoded(4);
    second.fallback(Fallback.PEER_IS_STOCK);
    assertThat(total("mirrorFramesEncoded")).isEqualTo(encoded + 7);
    assertThat(total("mirrorFallbackPeerIsStock")).isEqualTo(stock + 1);
  }

  private static long total(String name) {
    return WireCounters.jvmTotals().getOrDefault(name, 0L);
  }
}
