/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.shuffle;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.hdrf.spi.scheme.FrameCodec;
import io.hdrf.spi.scheme.HostileFrames;
import java.io.IOException;

/**
 * Decodes any bytes as a frame. Runs on the kept inputs; with {@code JAZZER_FUZZ=1} it looks for
 * new ones.
 */
class ShuffleFuzzTest {

  private static final long MAX_HEAP = 1 << 20;
  private static final FrameCodec CODEC = new ShuffleCodec(8);

  @FuzzTest(maxDuration = "1m")
  void anyFrame(byte[] input) throws IOException {
    HostileFrames.run(CODEC, input, MAX_HEAP);
  }
}
