/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode.gate;

import io.hdrf.spi.PluginSettings;
import io.hdrf.spi.scheme.CorruptFrameException;
import io.hdrf.spi.scheme.FrameCodec;
import io.hdrf.spi.scheme.FrameScheme;
import io.hdrf.spi.scheme.SpiVersion;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.util.zip.DataFormatException;
import java.util.zip.Deflater;
import java.util.zip.Inflater;

/** Deflates, but waits before each frame while a system property is set. */
public final class GateScheme implements FrameScheme {

  /** Set to {@code true} to make every encoding wait. */
  public static final String CLOSED = "hdrf.test.gate.closed";

  /** Is set to {@code true} by an encoding that waits. */
  public static final String WAITED = "hdrf.test.gate.waited";

  @Override
  public int spiVersion() {
    return SpiVersion.CURRENT;
  }

  @Override
  public String name() {
    return "gate";
  }

  @Override
  public int id() {
    return 65200;
  }

  @Override
  public int frameLength(PluginSettings settings) {
    return 64 << 10;
  }

  @Override
  public FrameCodec newCodec(PluginSettings settings) {
    return new Codec();
  }

  private static final class Codec implements FrameCodec {

    @Override
    public int maxEncodedLength(int length) {
      return length + length / 100 + 64;
    }

    @Override
    public void encode(ByteBuffer src, ByteBuffer dst) throws IOException {
      while (Boolean.getBoolean(CLOSED)) {
        System.setProperty(WAITED, "true");
        try {
          Thread.sleep(5);
        } catch (InterruptedException e) {
          throw new InterruptedIOException();
        }
      }
      Deflater deflater = new Deflater(Deflater.BEST_SPEED);
      deflater.setInput(src);
      deflater.finish();
      while (!deflater.finished()) {
        deflater.deflate(dst);
      }
      deflater.end();
    }

    @Override
    public void decode(ByteBuffer src, ByteBuffer dst) throws IOException {
      Inflater inflater = new Inflater();
      try {
        inflater.setInput(src);
        while (dst.hasRemaining() && inflater.inflate(dst) > 0) {
          continue;
        }
        if (dst.hasRemaining()) {
          throw new CorruptFrameException(dst.remaining() + " bytes are missing");
        }
        src.position(src.limit());
      } catch (DataFormatException e) {
        throw new CorruptFrameException(String.valueOf(e.getMessage()));
      } finally {
        inflater.end();
      }
    }
  }
}
