/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.wire;

import io.hdrf.io.BufferPool;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;

/**
 * The memory into which all connections of one DataNode receive. Who needs more than there is waits
 * for a while, and with it the other side; then its connection ends, as any that breaks.
 * Thread-safe.
 */
public final class ReceiveMemory {

  private final long max;
  private final long patienceNanos;
  private final Runnable onRefusal;

  // Guarded by the monitor
  private long taken;

  /**
   * @param max bytes
   * @param patienceNanos how long {@link #take} waits
   * @param onRefusal is run each time that it waited in vain
   */
  public ReceiveMemory(long max, long patienceNanos, Runnable onRefusal) {
    this.max = max;
    this.patienceNanos = patienceNanos;
    this.onRefusal = onRefusal;
  }

  /** As much as is asked for. */
  public static ReceiveMemory unlimited() {
    return new ReceiveMemory(Long.MAX_VALUE, 0, () -> {});
  }

  /**
   * Takes a buffer of the shared {@link BufferPool}, and waits where there is not enough.
   *
   * @param length bytes
   * @return to be given back to {@link #give}
   * @throws IOException if there was not enough in time
   */
  public ByteBuffer take(int length) throws IOException {
    int reserved = atMost(length);
    if (!reserve(reserved, patienceNanos)) {
      onRefusal.run();
      throw new IOException("too little memory to receive " + length + " bytes");
    }
    return allocate(length, reserved);
  }

  /** As {@link #take}, but null where there is not enough at once. */
  public ByteBuffer tryTake(int length) {
    int reserved = atMost(length);
    return tryReserve(reserved) ? allocate(length, reserved) : null;
  }

  /** The pool gives buffers that are longer by a quarter at most, and none of a few bytes. */
  private static int atMost(int length) {
    return length / 4 * 5 + (8 << 10);
  }

  private ByteBuffer allocate(int length, int reserved) {
    ByteBuffer buffer = null;
    try {
      buffer = BufferPool.shared().take(length);
      return buffer;
    } finally {
      unreserve(reserved - (buffer == null ? 0 : buffer.capacity()));
    }
  }

  /** Gives back what {@link #take} gave; the caller must not use it any more. */
  public void give(ByteBuffer buffer) {
    int capacity = buffer.capacity();
    BufferPool.shared().give(buffer);
    unreserve(capacity);
  }

  private synchronized boolean reserve(int bytes, long nanos) throws InterruptedIOException {
    long until = System.nanoTime() + nanos;
    while (!tryReserve(bytes)) {
      long left = until - System.nanoTime();
      if (left <= 0 || bytes > max) {
        return false;
      }
      try {
        TimeUnit.NANOSECONDS.timedWait(this, left);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw (InterruptedIOException)
            new InterruptedIOException("interrupted while memory is waited for").initCause(e);
      }
    }
    return true;
  }

  private synchronized boolean tryReserve(int bytes) {
    if (bytes > max - taken) {
      return false;
    }
    taken += bytes;
    return true;
  }

  private synchronized void unreserve(int bytes) {
    taken -= bytes;
    notifyAll();
  }

  /** Bytes that are taken now. */
  public synchronized long taken() {
    return taken;
  }

  /** Whether so much is taken that no other DataNode should begin to send frames. */
  public synchronized boolean isScarce() {
    return taken > max / 4 * 3;
  }
}
