/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.wire;

import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The sessions of one DataNode in which others ask for chunks, by their ids, which can't be
 * guessed. Bounds their number, and the memory of all of them. Thread-safe.
 */
public final class ChunkQuerySessions {

  /**
   * The number of sessions allowed: as many as a DataNode has threads for connections by default.
   */
  static final int MAX_SESSIONS = 4096;

  private final Map<ByteBuffer, RetainedChunks> sessions = new ConcurrentHashMap<>();
  private final SecureRandom random = new SecureRandom();
  private final AtomicLong memory = new AtomicLong();
  private final long maxPerStream;
  private final long maxMemory;
  private final long lingerNanos;
  private final Timer timer;

  /**
   * @param maxPerStream bytes of chunks that one session may hold
   * @param maxMemory bytes of chunks that all may hold
   * @param lingerNanos how long a stream may take to join when there are no more questions
   * @param timer drops the sessions that none has joined by then
   */
  public ChunkQuerySessions(long maxPerStream, long maxMemory, long lingerNanos, Timer timer) {
    this.lingerNanos = lingerNanos;
    this.timer = timer;
    this.maxPerStream = maxPerStream;
    this.maxMemory = maxMemory;
  }

  /**
   * Opens a session; the caller ends its use by {@link RetainedChunks#finish}.
   *
   * @param poolId of the chunks
   * @return null if there are too many
   */
  public synchronized RetainedChunks open(String poolId) {
    if (sessions.size() >= MAX_SESSIONS) {
      return null;
    }
    byte[] id = new byte[WireFormat.SESSION_ID];
    random.nextBytes(id);
    RetainedChunks opened = new RetainedChunks(this, poolId, id);
    sessions.put(ByteBuffer.wrap(id), opened);
    return opened;
  }

  /**
   * The session with an id, for one stream alone, which leaves it at its end.
   *
   * @return null if there is none, or another stream has it
   */
  public RetainedChunks join(byte[] id) {
    RetainedChunks found = sessions.get(ByteBuffer.wrap(id));
    return found != null && found.join() ? found : null;
  }

  /** Ends the sessions of a pool, even those in use. */
  public void end(String poolId) {
    for (RetainedChunks session : sessions.values()) {
      if (session.poolId().equals(poolId)) {
        session.end();
      }
    }
  }

  void linger(RetainedChunks session) {
    timer.after(lingerNanos, session::expire);
  }

  void forget(RetainedChunks session) {
    sessions.remove(ByteBuffer.wrap(session.id()));
  }

  long maxPerStream() {
    return maxPerStream;
  }

  boolean reserve(int bytes) {
    if (memory.addAndGet(bytes) <= maxMemory) {
      return true;
    }
    memory.addAndGet(-bytes);
    return false;
  }

  void unreserve(int bytes) {
    memory.addAndGet(-bytes);
  }

  /** Bytes of chunks that are held now. */
  public long memory() {
    return memory.get();
  }

  /** Returns the number of sessions. */
  public int count() {
    return sessions.size();
  }
}
