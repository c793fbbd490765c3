/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.scheme;

import io.hdrf.spi.io.BufferPool;
import io.hdrf.spi.io.LittleEndian;
import io.hdrf.spi.scheme.BlockCodec;
import io.hdrf.spi.scheme.BlockDeclinedException;
import io.hdrf.spi.scheme.BlockScheme;
import io.hdrf.spi.scheme.BlockSource;
import io.hdrf.spi.scheme.CorruptFrameException;
import io.hdrf.spi.scheme.FrameChain;
import io.hdrf.spi.scheme.FrameCodec;
import io.hdrf.spi.scheme.FrameSink;
import io.hdrf.spi.scheme.Pin;
import io.hdrf.spi.scheme.Prefetch;
import io.hdrf.spi.scheme.SchemeErrors;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * A {@link SchemeChain} opened on one volume and block pool: turns blocks into frames and frames
 * back into data. Made and closed by {@link VolumeSchemes}. Safe for use by many threads.
 *
 * <p>A frame is stored as bytes and a stage mask of {@link SchemeChain#MAX_LENGTH} bits; {@code
 * docs/formats.md} ("Frame of a chain") has the bytes. Mask 0 always means that the stored bytes
 * are the original ones; a block scheme, which is the first, is always applied.
 */
public final class ChainCodec {

  private static final int PREFIX = Integer.BYTES;

  private final SchemeChain chain;
  private final BlockCodec block;
  private final SchemeLimit blockLimit;
  private final FrameChain frames;
  private final int frameLength;
  private final boolean limitsDecoding;
  private final BufferPool buffers = BufferPool.shared();

  /**
   * @param block the first scheme's, or null where it is a frame scheme
   * @param blockLimit how many frames that one decodes at once; null where it has no limit
   * @param frames the frame schemes: all, or those behind the block scheme
   * @param frameLength the original length of a frame in bytes; 0 where {@code block} decides
   */
  ChainCodec(
      SchemeChain chain,
      BlockCodec block,
      SchemeLimit blockLimit,
      FrameChain frames,
      int frameLength) {
    this.chain = chain;
    this.block = block;
    this.blockLimit = blockLimit;
    this.limitsDecoding = chain.schemes().stream().anyMatch(SchemeLimit::appliesTo);
    this.frames = frames;
    this.frameLength = frameLength;
  }

  /** The schemes. */
  public SchemeChain chain() {
    return chain;
  }

  /**
   * Returns whether {@link #decode} may wait until a scheme has a turn for one more frame. Threads
   * that have to serve other chains, too, leave it to others.
   */
  public boolean limitsDecoding() {
    return limitsDecoding;
  }

  /**
   * The original length of a frame in bytes; the last frame of a block may be shorter. 0 where the
   * block scheme cuts the frames.
   */
  public int frameLength() {
    return frameLength;
  }

  /**
   * Encodes a block. The original lengths of the frames that {@code out} gets add up to {@code
   * length}, or an exception is thrown. The frames are durable after {@link #force} only.
   *
   * @param length the block's length in bytes, at least 1
   * @param in gives at least {@code length} bytes, and is asked for no more
   * @param out must not keep a frame's bytes, and need not consume them
   * @throws BlockDeclinedException if the scheme prefers that this block stays as it is; {@code
   *     out} may have got frames
   */
  public void encode(long length, BlockSource in, FrameSink out) throws IOException {
    if (length < 1) {
      throw new IllegalArgumentException("a block of " + length + " bytes");
    }
    if (block == null) {
      encodeFrames(length, in, out);
      return;
    }
    BlockPass pass = new BlockPass(length, in, out);
    try {
      block.encode(length, pass, frames, pass);
      pass.finish();
    } catch (RuntimeException | Error e) {
      throw SchemeErrors.failed(e, describe() + " failed on a block of " + length + " bytes");
    } finally {
      pass.release();
    }
  }

  private void encodeFrames(long length, BlockSource in, FrameSink out) throws IOException {
    int longest = (int) Math.min(frameLength, length);
    ByteBuffer frame = buffers.take(longest);
    ByteBuffer stored = buffers.take(frames.maxEncodedLength(longest));
    try {
      int size;
      for (long left = length; left > 0; left -= size) {
        size = (int) Math.min(longest, left);
        frame.clear();
        frame.limit(size);
        while (frame.hasRemaining()) {
          if (in.read(frame) < 1) {
            throw new IOException("the block ended " + frame.remaining() + " bytes early or more");
          }
        }
        frame.flip();
        stored.clear();
        int stages = frames.encode(frame, stored);
        stored.flip();
        out.frame(size, stages, stored);
      }
    } finally {
      buffers.give(frame);
      buffers.give(stored);
    }
  }

  /**
   * Decodes one frame and leaves both positions at their limits. Frames may come in any order.
   *
   * @param stages the stage mask
   * @param stored the stored bytes; direct
   * @param frame has exactly the frame's original length remaining; direct
   * @throws CorruptFrameException if mask and bytes are not what {@link #encode} made of that many
   *     bytes; the content of {@code frame} is then undefined
   * @throws IOException if the frame can't be decoded now, which says nothing of its content: as
   *     where a scheme that limits the blocks in process has no turn for it
   */
  public void decode(int stages, ByteBuffer stored, ByteBuffer frame) throws IOException {
    if (block == null) {
      frames.decode(stages, stored, frame);
      return;
    }
    if (!stored.isDirect() || !frame.isDirect()) {
      throw new IllegalArgumentException("a buffer is not direct");
    }
    ByteBuffer payload = payload(stages, stored, frame.remaining());
    int payloadEnd = payload.limit();
    int frameEnd = frame.limit();
    try {
      decodeBlock(payload, frame);
      // By their positions, as a codec can move the limits too.
      if (payload.position() != payloadEnd || frame.position() != frameEnd) {
        throw new CorruptFrameException(
            describe()
                + " left "
                + (payloadEnd - payload.position())
                + " bytes of a payload unread and "
                + (frameEnd - frame.position())
                + " of a frame unwritten");
      }
    } catch (RuntimeException | Error e) {
      throw SchemeErrors.decoding(e, describe());
    } finally {
      release(payload, stages);
    }
  }

  private void decodeBlock(ByteBuffer payload, ByteBuffer frame) throws IOException {
    if (blockLimit == null) {
      block.decode(payload, frame);
      return;
    }
    blockLimit.acquire();
    try {
      block.decode(payload, frame);
    } finally {
      blockLimit.release();
    }
  }

  /** See {@link BlockCodec#newPrefetch}; null also where a scheme limits what is decoded. */
  public Prefetch newPrefetch() {
    return block == null || limitsDecoding ? null : block.newPrefetch();
  }

  /**
   * Adds a frame that will be decoded soon.
   *
   * @param stages the stage mask
   * @param stored the stored bytes; direct
   * @param originalLength the frame's, in bytes
   */
  public void addTo(Prefetch prefetch, int stages, ByteBuffer stored, int originalLength)
      throws IOException {
    ByteBuffer payload = payload(stages, stored, originalLength);
    try {
      prefetch.add(payload.duplicate());
    } finally {
      release(payload, stages);
    }
  }

  /**
   * After a block's verification failed: see {@link BlockCodec#findDamage}.
   *
   * @param stages the stage mask of one of its frames
   * @param stored the frame's stored bytes; direct
   * @param originalLength the frame's, in bytes
   */
  public boolean findDamage(int stages, ByteBuffer stored, int originalLength) throws IOException {
    if (block == null) {
      return false;
    }
    ByteBuffer payload = payload(stages, stored, originalLength);
    try {
      return block.findDamage(payload.duplicate());
    } finally {
      release(payload, stages);
    }
  }

  /**
   * The payload that the block scheme emitted: the stored bytes themselves where no other scheme
   * encoded them.
   */
  private ByteBuffer payload(int stages, ByteBuffer stored, int originalLength) throws IOException {
    if (stages < 0 || (stages & FrameSink.BLOCK_STAGE) == 0) {
      throw new CorruptFrameException("stage mask " + stages + " for the chain " + chain);
    }
    if (stages == FrameSink.BLOCK_STAGE) {
      return stored;
    }
    int length = stored.remaining() < PREFIX ? -1 : LittleEndian.getInt(stored);
    if (length < 0 || length > FrameSink.maxPayloadLength(originalLength)) {
      throw new CorruptFrameException(
          "a payload of " + length + " bytes for a frame of " + originalLength);
    }
    ByteBuffer payload = buffers.take(length);
    boolean decoded = false;
    try {
      frames.decode(stages >>> 1, stored, payload);
      payload.flip();
      decoded = true;
      return payload;
    } finally {
      if (!decoded) {
        buffers.give(payload);
      }
    }
  }

  private void release(ByteBuffer payload, int stages) {
    if (stages != FrameSink.BLOCK_STAGE) {
      buffers.give(payload);
    }
  }

  /**
   * Makes durable the data that schemes keep outside of the frames. Called after {@link #encode}
   * and before the block's file is put in place.
   */
  public void force() throws IOException {
    if (block != null) {
      block.force();
    }
  }

  /** See {@link BlockCodec#pin}. */
  public Pin pin() {
    return block == null ? Pin.NONE : block.pin();
  }

  private String describe() {
    return "scheme " + chain.schemes().get(0).name();
  }

  /** A block on its way through the block scheme, which reads from this and writes to it. */
  private final class BlockPass implements BlockSource, FrameSink {
    private final long length;
    private final BlockSource in;
    private final FrameSink out;
    private final boolean encodesFrames =
        !frames.isEmpty() && ((BlockScheme) chain.schemes().get(0)).framesPassTail();
    private long left;
    private long done;
    private ByteBuffer encoded;

    BlockPass(long length, BlockSource in, FrameSink out) {
      this.length = length;
      this.in = in;
      this.out = out;
      this.left = length;
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
    public void frame(int originalLength, int stages, ByteBuffer payload) throws IOException {
      check(originalLength, stages, payload);
      done += originalLength;
      int payloadLength = payload.remaining();
      int start = payload.position();
      if (encodesFrames && payloadLength > 0) {
        ByteBuffer buffer = room(PREFIX + frames.maxEncodedLength(payloadLength));
        LittleEndian.putInt(buffer, payloadLength);
        int more = frames.encode(payload, buffer);
        buffer.flip();
        if (more != 0 && buffer.remaining() < payloadLength) {
          out.frame(originalLength, BLOCK_STAGE | (more << 1), buffer);
          return;
        }
        payload.position(start);
      }
      out.frame(originalLength, BLOCK_STAGE, payload);
      payload.position(start + payloadLength);
    }

    private void check(int originalLength, int stages, ByteBuffer payload) throws IOException {
      if (originalLength < 1
          || originalLength > FrameCodec.MAX_FRAME_LENGTH
          || originalLength > length - done
          || stages != BLOCK_STAGE) {
        throw new IOException(
            describe()
                + " emitted a frame of "
                + originalLength
                + " bytes, after "
                + done
                + " of "
                + length
                + ", with stage mask "
                + stages);
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

    private ByteBuffer room(int size) {
      encoded = buffers.atLeast(encoded, size);
      encoded.clear();
      return encoded;
    }

    void release() {
      if (encoded != null) {
        buffers.give(encoded);
        encoded = null;
      }
    }
  }
}
