/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode.read;

import io.hdrf.block.FrameTable;
import io.hdrf.block.ReducedBlock;
import io.hdrf.io.BufferPool;
import io.hdrf.reduce.ReducerCounters;
import io.hdrf.scheme.ChainCodec;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * Decoded bytes of a reduced block at any position. Moving from one frame to the next has the one
 * after it decoded ahead; jumping about uses the frame cache. For one thread.
 */
final class FrameReader implements Closeable {

  /** A reader that decoded more frames than this reads in sequence and leaves the cache alone. */
  private static final int POSITIONAL_FRAMES = 2;

  private final ReducedBlock block;
  private final FrameTable frames;
  private final FrameCache cache;
  private final DecodeAhead ahead;
  private final ReducerCounters counters;
  private FrameSlot current;
  private FrameSlot next;
  private int currentFrame = -1;
  private ByteBuffer currentBytes;
  private int decodedFrames;
  private final ChainCodec codec;
  private final BufferPool buffers;
  private boolean closed;

  FrameReader(
      ReducedBlock block,
      ChainCodec codec,
      BufferPool buffers,
      FrameCache cache,
      DecodeAhead ahead,
      ReducerCounters counters) {
    this.block = block;
    this.frames = block.frames();
    this.codec = codec;
    this.buffers = buffers;
    this.cache = cache;
    this.ahead = ahead;
    this.counters = counters;
  }

  long length() {
    return block.logicalLength();
  }

  /**
   * The bytes at {@code position}, which lies within the block, up to the end of their frame. Valid
   * until the next call; the caller may change position and limit.
   */
  ByteBuffer at(long position) throws IOException {
    if (closed) {
      throw new java.nio.channels.ClosedChannelException();
    }
    int frame =
        currentFrame >= 0 && contains(currentFrame, position)
            ? currentFrame
            : currentFrame + 1 < frames.frameCount() && contains(currentFrame + 1, position)
                ? currentFrame + 1
                : frames.frameAt(position);
    if (frame != currentFrame) {
      moveTo(frame);
    }
    int offset = (int) (position - frames.originalPosition(frame));
    currentBytes.limit(frames.originalLength(frame)).position(offset);
    return currentBytes;
  }

  private boolean contains(int frame, long position) {
    long offset = position - frames.originalPosition(frame);
    return offset >= 0 && offset < frames.originalLength(frame);
  }

  private void moveTo(int frame) throws IOException {
    boolean sequential = frame == currentFrame + 1 && currentFrame >= 0;
    currentFrame = -1;
    if (!sequential && useCached(frame)) {
      return;
    }
    if (next != null && next.frame() == frame) {
      FrameSlot swapped = current;
      current = next;
      next = swapped;
    } else {
      if (current == null) {
        current = newSlot();
      }
      current.assign(frame);
    }
    if (sequential && ahead.isEnabled() && frame + 1 < frames.frameCount()) {
      if (next == null) {
        next = newSlot();
      }
      next.assign(frame + 1);
      ahead.submit(next);
    }
    currentBytes = current.get();
    decodedFrames++;
    currentFrame = frame;
  }

  private FrameSlot newSlot() throws IOException {
    try {
      return new FrameSlot(block, codec, buffers, counters);
    } catch (OutOfMemoryError e) {
      throw ReadFailures.translate(block, e, counters);
    }
  }

  private boolean useCached(int frame) {
    byte[] cached = cache.get(key(frame));
    if (cached == null) {
      return false;
    }
    counters.frameCacheHit();
    currentBytes = ByteBuffer.wrap(cached).asReadOnlyBuffer();
    currentFrame = frame;
    return true;
  }

  private FrameCache.Key key(int frame) {
    return new FrameCache.Key(
        block.header().poolHash(), block.header().blockId(), frame, frames.checksum(frame));
  }

  @Override
  public void close() {
    if (closed) {
      return;
    }
    closed = true;
    if (current != null) {
      keepPositional();
      current.release();
    }
    if (next != null) {
      next.release();
    }
    currentBytes = null;
  }

  private void keepPositional() {
    if (currentFrame < 0
        || decodedFrames > POSITIONAL_FRAMES
        || current.frame() != currentFrame
        || !cache.accepts(frames.originalLength(currentFrame))) {
      return;
    }
    byte[] copy = new byte[frames.originalLength(currentFrame)];
    currentBytes.clear().limit(copy.length);
    currentBytes.get(copy);
    cache.put(key(currentFrame), copy);
  }
}
