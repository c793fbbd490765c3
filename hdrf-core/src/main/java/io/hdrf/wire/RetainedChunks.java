/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.wire;

import io.hdrf.spi.io.BufferPool;
import java.nio.ByteBuffer;
import java.util.BitSet;
import java.util.Map;
import java.util.TreeMap;

/**
 * The chunks that one stream was promised: a DataNode that answered that it has a chunk holds its
 * bytes in memory until the stream has used them, said that it will not, or ended. Nothing is
 * dropped before, so that a reference can always be resolved; where there is no room, the answer is
 * no. Thread-safe; the buffers of {@link #resolve} are for the stream's own thread.
 */
public final class RetainedChunks {

  private static final class Held {
    private final ChunkBatch batch;
    private final BitSet found;
    private final ByteBuffer bytes;

    Held(ChunkBatch batch, BitSet found, ByteBuffer bytes) {
      this.batch = batch;
      this.found = found;
      this.bytes = bytes;
    }
  }

  private final ChunkQuerySessions owner;
  private final String poolId;
  private final byte[] id;
  private final TreeMap<Integer, Held> batches = new TreeMap<>();
  private long memory;
  private int lastAsked = -1;
  private int released = -1;
  private boolean joined;
  private boolean left;
  private boolean answered;
  private boolean ended;

  RetainedChunks(ChunkQuerySessions owner, String poolId, byte[] id) {
    this.owner = owner;
    this.poolId = poolId;
    this.id = id;
  }

  String poolId() {
    return poolId;
  }

  /** The session's id, which only the side that asked knows; a copy. */
  public byte[] id() {
    return id.clone();
  }

  /**
   * Takes memory for a batch.
   *
   * @return direct, with position 0 and all chunks' length as limit, for {@link #hold} or {@link
   *     #giveBack}; or null if there is too little room
   * @throws CorruptWireException if the batch's number does not rise
   */
  public synchronized ByteBuffer take(ChunkBatch batch) throws CorruptWireException {
    if (batch.number() <= lastAsked) {
      throw new CorruptWireException(batch + " comes after batch " + lastAsked);
    }
    lastAsked = batch.number();
    if (ended
        || batch.number() <= released
        || memory + batch.totalLength() > owner.maxPerStream()
        || !owner.reserve(batch.totalLength())) {
      return null;
    }
    ByteBuffer taken = null;
    try {
      taken = BufferPool.shared().take(batch.totalLength());
      memory += batch.totalLength();
      return taken;
    } finally {
      if (taken == null) {
        owner.unreserve(batch.totalLength());
      }
    }
  }

  /** Gives back what {@link #take} gave for a batch of which nothing was found. */
  public synchronized void giveBack(ChunkBatch batch, ByteBuffer bytes) {
    memory -= batch.totalLength();
    owner.unreserve(batch.totalLength());
    BufferPool.shared().give(bytes);
  }

  /**
   * Holds a batch.
   *
   * @param found the chunks that are in {@code bytes}
   * @param bytes from {@link #take}
   * @return false if it is not wanted any more; it was given back
   */
  public synchronized boolean hold(ChunkBatch batch, BitSet found, ByteBuffer bytes) {
    if (batch.number() <= released) {
      giveBack(batch, bytes);
      return false;
    }
    batches.put(batch.number(), new Held(batch, (BitSet) found.clone(), bytes));
    return true;
  }

  /**
   * The bytes of chunks; batches before theirs are released.
   *
   * @param skip how many bytes of the first are left out
   * @return direct; void as soon as a later batch is resolved or released, or the stream leaves
   * @throws CorruptWireException if this was not promised, or the session has ended
   */
  synchronized ByteBuffer resolve(int number, int first, int count, int skip)
      throws CorruptWireException {
    Held held = batches.get(number);
    if (ended
        || held == null
        || count == 0
        || first + count > held.batch.count()
        || held.found.nextClearBit(first) < first + count) {
      throw new CorruptWireException(
          "a reference to "
              + count
              + " chunks from "
              + first
              + " of batch "
              + number
              + ", which are not held");
    }
    int start = held.batch.start(first);
    int end = held.batch.ends()[first + count - 1];
    if (skip < 0 || skip >= held.batch.ends()[first] - start) {
      throw new CorruptWireException("a reference to a chunk from byte " + skip + " on");
    }
    release(number - 1);
    ByteBuffer bytes = held.bytes.duplicate();
    bytes.limit(end).position(start + skip);
    return bytes;
  }

  /** Drops the batches up to a number. */
  synchronized void release(int upTo) {
    released = Math.max(released, upTo);
    Map<Integer, Held> unused = batches.headMap(upTo, true);
    unused.values().forEach(held -> giveBack(held.batch, held.bytes));
    unused.clear();
  }

  /** Lets a stream in, the first that wants. */
  synchronized boolean join() {
    if (joined || ended) {
      return false;
    }
    joined = true;
    return true;
  }

  /** The stream has ended: nothing is held any more. */
  void leave() {
    boolean last;
    synchronized (this) {
      release(Integer.MAX_VALUE);
      left = true;
      last = answered;
    }
    if (last) {
      end();
    }
  }

  /**
   * Ends the questions. Held chunks stay until the stream has used them; if none has joined yet,
   * one may be under way, and can join for a while. Without either the session ends.
   */
  public void finish() {
    boolean last;
    boolean waits;
    synchronized (this) {
      answered = true;
      waits = !joined && memory > 0;
      last = left || (!joined && !waits);
      ended |= last;
    }
    if (last) {
      end();
    } else if (waits) {
      owner.linger(this);
    }
  }

  /** Ends the session if no stream has joined by now. */
  void expire() {
    synchronized (this) {
      if (joined) {
        return;
      }
      ended = true;
    }
    end();
  }

  /**
   * Ends the session: nothing is promised any more. A stream that joined may be handing out of the
   * buffers on its own thread, so that only it can give them back, when it leaves.
   */
  void end() {
    synchronized (this) {
      ended = true;
      if (!joined || left) {
        release(Integer.MAX_VALUE);
      }
    }
    owner.forget(this);
  }

  /** Bytes that are held. */
  synchronized long memory() {
    return memory;
  }
}
