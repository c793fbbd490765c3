/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.scheme;

import io.hdrf.spi.scheme.BlockCodec;
import io.hdrf.spi.scheme.BlockDeclinedException;
import io.hdrf.spi.scheme.CorruptFrameException;
import io.hdrf.spi.scheme.FrameChain;
import io.hdrf.spi.scheme.FrameCodec;
import io.hdrf.spi.scheme.Pin;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * A {@link SchemeChain} opened on one volume and block pool: turns blocks into frames and frames
 * back into data. Made and closed by {@link VolumeSchemes}. Safe for use by many threads.
 *
 * <p><b>Stored frames.</b> A frame is stored as bytes and a stage mask of {@link
 * SchemeChain#MAX_LENGTH} bits, where bit i stands for scheme i of the chain. Mask 0 always means
 * that the stored bytes are the original ones. Where the chain consists of frame schemes, bytes and
 * mask are those of {@link FrameChain}. Where a block scheme is the first, bit 0 is set, and
 *
 * <ul>
 *   <li>if no other bit is, the stored bytes are what the block scheme emitted, its payload;
 *   <li>otherwise they are the payload's length (u32, little endian) and the payload, encoded by
 *       the other schemes as a {@link FrameChain} whose bit i is bit i + 1 of the mask.
 * </ul>
 */
public abstract class ChainCodec {

  /** A block's original data, read once from its beginning. For one thread. */
  public interface BlockInput {
    /**
     * Reads at least one byte into {@code dst}, which is direct and has room.
     *
     * @return the number of bytes read, or -1 at the end of the block
     */
    int read(ByteBuffer dst) throws IOException;
  }

  /** Takes a block's frames in order. For one thread. */
  public interface FrameWriter {
    /**
     * Appends a frame.
     *
     * @param originalLength how many bytes of the block it stands for, from 1 to {@link
     *     FrameCodec#MAX_FRAME_LENGTH}
     * @param stages the stage mask
     * @param stored what is to be stored (position to limit), direct; must not be kept or used
     *     after the call; may be empty
     */
    void frame(int originalLength, int stages, ByteBuffer stored) throws IOException;
  }

  private final SchemeChain chain;

  ChainCodec(SchemeChain chain) {
    this.chain = chain;
  }

  /** The schemes. */
  public final SchemeChain chain() {
    return chain;
  }

  /**
   * How many calls of {@link #encode} the schemes allow at the same time in one DataNode, over all
   * its volumes; whoever calls keeps to it.
   */
  public final int maxConcurrentBlocks() {
    return chain.maxConcurrentBlocks();
  }

  /**
   * How much original data goes into one frame, in bytes; the last frame of a block may be shorter.
   * 0 where the block scheme cuts frames as it likes.
   */
  public abstract int frameLength();

  /**
   * Encodes a block. The original lengths of the frames that {@code out} gets add up to {@code
   * length}, or an exception is thrown. The frames may be relied on after {@link #force}.
   *
   * @param length the block's length in bytes, at least 1
   * @param in gives at least {@code length} bytes
   * @throws BlockDeclinedException if the scheme prefers that this block stays as it is; {@code
   *     out} may have got frames
   */
  public abstract void encode(long length, BlockInput in, FrameWriter out) throws IOException;

  /**
   * Decodes one frame and leaves both positions at their limits. Frames may come in any order.
   *
   * @param stages the stage mask
   * @param stored the stored bytes; direct
   * @param frame has exactly the frame's original length remaining; direct
   * @throws CorruptFrameException if mask and bytes are not what {@link #encode} made of that many
   *     bytes; the content of {@code frame} is then undefined
   * @throws IOException if the frame can't be decoded now, which says nothing of its content
   */
  public abstract void decode(int stages, ByteBuffer stored, ByteBuffer frame) throws IOException;

  /**
   * After a block's verification failed: see {@link BlockCodec#findDamage}.
   *
   * @param stages the stage mask of one of its frames
   * @param stored the frame's stored bytes; direct
   * @param frameLength the frame's original length in bytes
   */
  public boolean findDamage(int stages, ByteBuffer stored, int frameLength) throws IOException {
    return false;
  }

  /**
   * Makes durable what schemes keep outside of the frames. Called after {@link #encode} and before
   * the block's file is put in place.
   */
  public abstract void force() throws IOException;

  /** See {@link BlockCodec#pin}. */
  public Pin pin() {
    return Pin.NONE;
  }

  static void requireLength(long length) {
    if (length < 1) {
      throw new IllegalArgumentException("a block of " + length + " bytes");
    }
  }

  /** Fills what remains of {@code dst}, which ends {@code left} bytes before the block's end. */
  static void readFully(BlockInput in, ByteBuffer dst) throws IOException {
    while (dst.hasRemaining()) {
      if (in.read(dst) < 1) {
        throw new IOException("the block ended " + dst.remaining() + " bytes early or more");
      }
    }
  }
}
