/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode.volume;

import io.hdrf.spi.io.BufferPool;
import io.hdrf.spi.scheme.ChunkLookup;
import io.hdrf.spi.thread.HdrfThreads;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.util.BitSet;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Has another lookup asked on a thread of its own, and does not wait for it for ever. Whoever was
 * the last user of a store closes it, and waits for the store's threads: so a thread of one store
 * must not be a user of another, or two that are closed could wait for each other. The thread ends
 * when there has been no question for a while. For one thread.
 */
final class DetachedLookup implements ChunkLookup {

  private static final long SECONDS = 60;
  private static final long IDLE_SECONDS = 10;

  private final ChunkLookup lookup;
  private final ThreadPoolExecutor thread;

  /** Whether a question has no answer yet that may be one nobody waits for. */
  private volatile boolean busy;

  /**
   * @param lookup used by no other
   * @param name begins the names of the threads
   */
  DetachedLookup(ChunkLookup lookup, String name) {
    this.lookup = lookup;
    this.thread =
        new ThreadPoolExecutor(
            1,
            1,
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            HdrfThreads.factory(name));
    thread.allowCoreThreadTimeOut(true);
  }

  /**
   * See {@link ChunkLookup#find}.
   *
   * @throws InterruptedIOException if this thread is interrupted; the other one ends by itself
   */
  @Override
  public void find(byte[] fingerprints, int[] ends, int count, BitSet found, ByteBuffer dst)
      throws IOException {
    if (busy) {
      throw new IOException("the other volumes have not answered the last question");
    }
    byte[] names = fingerprints.clone();
    int[] places = ends.clone();
    BitSet answered = (BitSet) found.clone();
    busy = true;
    Future<byte[]> asked;
    try {
      asked = thread.submit(() -> ask(names, places, count, answered));
    } catch (RuntimeException | Error e) {
      busy = false;
      throw e;
    }
    byte[] bytes;
    try {
      bytes = asked.get(SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted");
    } catch (TimeoutException e) {
      throw new IOException("the other volumes do not answer within " + SECONDS + " s", e);
    } catch (ExecutionException e) {
      throw new IOException("the other volumes can't be asked: " + e.getCause(), e.getCause());
    }
    for (int i = 0; i < count; i++) {
      if (answered.get(i) && !found.get(i)) {
        int start = i == 0 ? 0 : ends[i - 1];
        ByteBuffer room = dst.duplicate();
        room.position(dst.position() + start);
        room.put(bytes, start, ends[i] - start);
        found.set(i);
      }
    }
  }

  /** Returns the bytes of what is found, in memory that nobody else has. */
  private byte[] ask(byte[] fingerprints, int[] ends, int count, BitSet found) throws IOException {
    ByteBuffer dst = null;
    try {
      byte[] bytes = new byte[ends[count - 1]];
      dst = BufferPool.shared().take(bytes.length);
      lookup.find(fingerprints, ends, count, found, dst);
      dst.duplicate().get(bytes);
      return bytes;
    } finally {
      if (dst != null) {
        BufferPool.shared().give(dst);
      }
      busy = false;
    }
  }
}
