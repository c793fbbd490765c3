/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Set;
import org.junit.jupiter.api.Test;

/** All types of records in all phases. */
class StreamOrderTest {

  private static final Set<Integer> OPENING = Set.of(WireFormat.HELLO, WireFormat.BYTES);

  private final StreamOrder order = new StreamOrder();

  private void assertMayCome(Set<Integer> allowed, boolean orAll) {
    for (int type = -1; type <= WireFormat.ANSWER + 1; type++) {
      int one = type;
      if (allowed.contains(type) != orAll) {
        assertThatCode(() -> order.record(one)).doesNotThrowAnyException();
      } else {
        assertThatThrownBy(() -> order.record(one))
            .as("type %s", type)
            .isInstanceOf(CorruptWireException.class);
      }
    }
  }

  private void assertOnly(Set<Integer> allowed) {
    assertMayCome(allowed, false);
  }

  private void assertAllBut(Set<Integer> refused) {
    assertMayCome(refused, true);
  }

  @Test
  void packetsFollowARequestUpToTheLast() throws CorruptWireException {
    assertOnly(OPENING);
    assertThat(order.isOpening()).isTrue();
    order.handedOut(true, 0);
    assertThat(order.isOpening()).isFalse();
    assertAllBut(OPENING);
    order.lastPacket();
    assertThat(order.isOpening()).isFalse();
    assertAllBut(Set.of(WireFormat.HELLO, WireFormat.PACKET, WireFormat.SUMMED));
    order.handedOut(false, 5);
    assertOnly(Set.of(WireFormat.BYTES));
  }

  @Test
  void onlyBytesFollowARequestWithoutPackets() throws CorruptWireException {
    order.handedOut(false, 1);
    assertThat(order.isOpening()).isFalse();
    assertOnly(Set.of(WireFormat.BYTES));
  }

  /** HDFS's own code would take them for those of a packet. */
  @Test
  void bytesBehindARequestAreNoPackets() {
    assertThatThrownBy(() -> order.handedOut(true, 1)).isInstanceOf(CorruptWireException.class);
    assertThat(order.isOpening()).isTrue();
  }
}
