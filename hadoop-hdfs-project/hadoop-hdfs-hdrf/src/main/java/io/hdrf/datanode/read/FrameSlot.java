/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode.read;

import io.hdrf.block.ReducedBlock;
import io.hdrf.io.BufferPool;
import io.hdrf.reduce.ReducerCounters;
import io.hdrf.scheme.ChainCodec;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * Room for one decoded frame, filled by the reader itself or ahead of it by another thread. Whoever
 * claims an assigned frame first decodes it; so a reader never waits for a task that has not begun.
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
  private final BufferPool buffers;
  private final ReducerCounters counters;
  private final ByteBuffer decoded;
  private final ByteBuffer stored;
  private State state = State.EMPTY;
  private int frame = -1;
  private Throwable failure;

  FrameSlot(ReducedBlock block, ChainCodec codec, BufferPool buffers, ReducerCounters counters) {
    this.block = block;
    this.codec = codec;
    this.buffers = buffers;
    this.counters = counters;
    this.decoded = buffers.take(block.frames().maxOriginalLength());
    this.stored = buffers.take(block.frames().maxStoredLength());
  }

  /** The frame that the slot holds or is to hold, or -1. */
  synchronized int frame() {
    return frame;
  }

  /** Gives the slot another frame, still to be decoded; waits for a decoding under way. */
  synchronized void assign(int newFrame) {
    awaitDecoding();
    frame = newFrame;
    state = State.ASSIGNED;
  }

  /** Takes the assigned frame back unless its decoding has begun. */
  synchronized void unassign() {
    if (state == State.ASSIGNED) {
      state = State.EMPTY;
      frame = -1;
    }
  }

  /** Decodes the assigned frame if nobody else has begun to. */
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
      int length = block.frames().originalLength(frame);
      decoded.clear().limit(length);
      block.readFrame(frame, codec::decode, stored, decoded);
      decoded.flip();
      counters.decoded(length, System.nanoTime() - start);
    } catch (IOException | RuntimeException | LinkageError | OutOfMemoryError e) {
      thrown = e;
    }
    synchronized (this) {
      failure = thrown;
      state = thrown == null ? State.READY : State.FAILED;
      notifyAll();
    }
  }

  /**
   * The decoded frame, decoded now where that has not been done.
   *
   * @return position 0 is the frame's first byte; valid until the slot is assigned again
   */
  ByteBuffer get() throws IOException {
    run();
    synchronized (this) {
      awaitDecoding();
      if (state == State.READY) {
        return decoded;
      }
      state = State.EMPTY;
      frame = -1;
      throw ReadFailures.translate(block, failure, counters);
    }
  }

  /** Waits without being interruptible: a decoding lasts for one frame only. */
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

  /** Gives the buffers back; the slot must not be used any more. */
  synchronized void release() {
    awaitDecoding();
    state = State.EMPTY;
    frame = -1;
    buffers.give(decoded);
    buffers.give(stored);
  }
}
