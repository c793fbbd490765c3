/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Which records may come in each phase; of each type, known or not. */
class StreamOrderTest {

  private final StreamOrder order = new StreamOrder();

  private List<Integer> accepted() {
    List<Integer> accepted = new ArrayList<>();
    for (int type = WireFormat.BYTES; type <= WireFormat.SUMMED; type++) {
      try {
        order.record(type);
        accepted.add(type);
      } catch (CorruptWireException e) {
        assertThat(e).hasMessageContaining("a record of type " + type);
      }
    }
    return accepted;
  }

  @Test
  void theOpeningComesAsBytes() throws CorruptWireException {
    assertThat(accepted()).containsExactly(WireFormat.BYTES, WireFormat.HELLO);
    assertThat(order.isOpening()).isTrue();
  }

  @Test
  void nothingButPacketsFollowsUpToTheLast() throws CorruptWireException {
    order.handedOut(true, 0);
    assertThat(order.isOpening()).isFalse();
    assertThat(accepted())
        .contains(WireFormat.PACKET, WireFormat.SUMMED, WireFormat.FRAME, WireFormat.REFERENCES)
        .doesNotContain(WireFormat.BYTES, WireFormat.HELLO);
    order.lastPacket();
    assertThat(accepted())
        .contains(WireFormat.BYTES)
        .doesNotContain(WireFormat.PACKET, WireFormat.SUMMED, WireFormat.HELLO);
  }

  @Test
  void withoutPacketsOnlyBytesFollow() throws CorruptWireException {
    order.handedOut(false, 7);
    assertThat(order.isOpening()).isFalse();
    assertThat(accepted()).containsExactly(WireFormat.BYTES);
  }

  @Test
  void noByteComesBetweenARequestAndItsPackets() {
    assertThatThrownBy(() -> order.handedOut(true, 1)).isInstanceOf(CorruptWireException.class);
    assertThatCode(() -> new StreamOrder().handedOut(true, 0)).doesNotThrowAnyException();
  }
}
