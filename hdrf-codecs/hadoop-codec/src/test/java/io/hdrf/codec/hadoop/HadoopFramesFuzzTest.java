/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.hadoop;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.hdrf.spi.PluginSettings;
import io.hdrf.spi.scheme.FrameCodec;
import io.hdrf.spi.scheme.HostileFrames;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.io.compress.BZip2Codec;
import org.apache.hadoop.io.compress.DefaultCodec;
import org.apache.hadoop.io.compress.GzipCodec;

/**
 * Decodes any bytes as a frame, and as the stream of each codec that works everywhere. Runs on the
 * kept inputs; with {@code JAZZER_FUZZ=1} and one method chosen, it looks for new ones.
 */
class HadoopFramesFuzzTest {

  /** bzip2 in Java allocates arrays for 900,000 bytes, with four more bytes for each of them. */
  private static final long MAX_HEAP = 16 << 20;

  private static final FrameCodec CODEC = codec();

  private static final List<Class<?>> CLASSES =
      List.of(GzipCodec.class, DefaultCodec.class, BZip2Codec.class, PiecesCodec.class);

  private static FrameCodec codec() {
    Configuration conf = new Configuration(false);
    conf.set(HadoopCodecSchemeTest.CLASS, DefaultCodec.class.getName());
    try {
      return new HadoopCodecScheme().newCodec(new PluginSettings(conf, "hadoop-codec"));
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  @FuzzTest(maxDuration = "1m")
  void anyFrame(byte[] input) throws IOException {
    HostileFrames.run(CODEC, input, MAX_HEAP);
  }

  /** The first byte chooses the codec, the next two the length. */
  @FuzzTest(maxDuration = "1m")
  void anyStream(byte[] input) throws IOException {
    if (input.length < 4) {
      return;
    }
    byte[] name =
        CLASSES
            .get((input[0] & 0xFF) % CLASSES.size())
            .getName()
            .getBytes(StandardCharsets.US_ASCII);
    int length = input.length - 3;
    ByteBuffer frame =
        ByteBuffer.allocate(2 + 1 + name.length + Integer.BYTES + length)
            .order(ByteOrder.LITTLE_ENDIAN);
    frame.put(input, 1, 2).put((byte) name.length).put(name).putInt(length);
    frame.put(input, 3, length);
    HostileFrames.run(CODEC, frame.array(), MAX_HEAP);
  }
}
