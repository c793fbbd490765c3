/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.hdrf.codec.dedup.container.format.ChunkRef;
import io.hdrf.spi.scheme.CorruptFrameException;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * Reads any bytes as a recipe. Runs on the kept inputs; with {@code JAZZER_FUZZ=1}, it looks for
 * new ones.
 */
class RecipeFuzzTest {

  /** Any bytes are refused, or give runs that are in range. */
  @FuzzTest(maxDuration = "10s")
  void anyBytes(byte[] bytes) throws IOException {
    try {
      Recipe.parse(
          ByteBuffer.wrap(bytes),
          (container, first, count) -> {
            ChunkRef.pack(container, first);
            ChunkRef.pack(container, first + count - 1);
            if (count < 1) {
              throw new AssertionError("a run of " + count);
            }
          });
    } catch (CorruptFrameException e) {
      return;
    } catch (IOException e) {
      if (!isOfALaterVersion(bytes)) {
        throw e;
      }
    }
  }

  private static boolean isOfALaterVersion(byte[] bytes) {
    return (bytes[0] & 0xFF) > Recipe.VERSION;
  }
}
