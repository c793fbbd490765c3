/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode.read;

import io.hdrf.block.FrameTable;
import io.hdrf.block.ReducedBlock;
import io.hdrf.reduce.DecodingTurns;
import io.hdrf.scheme.ChainCodec;
import io.hdrf.spi.io.BufferPool;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * Reads a block's long frames piece by piece, from the {@link DecodedFiles} or, where there is no
 * room for those, decoded anew for every few megabytes. Holds a piece. For one thread.
 */
final class LongFrameReader implements Closeable {

  /** What is read of a frame that no file takes: as much as a reader of shorter frames may hold. */
  private static final int MAX_PIECE = DecodingTurns.MAX_SHORT_FRAME;

  private final ReducedBlock block;
  private final FrameTable frames;
  private final ChainCodec codec;
  private final DecodedFiles decoded;
  private final DecodedFiles.Place place;
  private final BufferPool buffers;

  /** The frame that is open; -1 if none is. */
  private int frame = -1;

  /** The frame's file; null if it has none. */
  private DecodedFile.Opened file;

  private ByteBuffer piece;

  /** Where the piece lies in the block; empty where there is none. */
  private long begin;

  private long end;

  /** Up to where the frame was read without a gap since its first byte. */
  private long readThrough;

  LongFrameReader(
      ReducedBlock block,
      ChainCodec codec,
      DecodedFiles decoded,
      DecodedFiles.Place place,
      BufferPool buffers) {
    this.block = block;
    this.frames = block.frames();
    this.codec = codec;
    this.decoded = decoded;
    this.place = place;
    this.buffers = buffers;
  }

  /** Returns whether the present piece has the position. */
  boolean holds(long position) {
    return position >= begin && position < end;
  }

  /**
   * The bytes at a position, which lies in a long frame, up to the end of a piece. Valid until the
   * next call.
   */
  ByteBuffer at(long position) throws IOException {
    if (!holds(position)) {
      int wanted = frames.frameAt(position);
      if (frame != wanted) {
        closeFrame();
        frame = wanted;
        file = decoded.open(block, codec, frame, place);
        readThrough = frames.originalPosition(frame);
      }
      load(position);
    }
    piece.limit((int) (end - begin)).position((int) (position - begin));
    return piece;
  }

  private void load(long position) throws IOException {
    long frameBegin = frames.originalPosition(frame);
    int offset = (int) (position - frameBegin);
    end = begin;
    if (file == null) {
      int length = Math.min(MAX_PIECE, frames.originalLength(frame) - offset);
      room(length);
      decoded.decode(block, codec, frame, whole -> copy(whole, offset, length));
      begin = position;
    } else {
      int index = offset / DecodedFile.PIECE;
      room(DecodedFile.PIECE);
      readPiece(index);
      begin = frameBegin + (long) index * DecodedFile.PIECE;
    }
    end = begin + piece.limit();
    if (begin == readThrough) {
      readThrough = end;
    }
  }

  /** A file that lost its content says nothing of the block: the frame is decoded once more. */
  private void readPiece(int index) throws IOException {
    if (file.read(index, piece)) {
      return;
    }
    DecodedFile lost = file.decoded();
    decoded.drop(block, frame, lost);
    file.close();
    file = decoded.open(block, codec, frame, place);
    if (file == null || !file.read(index, piece)) {
      throw new IOException(lost.path() + " lost what was written there");
    }
  }

  private void copy(ByteBuffer whole, int offset, int length) {
    whole.limit(offset + length).position(offset);
    piece.put(whole);
    piece.flip();
  }

  private void room(int length) {
    if (piece == null || piece.capacity() < length) {
      if (piece != null) {
        buffers.give(piece);
        piece = null;
      }
      piece = buffers.take(length);
    }
    piece.clear();
  }

  /** A frame that was read from its first byte to its last is not kept for positional reads. */
  private void closeFrame() throws IOException {
    begin = 0;
    end = 0;
    if (file == null) {
      return;
    }
    DecodedFile.Opened closing = file;
    file = null;
    if (readThrough == frames.originalEnd(frame)) {
      decoded.drop(block, frame, closing.decoded());
    }
    closing.close();
  }

  @Override
  public void close() throws IOException {
    try {
      closeFrame();
    } finally {
      frame = -1;
      if (piece != null) {
        buffers.give(piece);
        piece = null;
      }
    }
  }
}
