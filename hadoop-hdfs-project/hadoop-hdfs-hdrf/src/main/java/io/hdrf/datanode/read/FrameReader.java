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
import java.util.ArrayDeque;

/**
 * Decoded bytes of a reduced block at any position. Moving from one frame to the next has those
 * after it decoded ahead, twice as many at each step up to a limit; jumping about uses the frame
 * cache. For one thread.
 */
final class FrameReader implements Closeable {

  /** A reader that decoded more frames than this reads in sequence and leaves the cache alone. */
  private static final int POSITIONAL_FRAMES = 2;

  /**
   * The most frames decoded ahead. With one alone the reader and the thread that decodes wait for
   * each other at every frame; more than a few only take memory.
   */
  private static final int MAX_AHEAD = 4;

  private final ReducedBlock block;
  private final FrameTable frames;
  private final FrameCache cache;
  private final DecodeAhead ahead;
  private final StoredReadahead readahead;
  private final ReducerCounters counters;
  private FrameSlot current;

  /** The frames after the current one, in order, decoded or to be decoded. */
  private final ArrayDeque<FrameSlot> upcoming = new ArrayDeque<>(MAX_AHEAD);

  private final ArrayDeque<FrameSlot> idle = new ArrayDeque<>(MAX_AHEAD);
  private int window;
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
      StoredReadahead readahead,
      ReducerCounters counters) {
    this.block = block;
    this.frames = block.frames();
    this.codec = codec;
    this.buffers = buffers;
    this.cache = cache;
    this.ahead = ahead;
    this.readahead = readahead;
    this.counters = counters;
  }

  ReducedBlock block() {
    return block;
  }

  /** Reads a frame as it is stored, as part of a sequential read. */
  void readStored(int frame, ByteBuffer dst) throws IOException {
    readahead.reaches(frames.storedPosition(frame));
    try {
      block.readStored(frame, dst);
    } catch (IOException e) {
      throw ReadFailures.translate(block, e, counters);
    }
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
    if (!sequential) {
      forgetUpcoming();
      if (useCached(frame)) {
        return;
      }
    }
    if (current != null) {
      idle.add(current);
    }
    current = upcoming.poll();
    if (current == null) {
      try {
        current = assigned(frame);
      } catch (OutOfMemoryError e) {
        throw ReadFailures.translate(block, e, counters);
      }
    }
    if (sequential) {
      readahead.reaches(frames.storedPosition(frame));
    }
    if (sequential && ahead.isEnabled()) {
      window = Math.min(Math.max(1, 2 * window), MAX_AHEAD);
      decodeAhead();
    }
    currentBytes = current.get();
    decodedFrames++;
    currentFrame = frame;
  }

  private void forgetUpcoming() {
    window = 0;
    for (FrameSlot slot : upcoming) {
      slot.unassign();
      idle.add(slot);
    }
    upcoming.clear();
  }

  private void decodeAhead() {
    int last = Math.min(current.frame() + window, frames.frameCount() - 1);
    for (int frame = current.frame() + upcoming.size() + 1; frame <= last; frame++) {
      FrameSlot slot;
      try {
        slot = assigned(frame);
      } catch (OutOfMemoryError e) {
        // What can be decoded only when the reader gets there takes longer, and no more room.
        return;
      }
      upcoming.add(slot);
      ahead.submit(slot);
    }
  }

  private FrameSlot assigned(int frame) {
    FrameSlot slot = idle.poll();
    if (slot == null) {
      slot = new FrameSlot(block, codec, buffers, counters);
    }
    slot.assign(frame);
    return slot;
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
    upcoming.forEach(FrameSlot::release);
    idle.forEach(FrameSlot::release);
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
