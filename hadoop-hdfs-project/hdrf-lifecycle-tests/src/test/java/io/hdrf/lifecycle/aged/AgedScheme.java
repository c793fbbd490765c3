/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.lifecycle.aged;

import io.hdrf.spi.scheme.BlockCodec;
import io.hdrf.spi.scheme.BlockScheme;
import io.hdrf.spi.scheme.BlockSource;
import io.hdrf.spi.scheme.CorruptFrameException;
import io.hdrf.spi.scheme.FrameChain;
import io.hdrf.spi.scheme.FrameSink;
import io.hdrf.spi.scheme.SchemeContext;
import io.hdrf.spi.scheme.SpiVersion;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.zip.DataFormatException;
import java.util.zip.Deflater;
import java.util.zip.Inflater;

/**
 * A scheme with two versions, of the same name and id. Each writes its own number in front of every
 * frame, and reads frames of its own and older versions.
 */
public abstract class AgedScheme implements BlockScheme {
  private static final int FRAME = 64 << 10;

  private final byte version;

  protected AgedScheme(int version) {
    this.version = (byte) version;
  }

  @Override
  public int spiVersion() {
    return SpiVersion.CURRENT;
  }

  @Override
  public String name() {
    return "aged";
  }

  @Override
  public int id() {
    return 65010;
  }

  @Override
  public BlockCodec open(SchemeContext context) {
    return new Codec(version);
  }

  private static final class Codec implements BlockCodec {
    private final byte version;

    Codec(byte version) {
      this.version = version;
    }

    @Override
    public void encode(long length, BlockSource source, FrameChain tail, FrameSink sink)
        throws IOException {
      ByteBuffer frame = ByteBuffer.allocateDirect(FRAME);
      while (source.read(frame) >= 0) {
        if (!frame.hasRemaining()) {
          emit(frame, sink);
        }
      }
      if (frame.position() > 0) {
        emit(frame, sink);
      }
    }

    private void emit(ByteBuffer frame, FrameSink sink) throws IOException {
      frame.flip();
      int length = frame.limit();
      ByteBuffer payload = ByteBuffer.allocateDirect(2 * FRAME).put(version);
      Deflater deflater = new Deflater(1);
      deflater.setInput(frame);
      deflater.finish();
      deflater.deflate(payload);
      deflater.end();
      sink.frame(length, payload.flip());
      frame.clear();
    }

    @Override
    public void decode(ByteBuffer payload, ByteBuffer frame) throws IOException {
      byte written = payload.get();
      if (written < 1 || written > version) {
        throw new CorruptFrameException("a frame of version " + written);
      }
      Inflater inflater = new Inflater();
      try {
        inflater.setInput(payload);
        inflater.inflate(frame);
      } catch (DataFormatException e) {
        throw new CorruptFrameException("no deflated data", e);
      } finally {
        inflater.end();
      }
    }
  }
}
