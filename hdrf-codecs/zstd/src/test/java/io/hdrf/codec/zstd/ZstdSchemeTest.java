/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.zstd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.github.luben.zstd.Zstd;
import io.hdrf.spi.PluginSettings;
import io.hdrf.spi.scheme.BaseSchemeTestCase;
import io.hdrf.spi.scheme.CorruptFrameException;
import io.hdrf.spi.scheme.FrameCodec;
import io.hdrf.spi.scheme.ReductionScheme;
import io.hdrf.spi.scheme.TestData;
import io.hdrf.spi.scheme.TestSeed;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;

class ZstdSchemeTest extends BaseSchemeTestCase {

  private static final String LEVEL = "hdrf.zstd.level";
  private static final String FRAME_SIZE = "hdrf.zstd.frame.size";

  @Override
  protected ReductionScheme scheme() {
    return new ZstdScheme();
  }

  @Override
  protected Map<String, List<String>> badSettings() {
    return Map.of(
        LEVEL, List.of("-8", "20", "fast", "3.5"),
        FRAME_SIZE, List.of("4095", "0", "-1", "65m", "1g", "big"));
  }

  @Override
  protected List<Map<String, String>> otherSettings() {
    return List.of(Map.of(LEVEL, "-7"), Map.of(LEVEL, "19"), Map.of(FRAME_SIZE, "4k"));
  }

  private static PluginSettings settings(String level) {
    Configuration conf = new Configuration(false);
    conf.set(LEVEL, level);
    return new PluginSettings(conf, "zstd");
  }

  private static ByteBuffer direct(byte[] bytes) {
    return ByteBuffer.allocateDirect(bytes.length).put(bytes).flip();
  }

  private static byte[] encoded(FrameCodec codec, byte[] frame) throws IOException {
    ByteBuffer dst = ByteBuffer.allocateDirect(codec.maxEncodedLength(frame.length));
    codec.encode(direct(frame), dst);
    byte[] bytes = new byte[dst.flip().remaining()];
    dst.get(bytes);
    return bytes;
  }

  /** The encoded form is a Zstandard frame and nothing else, and stays so for ever. */
  @Test
  void isAZstandardFrame() throws IOException {
    byte[] frame = TestData.TEXT.bytes(100_000, TestSeed.random("zstd"));
    try (FrameCodec codec = new ZstdScheme().newCodec(settings("3"))) {
      assertThat(Zstd.decompress(encoded(codec, frame), frame.length)).isEqualTo(frame);
      ByteBuffer back = ByteBuffer.allocateDirect(frame.length);
      codec.decode(direct(Zstd.compress(frame, 5)), back);
      assertThat(back.flip()).isEqualTo(ByteBuffer.wrap(frame));
    }
  }

  @Test
  void higherLevelsSaveMore() throws IOException {
    byte[] frame = TestData.TEXT.bytes(200_000, TestSeed.random("zstd"));
    try (FrameCodec fast = new ZstdScheme().newCodec(settings("-7"));
        FrameCodec slow = new ZstdScheme().newCodec(settings("19"))) {
      assertThat(encoded(slow, frame).length).isLessThan(encoded(fast, frame).length);
    }
  }

  @Test
  void anotherLengthIsDamage() throws IOException {
    byte[] frame = TestData.TEXT.bytes(10_000, TestSeed.random("zstd"));
    try (FrameCodec codec = new ZstdScheme().newCodec(settings("3"))) {
      byte[] encoded = encoded(codec, frame);
      for (int length : new int[] {frame.length - 1, frame.length + 1}) {
        assertThatThrownBy(() -> codec.decode(direct(encoded), ByteBuffer.allocateDirect(length)))
            .isInstanceOf(CorruptFrameException.class);
      }
    }
  }
}
