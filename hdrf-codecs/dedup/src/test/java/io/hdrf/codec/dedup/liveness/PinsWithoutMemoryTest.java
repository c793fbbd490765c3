/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.liveness;

import static org.assertj.core.api.Assertions.assertThat;

import io.hdrf.io.ChildJvm;
import io.hdrf.scheme.Pin;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Memory is short for a moment while blocks are pinned. */
class PinsWithoutMemoryTest {

  @Test
  @Timeout(60)
  void collectionsDoNotWaitForPinsThatWereRefused() throws Exception {
    try (ChildJvm child =
        ChildJvm.start(
            List.of("-Xmx16m", "-XX:+UseSerialGC", "-XX:-UseTLAB", "-XX:-UseGCOverheadLimit"),
            Life.class)) {
      assertThat(child.readLine()).isEqualTo("pins were refused");
      assertThat(child.readLine()).isEqualTo("no older pin is held");
    }
  }

  /** The child. */
  static final class Life {

    private static final class Node {
      final Node next;

      Node(Node next) {
        this.next = next;
      }
    }

    private static List<byte[]> hog = new ArrayList<>(100_000);
    private static Node nodes;

    private Life() {}

    private static void fill() {
      try {
        while (true) {
          hog.add(new byte[50_000]);
        }
      } catch (OutOfMemoryError e) {
        // Now what is left, bit by bit.
      }
      for (int round = 0; round < 4; round++) {
        try {
          while (true) {
            nodes = new Node(nodes);
          }
        } catch (OutOfMemoryError e) {
          // Full to the last bytes.
        }
      }
    }

    public static void main(String[] args) throws InterruptedException {
      Liveness liveness = new Liveness();
      // Everything that pins need is loaded, and a block is in work.
      liveness.pin().close();
      Pin other = liveness.pin();
      fill();
      int refused = 0;
      for (int i = 0; i < 32; i++) {
        try {
          liveness.pin().close();
        } catch (OutOfMemoryError e) {
          refused++;
        }
        // Step by step there is room for a part of what a pin allocates.
        if (i % 2 == 1) {
          nodes = nodes.next;
        }
      }
      hog = null;
      nodes = null;
      other.close();
      System.out.println(refused > 0 ? "pins were refused" : "there was memory all the time");
      liveness.begin();
      System.out.println(
          liveness.awaitOlderPins(0) ? "no older pin is held" : "a pin is held that nobody has");
    }
  }
}
