/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.container;

import static org.assertj.core.api.Assertions.assertThat;

import io.hdrf.io.ChildJvm;
import io.hdrf.io.FullHeap;
import io.hdrf.spi.scheme.Pin;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Memory runs out for a moment while blocks are pinned. */
class PinsWithoutMemoryTest {

  @Test
  @Timeout(60)
  void collectionsDoNotWaitForPinsThatWereRefused() throws Exception {
    try (ChildJvm child = ChildJvm.start(FullHeap.FLAGS, Life.class)) {
      assertThat(child.readLine()).isEqualTo("pins were refused");
      assertThat(child.readLine()).isEqualTo("no older pin is held");
    }
  }

  /** The child. */
  static final class Life {

    private Life() {}

    public static void main(String[] args) throws InterruptedException {
      ChunkPins chunkPins = new ChunkPins();
      // Everything that pins need is loaded, and a block is in work.
      chunkPins.pin().close();
      Pin other = chunkPins.pin();
      int refused = FullHeap.run(() -> chunkPins.pin().close());
      other.close();
      System.out.println(refused > 0 ? "pins were refused" : "there was memory all the time");
      chunkPins.begin(0, Long.MAX_VALUE);
      System.out.println(
          chunkPins.awaitOlderPins(0) ? "no older pin is held" : "a pin is held that nobody has");
    }
  }
}
