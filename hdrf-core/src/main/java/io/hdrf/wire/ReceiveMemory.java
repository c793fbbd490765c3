/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.wire;

import io.hdrf.spi.io.BufferPool;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;

/**
 * The memory into which all connections of one DataNode receive. Each stream has {@value
 * #GUARANTEED} bytes that nobody can take from it, enough for packets of 64 KiB and frames of 256
 * KiB. Only more than that comes out of a budget that all share. A stream that needs more than is
 * left of it waits for a while, and with it the other side; then its connection ends, as any that
 * breaks. Thread-safe.
 */
public final class ReceiveMemory {

  /** Bytes that each stream may have in any case. */
  static final int GUARANTEED = 1 << 20;

  /**
   * Bytes of the shared budget that one stream may have, even if they are more than an eighth: a
   * packet of 16 MiB that comes as one frame, what that decodes to, the copy that is passed on, one
   * of data in pieces, and what buffers are longer than asked for.
   */
  static final int LARGEST_PACKET = 96 << 20;

  private final long max;
  private final long patienceNanos;
  private final Runnable onRefusal;

  // Guarded by the monitor
  private long taken;
  private long shared;

  /**
   * @param max bytes of the shared budget
   * @param patienceNanos how long {@link Share#take} waits
   * @param onRefusal is run each time that it waited in vain
   */
  public ReceiveMemory(long max, long patienceNanos, Runnable onRefusal) {
    this.max = max;
    this.patienceNanos = patienceNanos;
    this.onRefusal = onRefusal;
  }

  /** Returns memory without a limit. */
  public static ReceiveMemory unlimited() {
    return new ReceiveMemory(Long.MAX_VALUE, 0, () -> {});
  }

  /** Returns a share for all that one stream can't do without. */
  public Share share() {
    return new Share(GUARANTEED, Math.min(max, Math.max(max / 8, LARGEST_PACKET)), max);
  }

  /**
   * Returns a share for optional use: it has no guarantee, and leaves half of the budget to others.
   */
  public Share optional() {
    return new Share(0, max / 2, max / 2);
  }

  /**
   * The part of the memory that one user has. Its end needs no notice once all buffers were given
   * back. Thread-safe.
   */
  public final class Share {

    private final long guaranteed;
    private final long most;
    private final long limit;

    // Guarded by the monitor of the whole memory
    private long own;

    /**
     * @param most how much of the shared budget this may have
     * @param limit how much of it all may have once this takes some
     */
    private Share(long guaranteed, long most, long limit) {
      this.guaranteed = guaranteed;
      this.most = most;
      this.limit = limit;
    }

    /** The same memory, for what can be done without. */
    public Share optional() {
      return ReceiveMemory.this.optional();
    }

    /**
     * Takes a buffer of the shared {@link BufferPool}, and waits where there is not enough.
     *
     * @param length bytes
     * @return to be given back to {@link #give}
     * @throws IOException if there was not enough in time, or this may never have so much
     */
    public ByteBuffer take(int length) throws IOException {
      if (!reserve(BufferPool.capacityFor(length), patienceNanos)) {
        onRefusal.run();
        throw new IOException("too little memory to receive " + length + " bytes");
      }
      return allocate(length);
    }

    /** As {@link #take}, but returns null where there is not enough at once. */
    public ByteBuffer tryTake(int length) {
      return tryReserve(BufferPool.capacityFor(length)) ? allocate(length) : null;
    }

    private ByteBuffer allocate(int length) {
      ByteBuffer buffer = null;
      try {
        buffer = BufferPool.shared().take(length);
        return buffer;
      } finally {
        if (buffer == null) {
          add(-BufferPool.capacityFor(length));
        }
      }
    }

    /** Gives back what {@link #take} of this share gave; the caller must not use it any more. */
    public void give(ByteBuffer buffer) {
      int capacity = buffer.capacity();
      BufferPool.shared().give(buffer);
      add(-capacity);
    }

    private boolean reserve(int bytes, long nanos) throws InterruptedIOException {
      synchronized (ReceiveMemory.this) {
        long until = System.nanoTime() + nanos;
        while (!tryReserve(bytes)) {
          long left = until - System.nanoTime();
          if (left <= 0 || beyond(own + bytes) > most) {
            return false;
          }
          try {
            TimeUnit.NANOSECONDS.timedWait(ReceiveMemory.this, left);
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw (InterruptedIOException)
                new InterruptedIOException("interrupted while memory is waited for").initCause(e);
          }
        }
        return true;
      }
    }

    private boolean tryReserve(int bytes) {
      synchronized (ReceiveMemory.this) {
        long wanted = beyond(own + bytes);
        long more = wanted - beyond(own);
        if (more > 0 && (wanted > most || more > limit - shared)) {
          return false;
        }
        add(bytes);
        return true;
      }
    }

    private void add(int bytes) {
      synchronized (ReceiveMemory.this) {
        shared += beyond(own + bytes) - beyond(own);
        own += bytes;
        taken += bytes;
        if (bytes < 0) {
          ReceiveMemory.this.notifyAll();
        }
      }
    }

    /** Returns the part of the shared budget that it takes to have so many bytes. */
    private long beyond(long bytes) {
      return Math.max(0, bytes - guaranteed);
    }
  }

  /** Bytes that are taken now, guaranteed or shared. */
  public synchronized long taken() {
    return taken;
  }

  /** Returns the number of taken bytes of the shared budget. */
  public synchronized long sharedTaken() {
    return shared;
  }

  /** Returns whether so much is shared that no other DataNode should begin to send frames. */
  public synchronized boolean isScarce() {
    return shared > max / 4 * 3;
  }
}
