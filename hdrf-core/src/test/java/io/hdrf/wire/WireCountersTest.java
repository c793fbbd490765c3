/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.hdrf.wire.WireCounters.Direction;
import org.junit.jupiter.api.Test;

class WireCountersTest {

  private final WireCounters counters = new WireCounters();

  @Test
  void trafficCountsInAllByOperationAndByPeer() {
    counters.traffic(Direction.SENT, "WRITE_BLOCK", "10.0.0.1", 1000, 300);
    counters.traffic(Direction.SENT, "COPY_BLOCK", "10.0.0.2", 20, 7);
    counters.traffic(Direction.RECEIVED, "WRITE_BLOCK", "10.0.0.1", 5, 3);

    assertThat(counters.values())
        .containsEntry("mirrorBytesPlainSent", 1020L)
        .containsEntry("mirrorBytesWireSent", 307L)
        .containsEntry("mirrorBytesPlainSent-WRITE_BLOCK", 1000L)
        .containsEntry("mirrorBytesWireSent-WRITE_BLOCK", 300L)
        .containsEntry("mirrorBytesPlainSent-COPY_BLOCK", 20L)
        .containsEntry("mirrorBytesWireSent-COPY_BLOCK", 7L)
        .containsEntry("mirrorBytesPlainSent-10.0.0.1", 1000L)
        .containsEntry("mirrorBytesWireSent-10.0.0.1", 300L)
        .containsEntry("mirrorBytesPlainSent-10.0.0.2", 20L)
        .containsEntry("mirrorBytesWireSent-10.0.0.2", 7L)
        .containsEntry("mirrorBytesPlainReceived", 5L)
        .containsEntry("mirrorBytesWireReceived", 3L)
        .containsEntry("mirrorBytesPlainReceived-WRITE_BLOCK", 5L)
        .containsEntry("mirrorBytesWireReceived-WRITE_BLOCK", 3L)
        .containsEntry("mirrorBytesPlainReceived-10.0.0.1", 5L)
        .containsEntry("mirrorBytesWireReceived-10.0.0.1", 3L)
        .doesNotContainKey("mirrorBytesPlainReceived-10.0.0.2");
  }
}
