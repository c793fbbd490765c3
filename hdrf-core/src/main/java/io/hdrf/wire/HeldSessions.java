/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.wire;

import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The sessions of one DataNode in which others ask for chunks, by their ids, which can't be
 * guessed. Bounds the memory of all of them. Thread-safe.
 */
public final class HeldSessions implements WireInput.Sessions {

  /** A session without questions that no stream has joined. */
  private static final class Lingering {
    private final HeldChunks session;
    private final long until;

    Lingering(HeldChunks session, long until) {
      this.session = session;
      this.until = until;
    }
  }

  private final Map<ByteBuffer, HeldChunks> sessions = new ConcurrentHashMap<>();
  private final SecureRandom random = new SecureRandom();
  private final AtomicLong memory = new AtomicLong();
  private final long maxPerStream;
  private final long maxMemory;
  private final long lingerNanos;
  private final Queue<Lingering> lingering = new ConcurrentLinkedQueue<>();

  /**
   * @param maxPerStream bytes of chunks that one session may hold
   * @param maxMemory bytes of chunks that all may hold
   * @param lingerNanos how long a stream may take to join when there are no more questions
   */
  public HeldSessions(long maxPerStream, long maxMemory, long lingerNanos) {
    this.lingerNanos = lingerNanos;
    this.maxPerStream = maxPerStream;
    this.maxMemory = maxMemory;
  }

  /** Opens a session; the caller ends its use by {@link HeldChunks#finish}. */
  public HeldChunks open() {
    expire();
    byte[] id = new byte[WireFormat.SESSION_ID];
    random.nextBytes(id);
    HeldChunks opened = new HeldChunks(this, id);
    sessions.put(ByteBuffer.wrap(id), opened);
    return opened;
  }

  @Override
  public HeldChunks join(byte[] id) {
    HeldChunks found = sessions.get(ByteBuffer.wrap(id));
    return found != null && found.join() ? found : null;
  }

  void linger(HeldChunks session) {
    lingering.add(new Lingering(session, System.nanoTime() + lingerNanos));
  }

  private void expire() {
    for (Lingering next = lingering.peek();
        next != null && next.until - System.nanoTime() <= 0;
        next = lingering.peek()) {
      if (lingering.remove(next)) {
        next.session.expire();
      }
    }
  }

  void forget(HeldChunks session) {
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

  /** How many sessions there are. */
  public int count() {
    return sessions.size();
  }
}
