/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.hadoop;

import static org.assertj.core.api.Assertions.assertThat;

import io.hdrf.spi.PluginSettings;
import io.hdrf.spi.scheme.FrameCodec;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HexFormat;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.io.compress.DefaultCodec;
import org.apache.hadoop.io.compress.GzipCodec;
import org.junit.jupiter.api.Test;

/**
 * Frames that must stay decodable for ever: one of Hadoop's gzip codec, and one stored as it is. A
 * newer library may write other bytes.
 */
class GoldenFramesTest {

  private static final String GZIP = "frame-v1-gzip.golden";
  private static final String AS_IT_IS = "frame-v1-as-it-is.golden";
  private static final int SHORT = 5;

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

  /** Reads frames of any codec, whatever it would write. */
  private static FrameCodec codec(String name) throws IOException {
    Configuration configuration = new Configuration(false);
    configuration.set(HadoopCodecSchemeTest.CLASS, name);
    return new HadoopCodecScheme().newCodec(new PluginSettings(configuration, "hadoop-codec"));
  }

  private static ByteBuffer direct(byte[] bytes) {
    return ByteBuffer.allocateDirect(bytes.length).put(bytes).flip();
  }

  private static byte[] read(String name) throws IOException {
    try (var in = GoldenFramesTest.class.getResourceAsStream(name)) {
      return in.readAllBytes();
    }
  }

  private static byte[] decoded(byte[] frame, int length) throws IOException {
    ByteBuffer data = ByteBuffer.allocateDirect(length);
    try (FrameCodec codec = codec(DefaultCodec.class.getName())) {
      codec.decode(direct(frame), data);
    }
    byte[] bytes = new byte[data.flip().remaining()];
    data.get(bytes);
    return bytes;
  }

  @Test
  void oldFramesStayReadable() throws IOException {
    byte[] data = data();
    assertThat(decoded(read(GZIP), data.length)).isEqualTo(data);
    assertThat(read(GZIP).length).isLessThan(data.length / 2);
    assertThat(decoded(read(AS_IT_IS), SHORT)).isEqualTo(Arrays.copyOf(data, SHORT));
  }

  /** Follows the specification by hand. */
  @Test
  void byteByByte() throws IOException {
    String hex = HexFormat.of().formatHex(read(GZIP));
    byte[] name = GzipCodec.class.getName().getBytes(StandardCharsets.US_ASCII);
    // The length of the stream, little-endian, and the magic of gzip.
    assertThat(hex)
        .matches("27" + HexFormat.of().formatHex(name) + "[0-9a-f]{4}0000" + "1f8b08[0-9a-f]*");
    assertThat(HexFormat.of().formatHex(read(AS_IT_IS))).isEqualTo("00" + "6c696e6520");
  }

  /** Writes the files; only a new frame format is a reason to do so, and then for new files. */
  public static void main(String[] args) throws IOException {
    byte[] data = data();
    try (FrameCodec codec = codec(GzipCodec.class.getName())) {
      for (String name : new String[] {GZIP, AS_IT_IS}) {
        byte[] part = name.equals(GZIP) ? data : Arrays.copyOf(data, SHORT);
        ByteBuffer frame = ByteBuffer.allocateDirect(codec.maxEncodedLength(part.length));
        codec.encode(direct(part), frame);
        byte[] bytes = new byte[frame.flip().remaining()];
        frame.get(bytes);
        Files.write(Path.of(args[0]).resolve(name), bytes);
      }
    }
  }
}
