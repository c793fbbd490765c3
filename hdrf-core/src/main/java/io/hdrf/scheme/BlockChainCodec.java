/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.scheme;

import io.hdrf.spi.io.BufferPool;
import io.hdrf.spi.scheme.BlockCodec;
import io.hdrf.spi.scheme.BlockScheme;
import io.hdrf.spi.scheme.BlockSource;
import io.hdrf.spi.scheme.CorruptFrameException;
import io.hdrf.spi.scheme.FrameChain;
import io.hdrf.spi.scheme.FrameCodec;
import io.hdrf.spi.scheme.FrameSink;
import io.hdrf.spi.scheme.Pin;
import io.hdrf.spi.scheme.SchemeErrors;
import java.io.IOException;
import java.nio.ByteBuffer;

/** A chain whose first scheme cuts the block into frames by itself. */
final class BlockChainCodec extends ChainCodec {

  private static final int BLOCK_STAGE = 1;

  private final BlockCodec block;
  private final FrameChain tail;
  private final boolean framesPassTail;
  private final BufferPool buffers = BufferPool.shared();

  BlockChainCodec(SchemeChain chain, BlockCodec block, FrameChain tail) {
    super(chain);
    this.block = block;
    this.tail = tail;
    this.framesPassTail =
        !tail.isEmpty() && ((BlockScheme) chain.schemes().get(0)).framesPassTail();
  }

  @Override
  public int frameLength() {
    return 0;
  }

  @Override
  public void encode(long length, BlockInput in, FrameWriter out) throws IOException {
    requireLength(length);
    Frames frames = new Frames(length, out);
    try {
      block.encode(new Source(length, in), frames);
      frames.finish();
    } catch (RuntimeException | Error e) {
      throw SchemeErrors.failed(e, describe() + " failed on a block of " + length + " bytes");
    } finally {
      frames.release();
    }
  }

  @Override
  public void decode(int stages, ByteBuffer stored, ByteBuffer frame) throws IOException {
    FrameChain.requireDirect(stored, frame);
    withPayload(stages, stored, frame.remaining(), payload -> decodePayload(payload, frame));
  }

  @Override
  public boolean findDamage(int stages, ByteBuffer stored, int frameLength) throws IOException {
    boolean[] found = new boolean[1];
    withPayload(
        stages, stored, frameLength, payload -> found[0] = block.findDamage(payload.duplicate()));
    return found[0];
  }

  /** Takes a frame's payload, which must not be kept. */
  private interface PayloadUser {
    void use(ByteBuffer payload) throws IOException;
  }

  private void withPayload(int stages, ByteBuffer stored, int frameLength, PayloadUser user)
      throws IOException {
    if (stages < 0 || (stages & BLOCK_STAGE) == 0) {
      throw new CorruptFrameException("stage mask " + stages + " for the chain " + chain());
    }
    int tailStages = stages >>> 1;
    if (tailStages == 0) {
      user.use(stored);
      return;
    }
    int length = FrameChain.takeLength(stored);
    if (length > FrameSink.maxPayloadLength(frameLength)) {
      throw new CorruptFrameException(
          "a payload of " + length + " bytes for a frame of " + frameLength);
    }
    ByteBuffer payload = buffers.take(length);
    try {
      tail.decode(tailStages, stored, payload);
      payload.flip();
      user.use(payload);
    } finally {
      buffers.give(payload);
    }
  }

  private void decodePayload(ByteBuffer payload, ByteBuffer frame) throws IOException {
    try {
      block.decode(payload, frame);
    } catch (RuntimeException | Error e) {
      throw SchemeErrors.decoding(e, describe());
    }
    if (payload.hasRemaining() || frame.hasRemaining()) {
      throw new CorruptFrameException(
          describe()
              + " left "
              + payload.remaining()
              + " bytes of a payload unread and "
              + frame.remaining()
              + " of a frame unwritten");
    }
  }

  @Override
  public void force() throws IOException {
    block.force();
  }

  @Override
  public Pin pin() {
    return block.pin();
  }

  private String describe() {
    return "scheme " + chain().schemes().get(0).name();
  }

  private final class Source implements BlockSource {
    private final long length;
    private final BlockInput in;
    private long left;

    Source(long length, BlockInput in) {
      this.length = length;
      this.in = in;
      this.left = length;
    }

    @Override
    public long length() {
      return length;
    }

    @Override
    public int read(ByteBuffer dst) throws IOException {
      if (left == 0) {
        return -1;
      }
      int end = dst.limit();
      if (left < dst.remaining()) {
        dst.limit(dst.position() + (int) left);
      }
      try {
        int count = in.read(dst);
        if (count < 1) {
          throw new IOException("the block ended " + left + " bytes early");
        }
        left -= count;
        return count;
      } finally {
        dst.limit(end);
      }
    }

    @Override
    public FrameChain tail() {
      return tail;
    }
  }

  private final class Frames implements FrameSink {
    private final long length;
    private final FrameWriter out;
    private long done;
    private ByteBuffer stored;

    Frames(long length, FrameWriter out) {
      this.length = length;
      this.out = out;
    }

    @Override
    public void frame(int originalLength, ByteBuffer payload) throws IOException {
      check(originalLength, payload);
      done += originalLength;
      if (!framesPassTail || !payload.hasRemaining()) {
        out.frame(originalLength, BLOCK_STAGE, payload);
      } else {
        frameThroughTail(originalLength, payload);
      }
    }

    private void frameThroughTail(int originalLength, ByteBuffer payload) throws IOException {
      int payloadLength = payload.remaining();
      int payloadStart = payload.position();
      int payloadEnd = payload.limit();
      ByteBuffer buffer = room(4 + tail.maxEncodedLength(payloadLength));
      FrameChain.putLength(buffer, payloadLength);
      int stages = tail.encode(payload, buffer);
      buffer.flip();
      if (stages != 0 && buffer.remaining() < payloadLength) {
        out.frame(originalLength, BLOCK_STAGE | (stages << 1), buffer);
      } else {
        payload.position(payloadStart);
        out.frame(originalLength, BLOCK_STAGE, payload);
        payload.position(payloadEnd);
      }
    }

    private void check(int originalLength, ByteBuffer payload) throws IOException {
      if (originalLength < 1
          || originalLength > FrameCodec.MAX_FRAME_LENGTH
          || originalLength > length - done) {
        throw new IOException(
            describe()
                + " emitted a frame of "
                + originalLength
                + " bytes, after "
                + done
                + " of "
                + length);
      }
      if (!payload.isDirect() || payload.remaining() > FrameSink.maxPayloadLength(originalLength)) {
        throw new IOException(
            describe()
                + " emitted "
                + payload
                + " for a frame of "
                + originalLength
                + " bytes; it must be direct and at most "
                + FrameSink.maxPayloadLength(originalLength)
                + " bytes long");
      }
    }

    void finish() throws IOException {
      if (done != length) {
        throw new IOException(
            describe() + " emitted frames for " + done + " of " + length + " bytes");
      }
    }

    private ByteBuffer room(int length) {
      if (stored == null || stored.capacity() < length) {
        release();
        stored = buffers.take(length);
      }
      stored.clear();
      return stored;
    }

    void release() {
      if (stored != null) {
        buffers.give(stored);
        stored = null;
      }
    }
  }
}
