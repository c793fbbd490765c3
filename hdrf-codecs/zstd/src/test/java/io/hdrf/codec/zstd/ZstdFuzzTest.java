/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.zstd;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.hdrf.spi.PluginSettings;
import io.hdrf.spi.scheme.FrameCodec;
import io.hdrf.spi.scheme.HostileFrames;
import java.io.IOException;
import org.apache.hadoop.conf.Configuration;

/**
 * Decodes any bytes as a frame. Runs on the kept inputs; with {@code JAZZER_FUZZ=1} it looks for
 * new ones.
 */
class ZstdFuzzTest {

  private static final long MAX_HEAP = 1 << 20;
  private static final FrameCodec CODEC = codec();

  private static FrameCodec codec() {
    try {
      return new ZstdScheme().newCodec(new PluginSettings(new Configuration(false), "zstd"));
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  @FuzzTest(maxDuration = "1m")
  void anyFrame(byte[] input) throws IOException {
    HostileFrames.run(CODEC, input, MAX_HEAP);
  }
}
