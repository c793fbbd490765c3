/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.shuffle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hdrf.sample.DeflateScheme;
import io.hdrf.spi.PluginSettings;
import io.hdrf.spi.scheme.BaseSchemeTestCase;
import io.hdrf.spi.scheme.CorruptFrameException;
import io.hdrf.spi.scheme.FrameChain;
import io.hdrf.spi.scheme.FrameCodec;
import io.hdrf.spi.scheme.ReductionScheme;
import io.hdrf.spi.scheme.TestSeed;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;

class ShuffleSchemeTest extends BaseSchemeTestCase {

  private static final String ELEMENT_SIZE = "hdrf.shuffle.element.size";
  private static final String FRAME_SIZE = "hdrf.shuffle.frame.size";

  @Override
  protected ReductionScheme scheme() {
    return new ShuffleScheme();
  }

  @Override
  protected Map<String, List<String>> badSettings() {
    return Map.of(
        ELEMENT_SIZE, List.of("0", "1", "65", "-8", "8k", "wide"),
        FRAME_SIZE, List.of("4095", "65m"));
  }

  @Override
  protected List<Map<String, String>> otherSettings() {
    return List.of(
        Map.of(ELEMENT_SIZE, "2"),
        Map.of(ELEMENT_SIZE, "12"),
        Map.of(ELEMENT_SIZE, "64"),
        Map.of(FRAME_SIZE, "4k"));
  }

  private static FrameCodec codec(int elementSize) throws IOException {
    Configuration conf = new Configuration(false);
    conf.setInt(ELEMENT_SIZE, elementSize);
    return new ShuffleScheme().newCodec(new PluginSettings(conf, "shuffle"));
  }

  private static ByteBuffer direct(byte... bytes) {
    return ByteBuffer.allocateDirect(bytes.length).put(bytes).flip();
  }

  private static byte[] encode(FrameCodec codec, byte[] frame) throws IOException {
    ByteBuffer encoded = ByteBuffer.allocateDirect(codec.maxEncodedLength(frame.length));
    codec.encode(direct(frame), encoded);
    byte[] bytes = new byte[encoded.flip().remaining()];
    encoded.get(bytes);
    return bytes;
  }

  @Test
  void theFormatIsAsDocumented() throws IOException {
    try (FrameCodec codec = codec(3)) {
      assertThat(encode(codec, new byte[] {11, 12, 13, 21, 22, 23, 31, 32, 33, 41, 42}))
          .containsExactly(3, 11, 21, 31, 12, 22, 32, 13, 23, 33, 41, 42);
      assertThat(encode(codec, new byte[] {11, 12})).containsExactly(3, 11, 12);
    }
  }

  /** Also where the frame's length is no multiple of them, and without elements at all. */
  @Test
  void elementsOfEverySizeComeBack() throws IOException {
    Random random = TestSeed.random("shuffle");
    for (int size = ShuffleCodec.MIN_ELEMENT_SIZE; size <= ShuffleCodec.MAX_ELEMENT_SIZE; size++) {
      for (int length : new int[] {1, size - 1, size, size + 1, 7 * size + size / 2, 5000}) {
        byte[] frame = new byte[length];
        random.nextBytes(frame);
        ByteBuffer back = ByteBuffer.allocateDirect(length);
        try (FrameCodec encoder = codec(size);
            FrameCodec decoder = codec(8)) {
          decoder.decode(direct(encode(encoder, frame)), back);
        }
        assertThat(back.flip()).as("%d of %d", length, size).isEqualTo(ByteBuffer.wrap(frame));
      }
    }
  }

  @Test
  void whatIsNoFrameIsRefused() throws IOException {
    try (FrameCodec codec = codec(8)) {
      for (byte[] frame :
          new byte[][] {
            {},
            {8},
            {8, 1},
            {8, 1, 2, 3, 4},
            {0, 1, 2, 3},
            {1, 1, 2, 3},
            {65, 1, 2, 3},
            {-1, 1, 2, 3},
            {-128, 1, 2, 3}
          }) {
        assertThatThrownBy(() -> codec.decode(direct(frame), ByteBuffer.allocateDirect(3)))
            .isInstanceOf(CorruptFrameException.class);
      }
    }
  }

  /** Numbers that change slowly: a compressor finds little in them as they lie. */
  @Test
  void numbersBecomeShorter() throws IOException {
    ByteBuffer numbers = ByteBuffer.allocateDirect(128 << 10).order(ByteOrder.LITTLE_ENDIAN);
    Random random = TestSeed.random("numbers");
    long number = 1_700_000_000_000L;
    while (numbers.hasRemaining()) {
      number += random.nextInt(200);
      numbers.putLong(number);
    }
    numbers.flip();
    assertThat(stored(numbers, new ShuffleScheme(), new DeflateScheme()))
        .isLessThan(stored(numbers, new DeflateScheme()) * 3 / 4);
  }

  private static int stored(ByteBuffer data, io.hdrf.spi.scheme.FrameScheme... schemes)
      throws IOException {
    try (FrameChain chain = FrameChain.of(List.of(schemes), new Configuration(false))) {
      ByteBuffer stored = ByteBuffer.allocateDirect(chain.maxEncodedLength(data.remaining()));
      int stages = chain.encode(data.duplicate(), stored);
      ByteBuffer back = ByteBuffer.allocateDirect(data.remaining());
      chain.decode(stages, stored.flip(), back);
      assertThat(back.flip()).isEqualTo(data);
      return stored.limit();
    }
  }

  @Test
  void allocatesNothingPerFrame() throws IOException {
    int rounds = 5000;
    ByteBuffer src = ByteBuffer.allocateDirect(4099);
    ByteBuffer dst = ByteBuffer.allocateDirect(4100);
    ByteBuffer back = ByteBuffer.allocateDirect(4099);
    try (FrameCodec codec = codec(8)) {
      encodeAndDecode(codec, src, dst, back, rounds);
      long before = allocatedBytes();
      encodeAndDecode(codec, src, dst, back, rounds);
      assertThat((allocatedBytes() - before) / (double) rounds).isLessThan(4);
    }
  }

  private static void encodeAndDecode(
      FrameCodec codec, ByteBuffer src, ByteBuffer dst, ByteBuffer back, int rounds)
      throws IOException {
    for (int i = 0; i < rounds; i++) {
      src.rewind();
      dst.clear();
      back.clear();
      codec.encode(src, dst);
      codec.decode(dst.flip(), back);
    }
  }

  private static long allocatedBytes() {
    return ((com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean())
        .getThreadAllocatedBytes(Thread.currentThread().getId());
  }
}
