/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.hadoop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hdrf.spi.PluginSettings;
import io.hdrf.spi.scheme.CorruptFrameException;
import io.hdrf.spi.scheme.FrameCodec;
import io.hdrf.spi.scheme.TestData;
import io.hdrf.spi.scheme.TestSeed;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.io.compress.DefaultCodec;
import org.apache.hadoop.io.compress.GzipCodec;
import org.junit.jupiter.api.Test;

class HadoopFramesTest {

  private static final int LENGTH = 100_000;

  private final HadoopCodecScheme scheme = new HadoopCodecScheme();
  private final byte[] frame = TestData.TEXT.bytes(LENGTH, TestSeed.random("hadoop"));

  private static PluginSettings settings(Class<?> codec) {
    Configuration configuration = new Configuration(false);
    if (codec != null) {
      configuration.set(HadoopCodecSchemeTest.CLASS, codec.getName());
    }
    return new PluginSettings(configuration, "hadoop-codec");
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

  private static byte[] decoded(FrameCodec codec, byte[] encoded, int length) throws IOException {
    ByteBuffer dst = ByteBuffer.allocateDirect(length);
    codec.decode(direct(encoded), dst);
    byte[] bytes = new byte[length];
    dst.flip().get(bytes);
    return bytes;
  }

  /** The format that stays for ever: a name, a length, the codec's own stream. */
  @Test
  void aFrameBearsTheNameOfItsCodec() throws IOException {
    try (FrameCodec codec = scheme.newCodec(settings(GzipCodec.class))) {
      byte[] bytes = encoded(codec, frame);
      byte[] name = GzipCodec.class.getName().getBytes(StandardCharsets.US_ASCII);
      assertThat(bytes[0]).isEqualTo((byte) name.length);
      assertThat(Arrays.copyOfRange(bytes, 1, 1 + name.length)).isEqualTo(name);
      int header = 1 + name.length + 4;
      assertThat(ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).getInt(1 + name.length))
          .isEqualTo(bytes.length - header);
      assertThat(
              new java.util.zip.GZIPInputStream(
                      new java.io.ByteArrayInputStream(bytes, header, bytes.length - header))
                  .readAllBytes())
          .isEqualTo(frame);
      assertThat(scheme.needs(GzipCodec.class.getName(), ByteBuffer.wrap(bytes))).isTrue();
      assertThat(scheme.needs(DefaultCodec.class.getName(), ByteBuffer.wrap(bytes))).isFalse();
    }
  }

  @Test
  void aFrameOfNoUseIsStoredAsItIs() throws IOException {
    byte[] noise = TestData.RANDOM.bytes(1000, TestSeed.random("noise"));
    try (FrameCodec codec = scheme.newCodec(settings(null))) {
      byte[] bytes = encoded(codec, noise);
      assertThat(bytes).hasSize(1001).startsWith(0);
      assertThat(decoded(codec, bytes, 1000)).isEqualTo(noise);
      assertThat(scheme.needs(DefaultCodec.class.getName(), ByteBuffer.wrap(bytes))).isFalse();
    }
  }

  /** Otherwise HDFS would discard good replicas because a jar is missing. */
  @Test
  void aMissingClassIsNoDamage() throws IOException {
    byte[] name = "com.acme.Lost".getBytes(StandardCharsets.US_ASCII);
    ByteBuffer bytes = ByteBuffer.allocate(1 + name.length + 4 + 3).order(ByteOrder.LITTLE_ENDIAN);
    bytes.put((byte) name.length).put(name).putInt(3);
    try (FrameCodec codec = scheme.newCodec(settings(null))) {
      assertThatThrownBy(() -> decoded(codec, bytes.array(), 10))
          .isInstanceOf(IOException.class)
          .isNotInstanceOf(CorruptFrameException.class)
          .hasMessageContaining("com.acme.Lost")
          .hasMessageContaining("class path");
    }
    assertThatThrownBy(() -> scheme.requireNeed("com.acme.Lost", settings(null)))
        .hasMessageContaining("hdrf.hadoop-codec.class = com.acme.Lost")
        .hasMessageContaining("class path");
    scheme.requireNeed(GzipCodec.class.getName(), settings(null));
  }

  @Test
  void aCodecWithoutItsNativeLibraryIsNoDamage() throws IOException {
    byte[] bytes;
    try (FrameCodec codec = scheme.newCodec(settings(UndecodableCodec.class))) {
      bytes = encoded(codec, frame);
    }
    // Another codec, as after a restart: its pool is empty.
    try (FrameCodec codec = scheme.newCodec(settings(null))) {
      UndecodableCodec.broken = true;
      assertThatThrownBy(() -> decoded(codec, bytes, LENGTH))
          .isInstanceOf(IOException.class)
          .isNotInstanceOf(CorruptFrameException.class)
          .hasMessageContaining("native library not available");
    } finally {
      UndecodableCodec.broken = false;
    }
  }

  /** Decodes until the test makes it fail. */
  public static final class UndecodableCodec extends DefaultCodec {
    static volatile boolean broken;

    @Override
    public org.apache.hadoop.io.compress.Decompressor createDecompressor() {
      if (broken) {
        throw new RuntimeException("native library not available");
      }
      return super.createDecompressor();
    }
  }

  /** Hadoop's stream would allocate two gigabytes before it looks for the data. */
  @Test
  void aLengthInAStreamIsNotTrusted() throws IOException {
    try (FrameCodec codec = scheme.newCodec(settings(PiecesCodec.class))) {
      byte[] bytes = encoded(codec, frame);
      int header = 1 + (bytes[0] & 0xFF) + 4;
      ByteBuffer.wrap(bytes).putInt(header + 4, Integer.MAX_VALUE - 8);
      com.sun.management.ThreadMXBean threads =
          (com.sun.management.ThreadMXBean)
              java.lang.management.ManagementFactory.getThreadMXBean();
      long self = Thread.currentThread().getId();
      long before = threads.getThreadAllocatedBytes(self);
      assertThatThrownBy(() -> decoded(codec, bytes, LENGTH))
          .isInstanceOf(CorruptFrameException.class)
          .hasMessageContaining("a piece of 2147483639 bytes");
      assertThat(threads.getThreadAllocatedBytes(self) - before).isLessThan(20 << 20);
    }
  }

  @Test
  void aStreamThatGoesOnIsDamage() throws IOException {
    byte[] zeros = new byte[64 << 20];
    for (Class<?> type : List.of(DefaultCodec.class, GzipCodec.class)) {
      try (FrameCodec codec = scheme.newCodec(settings(type))) {
        byte[] bytes = encoded(codec, zeros);
        assertThatThrownBy(() -> decoded(codec, bytes, 1000))
            .isInstanceOf(CorruptFrameException.class)
            .hasMessageContaining("goes on");
      }
    }
  }

  @Test
  void contextsAreUsedAgainAndFreed() throws Exception {
    int made = CountedCodec.MADE.get();
    int freed = CountedCodec.FREED.get();
    int threads = 4;
    ExecutorService pool = Executors.newFixedThreadPool(threads);
    try (FrameCodec codec = scheme.newCodec(settings(CountedCodec.class))) {
      List<Future<?>> tasks = new ArrayList<>();
      for (int i = 0; i < 200; i++) {
        tasks.add(
            pool.submit(
                () -> {
                  byte[] bytes = encoded(codec, frame);
                  assertThat(decoded(codec, bytes, LENGTH)).isEqualTo(frame);
                  bytes[bytes.length / 2] ^= 1;
                  assertThatThrownBy(() -> decoded(codec, bytes, LENGTH))
                      .isInstanceOf(CorruptFrameException.class);
                  return null;
                }));
      }
      for (Future<?> task : tasks) {
        task.get();
      }
      // A decompressor that found damage is not used again.
      assertThat(CountedCodec.MADE.get() - made).isLessThanOrEqualTo(2 * threads + 200);
      assertThat(CountedCodec.FREED.get() - freed).isEqualTo(200);
    } finally {
      pool.shutdownNow();
    }
    assertThat(CountedCodec.FREED.get() - freed).isEqualTo(CountedCodec.MADE.get() - made);
  }
}
