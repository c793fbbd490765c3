/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.sample;

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

/**
 * Reads a block as a stream and makes one frame of each run of equal bytes, and of the bytes
 * between runs ('direct stream mode'). A run's payload is a tag, the byte, and the length (u32, big
 * endian), any other frame's a tag and its bytes.
 */
public final class RunScheme implements BlockScheme {

  @Override
  public int spiVersion() {
    return SpiVersion.CURRENT;
  }

  @Override
  public String name() {
    return "run";
  }

  @Override
  public int id() {
    return 65004;
  }

  @Override
  public BlockCodec open(SchemeContext context) {
    return new Codec();
  }

  private static final class Codec implements BlockCodec {
    private static final int MIN_RUN = 64;
    private static final int WINDOW = 64 << 10;
    private static final byte RUN = 'r';
    private static final byte LITERALS = 'l';

    @Override
    public void encode(long length, BlockSource source, FrameChain tail, FrameSink sink)
        throws IOException {
      ByteBuffer window = ByteBuffer.allocateDirect(WINDOW);
      ByteBuffer payload = ByteBuffer.allocateDirect(1 + WINDOW);
      while (source.read(window) >= 0) {
        if (!window.hasRemaining()) {
          emit(window.flip(), payload, sink);
          window.clear();
        }
      }
      emit(window.flip(), payload, sink);
    }

    private static void emit(ByteBuffer window, ByteBuffer payload, FrameSink sink)
        throws IOException {
      int literals = 0;
      for (int i = 0; i < window.limit(); ) {
        int runEnd = i + 1;
        while (runEnd < window.limit() && window.get(runEnd) == window.get(i)) {
          runEnd++;
        }
        if (runEnd - i >= MIN_RUN) {
          emitLiterals(window, literals, i, payload, sink);
          sink.frame(
              runEnd - i, payload.clear().put(RUN).put(window.get(i)).putInt(runEnd - i).flip());
          literals = runEnd;
        }
        i = runEnd;
      }
      emitLiterals(window, literals, window.limit(), payload, sink);
    }

    private static void emitLiterals(
        ByteBuffer window, int from, int to, ByteBuffer payload, FrameSink sink)
        throws IOException {
      if (from < to) {
        payload.clear().put(LITERALS).put(window.slice(from, to - from)).flip();
        sink.frame(to - from, payload);
      }
    }

    @Override
    public void decode(ByteBuffer payload, ByteBuffer frame) throws IOException {
      byte tag = payload.hasRemaining() ? payload.get() : 0;
      if (tag == LITERALS && payload.remaining() == frame.remaining()) {
        frame.put(payload);
      } else if (tag == RUN && payload.remaining() == 5) {
        decodeRun(payload.slice(), frame);
        payload.position(payload.limit());
      } else {
        throw new CorruptFrameException(
            payload.remaining() + " bytes for a frame of " + frame.remaining());
      }
    }

    private static void decodeRun(ByteBuffer run, ByteBuffer frame) throws IOException {
      byte value = run.get();
      int length = run.getInt();
      if (length != frame.remaining()) {
        throw new CorruptFrameException(
            "a run of " + length + " bytes for a frame of " + frame.remaining());
      }
      while (frame.hasRemaining()) {
        frame.put(value);
      }
    }
  }
}
