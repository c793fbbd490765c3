/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.block;

import io.hdrf.io.BytesFile;
import io.hdrf.scheme.ChainCodec;
import io.hdrf.scheme.SchemeRegistry;
import io.hdrf.scheme.VolumeSchemes;
import io.hdrf.spi.PluginSettings;
import io.hdrf.spi.io.LocalDurableFiles;
import io.hdrf.spi.scheme.CorruptFrameException;
import io.hdrf.spi.scheme.FrameCodec;
import io.hdrf.spi.scheme.FrameSink;
import io.hdrf.spi.scheme.SizedFrameScheme;
import io.hdrf.spi.scheme.SpiVersion;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.util.DataChecksum;

/**
 * Frames for tests. A number determines the bytes of each; with stages 1 only the number is stored,
 * with stages 0 the bytes are.
 */
final class ToyFrames {

  static final int[] CHAIN = {17};
  static final int STORED = Long.BYTES;

  static final ChainCodec CODEC = codec((stored, frame) -> decode(1, stored, frame));

  private ToyFrames() {}

  /** Compares with a plain form alone. */
  static VerifyResult compare(ReducedBlock reduced, byte[] plain) throws IOException {
    BlockChecksums none = MetaFiles.open(DataChecksum.Type.NULL, 512, new byte[0]);
    return BlockVerifier.verify(reduced, CODEC, none, new BytesFile(plain));
  }

  static byte[] data(long number, int length) {
    ByteBuffer frame = ByteBuffer.allocate(length);
    fill(number, frame);
    return frame.array();
  }

  private static void fill(long number, ByteBuffer frame) {
    frame.order(ByteOrder.LITTLE_ENDIAN);
    long x = number;
    while (frame.remaining() >= Long.BYTES) {
      x = x * 6364136223846793005L + 1442695040888963407L;
      frame.putLong(x ^ (x >>> 29));
    }
    while (frame.hasRemaining()) {
      frame.put((byte) ++x);
    }
  }

  static void write(FrameSink writer, long number, int length, int stages) throws IOException {
    ByteBuffer stored = ByteBuffer.allocateDirect(stages == 0 ? length : STORED);
    if (stages == 0) {
      fill(number, stored);
    } else {
      stored.order(ByteOrder.LITTLE_ENDIAN).putLong(number);
    }
    stored.flip();
    writer.frame(length, stages, stored);
  }

  /** Decodes the frames. */
  interface Decoder {
    void decode(ByteBuffer stored, ByteBuffer frame) throws IOException;
  }

  /** Returns a codec for {@link #CHAIN} with this decoder. */
  static ChainCodec codec(Decoder decoder) {
    try {
      return new VolumeSchemes(
              SchemeRegistry.of(List.of(new ToyScheme(decoder))),
              new Configuration(false),
              Path.of("none"),
              LocalDurableFiles.INSTANCE)
          .codec(CHAIN);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static void decode(int stages, ByteBuffer stored, ByteBuffer frame) throws IOException {
    if (stored.remaining() != (stages == 0 ? frame.remaining() : STORED)) {
      throw new CorruptFrameException(stored.remaining() + " bytes");
    }
    if (stages == 0) {
      frame.put(stored);
    } else {
      fill(stored.order(ByteOrder.LITTLE_ENDIAN).getLong(), frame);
    }
  }

  private static final class ToyScheme extends SizedFrameScheme {
    private final Decoder decoder;

    ToyScheme(Decoder decoder) {
      super(SpiVersion.CURRENT, "toy", CHAIN[0], 64 << 10);
      this.decoder = decoder;
    }

    @Override
    public FrameCodec newCodec(PluginSettings settings) {
      return new FrameCodec() {
        @Override
        public int maxEncodedLength(int length) {
          return length;
        }

        @Override
        public void encode(ByteBuffer src, ByteBuffer dst) {
          throw new UnsupportedOperationException();
        }

        @Override
        public void decode(ByteBuffer src, ByteBuffer dst) throws IOException {
          decoder.decode(src, dst);
        }
      };
    }
  }
}
