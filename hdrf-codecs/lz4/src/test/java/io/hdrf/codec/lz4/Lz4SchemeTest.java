/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.lz4;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.hdrf.spi.PluginSettings;
import io.hdrf.spi.scheme.BaseSchemeTestCase;
import io.hdrf.spi.scheme.FrameChain;
import io.hdrf.spi.scheme.FrameCodec;
import io.hdrf.spi.scheme.ReductionScheme;
import io.hdrf.spi.scheme.TestData;
import io.hdrf.spi.scheme.TestSeed;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import net.jpountz.lz4.LZ4Factory;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;

class Lz4SchemeTest extends BaseSchemeTestCase {

  private static final String FRAME_SIZE = "hdrf.lz4.frame.size";

  @Override
  protected ReductionScheme scheme() {
    return new Lz4Scheme();
  }

  @Override
  protected Map<String, List<String>> badSettings() {
    return Map.of(
        FRAME_SIZE, List.of("4095", "0", "-1", "65m", "1g", "99999999999", "big", "64kb"));
  }

  @Override
  protected List<Map<String, String>> otherSettings() {
    return List.of(Map.of(FRAME_SIZE, "4k"), Map.of(FRAME_SIZE, "64m"));
  }

  @Test
  void framesAre128KiBByDefault() throws IOException {
    assertThat(new Lz4Scheme().frameLength(settings())).isEqualTo(131072);
  }

  @Test
  void isNative() {
    assertThat(new Lz4Scheme().newCodec(settings())).hasToString("LZ4Factory:JNI");
  }

  /** The encoded form is an LZ4 block and nothing else, and stays so for ever. */
  @Test
  void decodesALz4Block() throws IOException {
    byte[] encoded =
        HexFormat.of()
            .parseHex(
                "5f48445246200500ffffffd3f0" + "0774686520656e642c2061732035206c69746572616c73");
    byte[] frame = ("HDRF ".repeat(200) + "the end, as 5 literals").getBytes(US_ASCII);
    ByteBuffer decoded = ByteBuffer.allocateDirect(frame.length);
    ByteBuffer src = ByteBuffer.allocateDirect(encoded.length).put(encoded).flip();
    new Lz4Scheme().newCodec(settings()).decode(src, decoded);
    assertThat(decoded.flip()).isEqualTo(ByteBuffer.wrap(frame));
  }

  @Test
  void nativeAndJavaUnderstandEachOther() throws IOException {
    Random random = TestSeed.random("lz4");
    FrameCodec[] codecs = {
      new Lz4Codec(LZ4Factory.nativeInstance()), new Lz4Codec(LZ4Factory.safeInstance())
    };
    for (TestData kind : TestData.values()) {
      byte[] frame = kind.bytes(1 + random.nextInt(200_000), random);
      for (FrameCodec encoder : codecs) {
        for (FrameCodec decoder : codecs) {
          ByteBuffer src = ByteBuffer.allocateDirect(frame.length).put(frame).flip();
          ByteBuffer dst = ByteBuffer.allocateDirect(encoder.maxEncodedLength(frame.length));
          encoder.encode(src, dst);
          ByteBuffer back = ByteBuffer.allocateDirect(frame.length);
          decoder.decode(dst.flip(), back);
          assertThat(back.flip()).isEqualTo(ByteBuffer.wrap(frame));
        }
      }
    }
  }

  @Test
  void allocatesNothingPerFrame() throws IOException {
    int rounds = 5000;
    ByteBuffer src = ByteBuffer.allocateDirect(4096);
    src.put(TestData.TEXT.bytes(4096, TestSeed.random("lz4 text")));
    try (FrameChain chain = FrameChain.of(List.of(new Lz4Scheme()), new Configuration(false))) {
      ByteBuffer dst = ByteBuffer.allocateDirect(chain.maxEncodedLength(4096));
      ByteBuffer back = ByteBuffer.allocateDirect(4096);
      encodeAndDecode(chain, src, dst, back, rounds);
      long before = allocatedBytes();
      encodeAndDecode(chain, src, dst, back, rounds);
      assertThat((allocatedBytes() - before) / (double) rounds).isLessThan(4);
    }
  }

  private static void encodeAndDecode(
      FrameChain chain, ByteBuffer src, ByteBuffer dst, ByteBuffer back, int rounds)
      throws IOException {
    for (int i = 0; i < rounds; i++) {
      src.rewind();
      dst.clear();
      back.clear();
      chain.encode(src, dst);
      chain.decode(1, dst.flip(), back);
    }
  }

  private static long allocatedBytes() {
    return ((com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean())
        .getThreadAllocatedBytes(Thread.currentThread().getId());
  }

  private static PluginSettings settings() {
    return new PluginSettings(new Configuration(false), "lz4");
  }
}
