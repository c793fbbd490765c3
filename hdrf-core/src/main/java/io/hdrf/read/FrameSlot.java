/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.read;

import io.hdrf.block.FrameTable;
import io.hdrf.block.ReducedBlock;
import io.hdrf.scheme.ChainCodec;
import io.hdrf.spi.io.BufferPool;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * Room for a run of consecutive frames, decoded by the reader itself or ahead of it by another
 * thread. The first thread that claims an assigned run decodes it; so a reader never waits for a
 * task that has not begun.
 */
final class FrameSlot implements Runnable {

  private enum State {
    EMPTY,
    ASSIGNED,
    DECODING,
    READY,
    FAILED
  }

  private final ReducedBlock block;
  private final ChainCodec codec;
  private final FrameReads shared;
  private final BufferPool buffers;
  private final FrameCheck check;
  private ByteBuffer decoded;
  private ByteBuffer stored;
  private State state = State.EMPTY;
  private int first = -1;
  private int count;
  private Throwable failure;

  FrameSlot(ReducedBlock block, ChainCodec codec, FrameReads shared, FrameCheck check) {
    this.block = block;
    this.codec = codec;
    this.shared = shared;
    this.buffers = shared.buffers();
    this.check = check;
  }

  /** The first frame that the slot holds or is to hold, or -1. */
  synchronized int first() {
    return first;
  }

  /** The frame behind the last one that the slot holds or is to hold. */
  synchronized int end() {
    return first + count;
  }

  /** Assigns other frames, still to be decoded; waits for a decoding under way. */
  synchronized void assign(int newFirst, int newCount) {
    awaitDecoding();
    empty();
    FrameTable frames = block.frames();
    int last = newFirst + newCount - 1;
    decoded = roomFor(decoded, frames.originalPosition(newFirst), frames.originalEnd(last));
    stored = roomFor(stored, frames.storedPosition(newFirst), frames.storedEnd(last));
    first = newFirst;
    count = newCount;
    state = State.ASSIGNED;
  }

  private ByteBuffer roomFor(ByteBuffer buffer, long from, long to) {
    int length = (int) (to - from);
    if (buffer != null && buffer.capacity() >= length) {
      return buffer;
    }
    ByteBuffer larger = buffers.take(length);
    if (buffer != null) {
      buffers.give(buffer);
    }
    return larger;
  }

  private void empty() {
    state = State.EMPTY;
    first = -1;
    count = 0;
  }

  /** Takes the assigned frames back unless their decoding has begun. */
  synchronized void unassign() {
    if (state == State.ASSIGNED) {
      empty();
    }
  }

  /** Decodes the assigned frames if nobody else has begun to. */
  @Override
  public void run() {
    synchronized (this) {
      if (state != State.ASSIGNED) {
        return;
      }
      state = State.DECODING;
    }
    Throwable thrown = null;
    try {
      long start = System.nanoTime();
      decoded.clear();
      block.readFrames(first, count, codec, stored, decoded);
      decoded.flip();
      check.check(block.frames().originalPosition(first), decoded.duplicate());
      shared.owner().decoded(decoded.limit(), System.nanoTime() - start);
    } catch (Throwable e) {
      // Any kind: readers wait until the state changes.
      thrown = e;
    }
    synchronized (this) {
      failure = thrown;
      state = thrown == null ? State.READY : State.FAILED;
      notifyAll();
    }
  }

  /**
   * The decoded frames, decoded now where that has not been done. If one of them can't be decoded,
   * only the first is given, and kept: those before a damaged one can be read.
   *
   * @return position 0 is the first frame's first byte; valid until the slot is assigned again
   */
  ByteBuffer get() throws IOException {
    while (true) {
      run();
      synchronized (this) {
        awaitDecoding();
        if (state == State.READY) {
          return decoded;
        }
        if (count == 1) {
          empty();
          throw shared.owner().translate(block, failure);
        }
        count = 1;
        state = State.ASSIGNED;
      }
    }
  }

  /** Waits without being interruptible: a decoding lasts for a few frames only. */
  private void awaitDecoding() {
    boolean interrupted = false;
    while (state == State.DECODING) {
      try {
        wait();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /** Takes the buffer of the frames that {@link #get} gave, and leaves the slot empty. */
  synchronized ByteBuffer detach() {
    ByteBuffer detached = decoded;
    decoded = null;
    release();
    return detached;
  }

  /** Gives the buffers back, until frames are assigned again. */
  synchronized void release() {
    awaitDecoding();
    empty();
    if (decoded != null) {
      buffers.give(decoded);
      decoded = null;
    }
    if (stored != null) {
      buffers.give(stored);
      stored = null;
    }
  }
}
