/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.lz4;

import static org.assertj.core.api.Assertions.assertThat;

import io.hdrf.spi.PluginSettings;
import io.hdrf.spi.scheme.FrameCodec;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;

/** A frame that must stay decodable for ever. A newer library may write other bytes. */
class GoldenFramesTest {

  private static final String FRAME = "frame-v1.golden";

  /** Text with near and far repetitions, and numbers without any. */
  private static byte[] data() {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < 400; i++) {
      text.append("line ")
          .append(i * i % 97)
          .append(" of the frame, ")
          .append(i * 7919L)
          .append(i % 9);
    }
    return text.toString().getBytes(StandardCharsets.US_ASCII);
  }

  private static FrameCodec codec() throws IOException {
    return new Lz4Scheme().newCodec(new PluginSettings(new Configuration(false), "lz4"));
  }

  private static ByteBuffer direct(byte[] bytes) {
    return ByteBuffer.allocateDirect(bytes.length).put(bytes).flip();
  }

  @Test
  void oldFramesStayReadable() throws IOException {
    byte[] frame;
    try (var in = GoldenFramesTest.class.getResourceAsStream(FRAME)) {
      frame = in.readAllBytes();
    }
    byte[] data = data();
    ByteBuffer decoded = ByteBuffer.allocateDirect(data.length);
    try (FrameCodec codec = codec()) {
      codec.decode(direct(frame), decoded);
    }
    assertThat(decoded.flip()).isEqualTo(ByteBuffer.wrap(data));
    assertThat(frame.length).isLessThan(data.length / 2);
  }

  /** Writes the file; only a new frame format is a reason to do so, and then for a new file. */
  public static void main(String[] args) throws IOException {
    byte[] data = data();
    try (FrameCodec codec = codec()) {
      ByteBuffer frame = ByteBuffer.allocateDirect(codec.maxEncodedLength(data.length));
      codec.encode(direct(data), frame);
      byte[] bytes = new byte[frame.flip().remaining()];
      frame.get(bytes);
      Files.write(Path.of(args[0]).resolve(FRAME), bytes);
    }
  }
}
