/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.shuffle;

import static org.assertj.core.api.Assertions.assertThat;

import io.hdrf.spi.scheme.FrameCodec;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** A frame that must be written in the same way, and stay decodable, for ever. */
class GoldenFramesTest {

  private static final String FRAME = "frame-v1.golden";
  private static final int ELEMENT_SIZE = 12;

  /** Elements of an integer and a fraction, and a tail. */
  private static byte[] data() {
    ByteBuffer data = ByteBuffer.allocate(50 * ELEMENT_SIZE + 7);
    for (int i = 0; i < 50; i++) {
      data.putInt(1000 + 3 * i).putDouble(i / 8.0);
    }
    return data.put("the end".getBytes(java.nio.charset.StandardCharsets.US_ASCII)).array();
  }

  private static byte[] golden() throws IOException {
    try (var in = GoldenFramesTest.class.getResourceAsStream(FRAME)) {
      return in.readAllBytes();
    }
  }

  private static ByteBuffer direct(byte[] bytes) {
    return ByteBuffer.allocateDirect(bytes.length).put(bytes).flip();
  }

  private static byte[] encoded() {
    byte[] data = data();
    FrameCodec codec = new ShuffleCodec(ELEMENT_SIZE);
    ByteBuffer frame = ByteBuffer.allocateDirect(codec.maxEncodedLength(data.length));
    new ShuffleCodec(ELEMENT_SIZE).encode(direct(data), frame);
    byte[] bytes = new byte[frame.flip().remaining()];
    frame.get(bytes);
    return bytes;
  }

  @Test
  void oldFramesStayReadable() throws IOException {
    byte[] data = data();
    ByteBuffer decoded = ByteBuffer.allocateDirect(data.length);
    try (FrameCodec codec = new ShuffleCodec(ShuffleCodec.MIN_ELEMENT_SIZE)) {
      codec.decode(direct(golden()), decoded);
    }
    assertThat(decoded.flip()).isEqualTo(ByteBuffer.wrap(data));
  }

  @Test
  void theSameIsWrittenToday() throws IOException {
    assertThat(encoded()).isEqualTo(golden());
  }

  /** Writes the file; only a new frame format is a reason to do so, and then for a new file. */
  public static void main(String[] args) throws IOException {
    Files.write(Path.of(args[0]).resolve(FRAME), encoded());
  }
}
