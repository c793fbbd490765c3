/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode.mirror;

import io.hdrf.spi.io.BufferPool;
import io.hdrf.wire.RecordWriter;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.apache.hadoop.hdfs.protocol.datatransfer.PacketHeader;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Encodes and sends the packets of a pipeline. A packet goes at once, in a separate frame, unless
 * so many before it are not acknowledged that it would only wait elsewhere: it then waits here for
 * the next ones, and shares a frame with them. It waits until the frame is long enough, or less is
 * under way, and never longer than a few milliseconds; a packet that is to be synchronised, is
 * shorter than the one before, or is the block's last, goes at once with all that wait.
 *
 * <p>The thread that brings the packets sends them; packets whose time has come are sent by
 * another. Until {@link #awaitEnd} returns true the {@link RecordWriter} may only be used by this.
 * Apart from that, for one thread.
 */
final class PacketBatch {

  private static final Logger LOG = LoggerFactory.getLogger(PacketBatch.class);

  /** The most data of one frame; a longer packet is one by itself. */
  static final int MAX_DATA = 256 << 10;

  /** The number of packets under way at which others begin to wait. */
  static final int BUSY = 16;

  /** The longest time that a packet waits. */
  static final long HOLD_NANOS = TimeUnit.MILLISECONDS.toNanos(4);

  private static final long DRAIN_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final long STOP_NANOS = TimeUnit.SECONDS.toNanos(5);

  /** After so many vain looks for waiting packets, the thread waits to be called. */
  private static final int IDLE_LOOKS = 8;

  /** Stands for the stages of a frame where there is none. */
  private static final int NOT_FRAMED = -1;

  private final Mirroring mirroring;
  private final RecordWriter records;
  private final FrameEncoder encoder;
  private final BlockCollector collector;
  private final Acknowledgements acknowledged;
  private final long holdNanos;

  private final ReentrantLock turn = new ReentrantLock();
  private final Condition changed = turn.newCondition();
  private volatile boolean stopping;

  // Guarded by the lock
  private final List<PacketHead> heads = new ArrayList<>();
  private final List<Integer> lengths = new ArrayList<>();
  private ByteBuffer slab = BufferPool.shared().take(0);
  private int begin;
  private int end;
  private int previousLength;
  private long waitingSince;
  private long sent;
  private boolean announced;
  private boolean helped;
  private boolean helperIdle;
  private IOException failure;

  /** Guarded by the monitor: the thread that sends packets which have waited long enough. */
  private Thread helper;

  /** Guarded by the monitor: what the helper still has to do at its end; or null. */
  private Runnable afterHelp;

  /**
   * @param encoder not closed
   * @param collector takes the frames, or null; not closed
   * @param acknowledged packets of this block
   * @param holdNanos how long a packet may wait
   */
  PacketBatch(
      Mirroring mirroring,
      RecordWriter records,
      FrameEncoder encoder,
      BlockCollector collector,
      Acknowledgements acknowledged,
      long holdNanos) {
    this.mirroring = mirroring;
    this.records = records;
    this.encoder = encoder;
    this.collector = collector;
    this.acknowledged = acknowledged;
    this.holdNanos = holdNanos;
    acknowledged.listen(this::acknowledged);
  }

  /**
   * Room for the next packet's data, until it is {@link #add}ed.
   *
   * @throws IOException if sending has failed
   */
  ByteBuffer room(int length) throws IOException {
    lock();
    try {
      check();
      if (end + length > slab.capacity() && !heads.isEmpty()) {
        sendWaiting();
      }
      if (heads.isEmpty()) {
        begin = 0;
        end = 0;
        int wanted = isBusy() ? Math.max(MAX_DATA, length) : length;
        slab = BufferPool.shared().atLeast(slab, wanted);
      }
      ByteBuffer room = slab.duplicate();
      room.clear();
      room.limit(end + length).position(end);
      return room.slice();
    } finally {
      turn.unlock();
    }
  }

  /**
   * Takes the packet whose data are in the {@link #room}, and sends it unless it may wait.
   *
   * @throws IOException if sending it, or one before, has failed
   */
  void add(PacketHeader header, PacketHead head) throws IOException {
    lock();
    try {
      check();
      int length = header.getDataLen();
      boolean last = header.isLastPacketInBlock();
      if (collector != null && !last) {
        collector.packet(header);
      }
      if (collector != null && last) {
        // The receiver of the last packet may end the block; its frames must be there by then.
        if (!heads.isEmpty()) {
          sendWaiting();
        }
        collector.packet(header);
      }
      heads.add(head);
      lengths.add(length);
      end += length;
      boolean atOnce =
          last
              || header.getSyncBlock()
              || length < previousLength
              || MAX_DATA - (end - begin) < length
              || !isBusy()
              || !waitWithHelp();
      previousLength = length;
      if (atOnce) {
        sendWaiting();
      }
    } finally {
      turn.unlock();
    }
  }

  private boolean isBusy() {
    return sent - acknowledged.count() >= BUSY;
  }

  /**
   * Lets the packet wait.
   *
   * @return false if there is no thread that would send it
   */
  private boolean waitWithHelp() {
    if (!helped) {
      if (!mirroring.execute(this::help)) {
        return false;
      }
      helped = true;
    }
    if (heads.size() == 1) {
      waitingSince = System.nanoTime();
    }
    if (helperIdle) {
      helperIdle = false;
      changed.signalAll();
    }
    return true;
  }

  /** Sends all that wait; if that fails, nothing is sent any more. */
  private void sendWaiting() throws IOException {
    try {
      writeWaiting();
    } catch (IOException e) {
      failure = e;
      throw e;
    } catch (RuntimeException e) {
      failure = new IOException("a packet can't be sent", e);
      throw e;
    } finally {
      sent += heads.size();
      heads.clear();
      lengths.clear();
      begin = end;
    }
  }

  /** All that wait, in one frame. */
  private void writeWaiting() throws IOException {
    boolean framed = begin == end;
    int stages = NOT_FRAMED;
    for (int i = 0; i < heads.size(); i++) {
      heads.get(i).writeTo(records, lengths.get(i));
      if (!framed && lengths.get(i) > 0) {
        stages = frame();
        framed = true;
      }
    }
    records.flush();
    if (collector != null && stages != NOT_FRAMED) {
      collector.frame(encoder, stages, end - begin);
    }
  }

  private int frame() throws IOException {
    if (!announced) {
      records.chain(encoder.chainIds());
      announced = true;
    }
    ByteBuffer data = slab.duplicate();
    data.clear();
    data.limit(end).position(begin);
    int stages = encoder.encode(data);
    records.frame(end - begin, stages, encoder.encoded());
    return stages;
  }

  /** Runs on the thread that reads acknowledgements, which waits for nobody. */
  private void acknowledged() {
    if (turn.tryLock()) {
      try {
        if (!heads.isEmpty() && !isBusy()) {
          changed.signalAll();
        }
      } finally {
        turn.unlock();
      }
    }
  }

  /** Sends what has waited long enough, until the block ends. */
  private void help() {
    synchronized (this) {
      helper = Thread.currentThread();
    }
    turn.lock();
    try {
      int idleLooks = 0;
      while (!stopping && failure == null) {
        if (heads.isEmpty()) {
          if (++idleLooks < IDLE_LOOKS) {
            changed.awaitNanos(holdNanos);
          } else {
            helperIdle = true;
            changed.await();
          }
          continue;
        }
        idleLooks = 0;
        long left = waitingSince + holdNanos - System.nanoTime();
        if (left > 0 && isBusy()) {
          changed.awaitNanos(Math.min(left, HOLD_NANOS));
        } else {
          sendWaiting();
          changed.signalAll();
        }
      }
    } catch (IOException | RuntimeException e) {
      LOG.debug("Packets can't be sent; the thread that brings them will be told", e);
    } catch (InterruptedException e) {
      failure = new IOException("interrupted", e);
    } finally {
      if (!stopping && failure == null) {
        failure = new IOException("the thread that sends packets has ended");
      }
      changed.signalAll();
      turn.unlock();
      Runnable left;
      synchronized (this) {
        helper = null;
        left = afterHelp;
      }
      // Neither that nor the pool's next task must be interrupted in this one's place.
      Thread.interrupted();
      if (left != null) {
        left.run();
      }
    }
  }

  private void check() throws IOException {
    if (failure != null) {
      throw new IOException("a packet could not be sent: " + failure, failure);
    }
    if (stopping) {
      throw new IOException("no packet is sent any more");
    }
  }

  private void lock() throws InterruptedIOException {
    if (turn.tryLock()) {
      return;
    }
    try {
      turn.lockInterruptibly();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw (InterruptedIOException)
          new InterruptedIOException("interrupted while packets are sent").initCause(e);
    }
  }

  /** Ends the sending of packets, but for those that wait, for which it waits a while. */
  void stop() {
    if (stopping) {
      return;
    }
    acknowledged.listen(() -> {});
    try {
      if (turn.tryLock(DRAIN_NANOS, TimeUnit.NANOSECONDS)) {
        try {
          long left = DRAIN_NANOS;
          while (!heads.isEmpty() && failure == null && left > 0) {
            left = changed.awaitNanos(left);
          }
          stopping = true;
          changed.signalAll();
        } finally {
          turn.unlock();
        }
        return;
      }
    } catch (InterruptedException e) {
      LOG.debug("Not all packets were sent", e);
      Thread.currentThread().interrupt();
    }
    stopping = true;
    synchronized (this) {
      if (helper != null) {
        helper.interrupt();
      }
    }
  }

  /**
   * Waits a while for the end of sending after {@link #stop}.
   *
   * @return whether the records' writer may be used, or closed, now
   */
  boolean awaitEnd() {
    boolean interrupted = Thread.interrupted();
    boolean free = turn.tryLock();
    long until = System.nanoTime() + STOP_NANOS;
    while (!free && until - System.nanoTime() > 0) {
      try {
        free = turn.tryLock(until - System.nanoTime(), TimeUnit.NANOSECONDS);
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (free) {
      turn.unlock();
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    return free;
  }

  /**
   * Gives back the buffer after {@link #stop}, and then closes what the packets went through: at
   * once, or, where a thread does not end in a while, when it does.
   */
  void release(Runnable closing) {
    Runnable release =
        () -> {
          BufferPool.shared().give(slab);
          slab = null;
          closing.run();
        };
    if (!awaitEnd()) {
      synchronized (this) {
        if (helper != null) {
          LOG.warn("A thread that sends packets does not end; what it holds is kept until then");
          afterHelp = release;
          return;
        }
      }
    }
    release.run();
  }
}
