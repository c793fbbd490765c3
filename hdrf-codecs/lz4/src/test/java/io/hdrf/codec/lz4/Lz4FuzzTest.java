/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.lz4;

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
class Lz4FuzzTest {

  private static final long MAX_HEAP = 1 << 20;
  private static final FrameCodec CODEC =
      new Lz4Scheme().newCodec(new PluginSettings(new Configuration(false), "lz4"));

  @FuzzTest(maxDuration = "1m")
  void anyFrame(byte[] input) throws IOException {
    HostileFrames.run(CODEC, input, MAX_HEAP);
  }
}
