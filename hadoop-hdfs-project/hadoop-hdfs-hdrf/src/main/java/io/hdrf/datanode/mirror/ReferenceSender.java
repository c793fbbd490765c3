/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode.mirror;

import io.hdrf.datanode.mirror.query.ChunkCutter;
import io.hdrf.datanode.mirror.query.ChunkQueryClient;
import io.hdrf.spi.scheme.ChunkFunction;
import io.hdrf.wire.ChunkBatch;
import io.hdrf.wire.Fallback;
import io.hdrf.wire.RecordWriter;
import java.io.Closeable;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Iterator;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends a block's packets with references to the chunks that the peer says it has. Packets wait for
 * the answers in a queue of bounded length, from which a separate thread sends each as soon as its
 * answer is there, or does not come. None waits for a later one, but for a few that can be sent at
 * once. Until {@link #drain} or {@link #stop} returns, the {@link RecordWriter} belongs to that
 * thread. Apart from it, for one thread.
 */
final class ReferenceSender implements Closeable {

  private static final Logger LOG = LoggerFactory.getLogger(ReferenceSender.class);

  /** The bytes of packets that may wait; one packet always may. */
  private static final int WINDOW = 1 << 20;

  /** The number of packets written together, as long as the next one waits for nothing. */
  private static final int MAX_TOGETHER = 4;

  /** Between looks for what waiting threads are notified of. */
  private static final long LONG_NANOS = TimeUnit.MINUTES.toNanos(1);

  private static final long DRAIN_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final long STOP_NANOS = TimeUnit.SECONDS.toNanos(5);

  /** A packet that waits. */
  private static final class Waiting {
    private final PacketHead head;
    private final ChunkCutter.Cut cut;
    private final PacketFrames received;
    private final boolean asked;

    Waiting(PacketHead head, ChunkCutter.Cut cut, PacketFrames received, boolean asked) {
      this.head = head;
      this.cut = cut;
      this.received = received;
      this.asked = asked;
    }

    void release() {
      cut.release();
      if (received != null) {
        received.close();
      }
    }
  }

  private final Mirroring mirroring;
  private final RecordWriter records;
  private final PeerLink peer;
  private final ChunkQueryClient session;
  private final ChunkCutter cutter;
  private final FrameEncoder encoder;

  /** For the sending thread. */
  private int[] announced;

  private volatile boolean joined;

  // Guarded by the monitor
  private final ArrayDeque<Waiting> queue = new ArrayDeque<>();
  private long queued;
  private boolean begun;
  private boolean stopping;
  private boolean ended;
  private IOException failure;
  private Thread sender;

  /**
   * @param encoder for what does not go by reference; closed with this
   */
  ReferenceSender(
      Mirroring mirroring,
      RecordWriter records,
      PeerLink peer,
      ChunkFunction function,
      ChunkQueryClient session,
      FrameEncoder encoder) {
    this.mirroring = mirroring;
    this.records = records;
    this.peer = peer;
    this.session = session;
    this.cutter = new ChunkCutter(function);
    this.encoder = encoder;
  }

  /**
   * Starts to ask and to send.
   *
   * @return false if there are no threads for it; nothing is to be closed then but the encoder
   */
  boolean start() {
    if (mirroring.execute(session::run) && mirroring.execute(this::run)) {
      return true;
    }
    session.close();
    cutter.close();
    return false;
  }

  /**
   * Returns whether a packet was sent; the {@link RecordWriter} is the sending thread's from then
   * on.
   */
  synchronized boolean hasBegun() {
    return begun;
  }

  /**
   * Takes a packet, and waits only as long as too many bytes wait already.
   *
   * @param offset where its data begin in the block
   * @param data consumed
   * @param received the same packet in the form in which it was received, in step, or null
   * @throws IOException if sending it, or one before, failed
   */
  void send(long offset, PacketHead head, ByteBuffer data, boolean last, PacketFrames received)
      throws IOException {
    ChunkCutter.Cut cut = cutter.cut(offset, data, last);
    PacketFrames copy = null;
    boolean taken = false;
    try {
      boolean asked = cut.batch() != null && session.ask(cut.batch());
      copy = received == null ? null : received.copy();
      taken = enqueue(new Waiting(head, cut, copy, asked));
    } finally {
      if (!taken) {
        cut.release();
        if (copy != null) {
          copy.close();
        }
      }
    }
    if (!taken) {
      check();
    }
  }

  /** Queues a packet to be sent; returns false if none is sent any more. */
  private boolean enqueue(Waiting packet) throws IOException {
    if (!hasBegun()) {
      records.flush();
    }
    synchronized (this) {
      begun = true;
      while (!ended && queued > 0 && queued + packet.cut.length() > WINDOW) {
        await(LONG_NANOS);
      }
      if (!ended) {
        queue.add(packet);
        queued += packet.cut.length();
        notifyAll();
      }
      return !ended;
    }
  }

  /**
   * Fails if sending has failed.
   *
   * @throws IOException if it has
   */
  synchronized void check() throws IOException {
    if (failure != null) {
      throw told(failure);
    }
    if (ended) {
      throw new IOException("no packet is sent any more");
    }
  }

  /**
   * Stock code tells by an exception's type, and by what its message begins with, whether the
   * network failed or a block that it reads is to be suspected.
   */
  private static IOException told(IOException failure) {
    String reason = failure.getMessage() == null ? failure.toString() : failure.getMessage();
    String message = reason + ": a packet could not be sent";
    IOException told =
        failure instanceof SocketTimeoutException
            ? new SocketTimeoutException(message)
            : new IOException(message);
    return (IOException) told.initCause(failure);
  }

  /** Goes on after {@link #drain}, and after others have written records. */
  void resume() {
    // Published with the next packet.
    announced = null;
  }

  /** Waits until all packets were sent; the thread that called then has the records' writer. */
  synchronized void drain() throws IOException {
    while (!ended && !queue.isEmpty()) {
      await(LONG_NANOS);
    }
    check();
  }

  /** Waits to be notified. */
  private void await(long nanos) throws InterruptedIOException {
    try {
      TimeUnit.NANOSECONDS.timedWait(this, nanos);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw (InterruptedIOException)
          new InterruptedIOException("interrupted while packets are sent").initCause(e);
    }
  }

  private void run() {
    synchronized (this) {
      sender = Thread.currentThread();
    }
    IOException error = null;
    try {
      int together = 0;
      for (Waiting packet = next(); packet != null; packet = next()) {
        send(packet);
        together++;
        if (together == MAX_TOGETHER || !hasReadyBehind()) {
          records.flush();
          together = 0;
        }
        sent(packet);
      }
    } catch (IOException e) {
      error = e;
    } catch (InterruptedException e) {
      error = new IOException("interrupted", e);
    } catch (RuntimeException e) {
      error = new IOException("a packet can't be sent", e);
    } finally {
      synchronized (this) {
        failure = error;
        ended = true;
        sender = null;
        queue.forEach(Waiting::release);
        queue.clear();
        notifyAll();
      }
      // The pool's next task must not be interrupted in this one's place.
      Thread.interrupted();
    }
  }

  /** The next packet, which stays in the queue until it was sent; null at the end. */
  private synchronized Waiting next() throws InterruptedException {
    while (queue.isEmpty() && !stopping) {
      wait();
    }
    return stopping ? null : queue.peek();
  }

  /** Returns whether the packet behind the first one can be sent at once. */
  private synchronized boolean hasReadyBehind() {
    Iterator<Waiting> packets = queue.iterator();
    packets.next();
    if (!packets.hasNext()) {
      return false;
    }
    Waiting second = packets.next();
    return !second.asked || session.isDecided(second.cut.batch().number());
  }

  private synchronized void sent(Waiting packet) {
    queue.remove();
    queued -= packet.cut.length();
    packet.release();
    notifyAll();
  }

  private void send(Waiting packet) throws IOException, InterruptedException {
    ChunkCutter.Cut cut = packet.cut;
    ChunkBatch batch = cut.batch();
    BitSet held = packet.asked ? session.await(batch.number()) : null;
    packet.head.writeTo(records, cut.length());
    if (held != null && !held.isEmpty()) {
      join();
      sendWithReferences(packet, held);
    } else {
      sendByValue(packet);
      if (packet.asked && held == null && (joined || session.isOpen())) {
        join();
        records.release(batch.number());
      }
    }
    if (packet.asked) {
      count(cut, held);
    }
  }

  private void count(ChunkCutter.Cut cut, BitSet held) {
    long bytes = 0;
    int referred = held == null ? 0 : held.cardinality();
    for (int i = 0; i < cut.batch().count() && referred > 0; i++) {
      bytes += held.get(i) ? cut.end(i) - cut.start(i) : 0;
    }
    mirroring.counters().asked(referred, cut.batch().count() - referred, bytes);
  }

  private void join() throws IOException {
    if (!joined) {
      records.session(session.id());
      joined = true;
    }
  }

  private void announce(int[] ids) throws IOException {
    if (!Arrays.equals(announced, ids)) {
      records.chain(ids);
      announced = ids;
    }
  }

  private void sendByValue(Waiting packet) throws IOException {
    PacketFrames received = packet.received;
    if (received != null && received.isFrames() && peer.canDecode(received.chainIds())) {
      if (received.count() > 0) {
        announce(received.chainIds());
      }
      received.writeTo(records);
      mirroring.counters().forwarded(received.count());
    } else {
      frame(packet, 0, packet.cut.length());
    }
  }

  private void sendWithReferences(Waiting packet, BitSet held) throws IOException {
    ChunkCutter.Cut cut = packet.cut;
    int done = 0;
    for (int first = held.nextSetBit(0); first >= 0; ) {
      int end = held.nextClearBit(first);
      frame(packet, done, cut.start(first));
      records.references(cut.batch().number(), first, end - first, cut.skip(first));
      done = cut.end(end - 1);
      first = held.nextSetBit(end);
    }
    frame(packet, done, cut.length());
  }

  /** Sends a part of a packet as a frame, in the form in which it came if it is one. */
  private void frame(Waiting packet, int from, int to) throws IOException {
    if (from == to || forward(packet.received, from, to)) {
      return;
    }
    announce(encoder.chainIds());
    int stages = encoder.encode(packet.cut.data(from, to));
    records.frame(to - from, stages, encoder.encoded());
  }

  private boolean forward(PacketFrames received, int from, int to) throws IOException {
    int frame = received == null ? -1 : received.indexOf(from, to);
    if (frame < 0 || !peer.canDecode(received.chainIds(frame))) {
      return false;
    }
    announce(received.chainIds(frame));
    received.writeTo(records, frame);
    mirroring.counters().forwarded(1);
    return true;
  }

  /** Waits a while until all packets were sent, on a connection that ends before its time. */
  synchronized void drainBriefly() {
    long until = System.nanoTime() + DRAIN_NANOS;
    try {
      while (!ended && !queue.isEmpty() && until - System.nanoTime() > 0) {
        await(Math.max(1, until - System.nanoTime()));
      }
    } catch (InterruptedIOException e) {
      LOG.debug("Not all packets were sent", e);
    }
  }

  /**
   * Ends the sending of packets; does not wait. A thread that is sending one is interrupted.
   *
   * @param complete whether the block's last packet was sent
   */
  synchronized void stop(boolean complete) {
    if (stopping) {
      return;
    }
    stopping = true;
    if (sender != null && !queue.isEmpty()) {
      sender.interrupt();
    }
    notifyAll();
    if (joined && (!complete || failure != null)) {
      mirroring.counters().fallback(Fallback.REFERENCES_BROKE);
      mirroring.referencesBroke(peer);
    }
  }

  /**
   * Waits a while for the thread to end after {@link #stop}.
   *
   * @return whether the records' writer may be used, or closed, now
   */
  synchronized boolean awaitEnd() {
    long until = System.nanoTime() + STOP_NANOS;
    boolean interrupted = false;
    while (!ended && until - System.nanoTime() > 0) {
      try {
        await(Math.max(1, until - System.nanoTime()));
      } catch (InterruptedIOException e) {
        interrupted |= Thread.interrupted();
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    return ended;
  }

  /** To be called after {@link #stop}, once the connection is closed if it broke. */
  @Override
  public void close() {
    session.close();
    if (awaitEnd()) {
      encoder.close();
    } else {
      LOG.warn("A thread that sends packets does not end");
    }
    cutter.close();
  }
}
