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
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Has another lookup asked on a thread of its own, and does not wait for it for ever. Whoever was
 * the last user of a store closes it, and waits for the store's threads: so a thread of one store
 * must not be a user of another, or two that are closed could wait for each other. For one thread.
 */
final class DetachedLookup implements ChunkLookup {

  private static final long SECONDS = 60;

  private final ChunkLookup lookup;
  private final String name;
  private FutureTask<Answer> last;

  /** What was found, in memory that nobody else has. */
  private static final class Answer {
    private final BitSet found;
    private final byte[] bytes;

    Answer(BitSet found, byte[] bytes) {
      this.found = found;
      this.bytes = bytes;
    }
  }

  /**
   * @param lookup used by no other
   * @param name of the threads
   */
  DetachedLookup(ChunkLookup lookup, String name) {
    this.lookup = lookup;
    this.name = name;
  }

  /**
   * See {@link ChunkLookup#find}.
   *
   * @throws InterruptedIOException if this thread is interrupted; the other one ends by itself
   */
  @Override
  public void find(byte[] fingerprints, int[] ends, int count, BitSet found, ByteBuffer dst)
      throws IOException {
    if (last != null && !last.isDone()) {
      throw new IOException("the other volumes have not answered the last question");
    }
    byte[] names = fingerprints.clone();
    int[] places = ends.clone();
    BitSet known = (BitSet) found.clone();
    last = new FutureTask<>(() -> ask(names, places, count, known));
    HdrfThreads.create(name, last).start();
    Answer answer;
    try {
      answer = last.get(SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted");
    } catch (TimeoutException e) {
      throw new IOException("the other volumes do not answer within " + SECONDS + " s", e);
    } catch (ExecutionException e) {
      throw new IOException("the other volumes can't be asked: " + e.getCause(), e.getCause());
    }
    for (int i = 0; i < count; i++) {
      if (answer.found.get(i) && !found.get(i)) {
        int start = i == 0 ? 0 : ends[i - 1];
        ByteBuffer room = dst.duplicate();
        room.position(dst.position() + start);
        room.put(answer.bytes, start, ends[i] - start);
        found.set(i);
      }
    }
  }

  private Answer ask(byte[] fingerprints, int[] ends, int count, BitSet found) throws IOException {
    byte[] bytes = new byte[ends[count - 1]];
    ByteBuffer dst = BufferPool.shared().take(bytes.length);
    try {
      lookup.find(fingerprints, ends, count, found, dst);
      dst.duplicate().get(bytes);
      return new Answer(found, bytes);
    } finally {
      BufferPool.shared().give(dst);
    }
  }
}
