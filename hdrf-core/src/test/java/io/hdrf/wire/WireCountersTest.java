/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.wire;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class WireCountersTest {

  private final WireCounters counters = new WireCounters();

  @Test
  void trafficCountsInAllByOperationAndByPeer() {
    counters.sent("WRITE_BLOCK", "10.0.0.1", 1000, 300);
    counters.sent("COPY_BLOCK", "10.0.0.2", 20, 7);
    counters.received("WRITE_BLOCK", "10.0.0.1", 5, 3);

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

  /** More peers than a few hundred make no more names. */
  @Test
  void peersBeyondTheMostAreCountedAsOne() {
    for (int peer = 0; peer < 202; peer++) {
      counters.sent("WRITE_BLOCK", "peer" + peer, 10, 1);
    }
    counters.sent("WRITE_BLOCK", "peer0", 10, 1);
    assertThat(counters.value("mirrorBytesPlainSent-peer0")).isEqualTo(20);
    assertThat(counters.value("mirrorBytesPlainSent-peer199")).isEqualTo(10);
    assertThat(counters.value("mirrorBytesPlainSent-others")).isEqualTo(20);
    assertThat(counters.values()).doesNotContainKey("mirrorBytesPlainSent-peer200");
  }

  @Test
  void everythingIsCountedUnderItsName() {
    counters.encoded();
    counters.forwarded(2);
    counters.checksumsLeftOut(3);
    counters.sentAsStored(4);
    counters.asked(5, 6, 7);
    counters.asked(10, 20, 30);
    counters.askTraffic(8);
    counters.answered(9, 10);
    counters.noRoomToHold();
    counters.wrongChunks(11);
    counters.proofRefused();
    counters.fallback(Fallback.ASK_TIMED_OUT);
    assertThat(counters.values())
        .containsEntry("mirrorFramesEncoded", 1L)
        .containsEntry("mirrorFramesForwarded", 2L)
        .containsEntry("mirrorChecksumBytesLeftOut", 3L)
        .containsEntry("mirrorFramesSentAsStored", 4L)
        .containsEntry("mirrorAsks", 2L)
        .containsEntry("mirrorChunksByReference", 15L)
        .containsEntry("mirrorChunksByValue", 26L)
        .containsEntry("mirrorBytesByReference", 37L)
        .containsEntry("mirrorBytesAsking", 8L)
        .containsEntry("mirrorAnswers", 1L)
        .containsEntry("mirrorChunksHeld", 9L)
        .containsEntry("mirrorChunksAbsent", 10L)
        .containsEntry("mirrorAnswersWithoutRoom", 1L)
        .containsEntry("mirrorChunksWrong", 11L)
        .containsEntry("mirrorProofsRefused", 1L)
        .containsEntry("mirrorFallbackAskTimedOut", 1L)
        .containsEntry("mirrorFallbackPeerIsStock", 0L);
    assertThat(counters.value("mirrorAsks")).isEqualTo(2);
    assertThat(counters.value("mirrorBytesWireSent")).isZero();
  }
}
