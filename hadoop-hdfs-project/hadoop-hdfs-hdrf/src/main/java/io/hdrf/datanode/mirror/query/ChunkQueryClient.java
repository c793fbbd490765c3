/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode.mirror.query;

import io.hdrf.wire.ChunkBatch;
import io.hdrf.wire.ChunkQueryStream;
import io.hdrf.wire.CorruptWireException;
import io.hdrf.wire.Fallback;
import java.io.Closeable;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.io.IOUtils;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks another DataNode for the chunks of one block. A separate thread connects and takes the
 * answers. While some are under way, a few questions wait for each other. An answer that does not
 * come in time counts as no, as do all after the connection broke; earlier answers stay true. One
 * thread asks, and one awaits the answers.
 */
public final class ChunkQueryClient implements Closeable {

  private static final Logger LOG = LoggerFactory.getLogger(ChunkQueryClient.class);

  /** The factor by which the first packets wait longer, for the connection. */
  private static final int OPEN_FACTOR = 10;

  /** Bounds that longer wait, unless the time-out of an answer is longer itself. */
  private static final long OPEN_NANOS = TimeUnit.SECONDS.toNanos(5);

  /** Beyond this many questions without answer, none is asked. */
  private static final int MAX_UNANSWERED = 64;

  /**
   * The number of questions that may wait to be sent together, as long as others have no answer.
   */
  private static final int MAX_TOGETHER = 4;

  private final ChunkQueries queries;
  private final ChunkQueryConnection.Source peer;
  private final Runnable onFailure;
  private final long dialect;
  private final String poolId;
  private final long answerNanos;
  private final long openUntil;

  /** Held while anything is written; never taken under the monitor. */
  private final Object writing = new Object();

  /** Guarded by {@link #writing}: questions from before the connection was there. */
  private List<ChunkBatch> early = new ArrayList<>();

  /** Guarded by {@link #writing}: how many questions wait to be sent. */
  private int waiting;

  // Guarded by the monitor
  private final Map<Integer, BitSet> answers = new HashMap<>();

  /** The number of chunks of each question without an answer. */
  private final Map<Integer, Integer> unanswered = new HashMap<>();

  private ChunkQueryConnection connection;
  private Thread reader;
  private byte[] id;
  private int givenUp = -1;
  private boolean late;
  private boolean ended;
  private long bytes;

  /**
   * @param peer connects to the other DataNode
   * @param onFailure is run when that refuses, or the connection fails
   */
  public ChunkQueryClient(
      ChunkQueries queries,
      ChunkQueryConnection.Source peer,
      long dialect,
      String poolId,
      Runnable onFailure) {
    this.queries = queries;
    this.peer = peer;
    this.onFailure = onFailure;
    this.dialect = dialect;
    this.answerNanos = TimeUnit.MILLISECONDS.toNanos(queries.answerTimeoutMillis());
    this.openUntil =
        System.nanoTime() + Math.max(answerNanos, Math.min(OPEN_FACTOR * answerNanos, OPEN_NANOS));
    this.poolId = poolId;
  }

  /** Connects, and takes answers until the session is closed or breaks. Runs on its own thread. */
  public void run() {
    synchronized (this) {
      if (ended) {
        return;
      }
      reader = Thread.currentThread();
    }
    ChunkQueryConnection opened = null;
    try {
      opened = peer.connect();
      if (begin(opened)) {
        readAnswers(opened.stream());
      }
    } catch (SocketTimeoutException e) {
      if (isAtRest()) {
        queries.counters().fallback(Fallback.ASK_BROKEN);
      } else {
        failed(e);
      }
    } catch (IOException | RuntimeException e) {
      failed(e);
    } finally {
      end(opened);
    }
  }

  /** Returns whether the peer takes questions. */
  private boolean begin(ChunkQueryConnection opened) throws IOException {
    synchronized (this) {
      if (ended) {
        return false;
      }
      connection = opened;
    }
    ChunkQueryStream stream = opened.stream();
    stream.open(dialect, poolId);
    ChunkQueryStream.Reply reply = stream.readReply();
    byte[] granted = reply.sessionId();
    if (reply.challenge() != null) {
      stream.prove(queries.proofs().prove(poolId, reply.challenge(), opened.address()));
      granted = stream.readGrant();
    }
    if (granted == null) {
      queries.counters().fallback(Fallback.ASK_REFUSED);
      onFailure.run();
      LOG.info("{} can't be asked for chunks; it refuses", opened.address());
      return false;
    }
    opened.expectRest();
    synchronized (writing) {
      for (ChunkBatch batch : early) {
        stream.ask(batch);
      }
      stream.flush();
      early = null;
      synchronized (this) {
        id = granted;
      }
    }
    return true;
  }

  private void readAnswers(ChunkQueryStream stream) throws IOException {
    for (ChunkQueryStream.Answer answer = stream.readAnswer();
        answer != null;
        answer = stream.readAnswer()) {
      synchronized (this) {
        Integer asked = unanswered.remove(answer.batch());
        if (asked == null || asked != answer.count()) {
          throw new CorruptWireException(
              "an answer for "
                  + answer.count()
                  + " chunks of batch "
                  + answer.batch()
                  + ", where "
                  + (asked == null ? "none" : asked)
                  + " were asked for");
        }
        late = false;
        if (answer.batch() > givenUp) {
          answers.put(answer.batch(), answer.held());
        }
        notifyAll();
      }
      if (!stream.hasNext()) {
        flush(stream);
      }
    }
    synchronized (this) {
      if (!ended) {
        queries.counters().fallback(Fallback.ASK_BROKEN);
      }
    }
  }

  private void flush(ChunkQueryStream stream) throws IOException {
    synchronized (writing) {
      if (waiting > 0) {
        waiting = 0;
        stream.flush();
      }
    }
  }

  private synchronized boolean hasUnderWay(int notSent) {
    return unanswered.size() > notSent;
  }

  /** Returns whether nothing is awaited, as where a writer pauses for long. */
  private synchronized boolean isAtRest() {
    return id != null && !ended && unanswered.isEmpty();
  }

  private synchronized void failed(Exception e) {
    if (!ended) {
      queries.counters().fallback(id == null ? Fallback.ASK_FAILED : Fallback.ASK_BROKEN);
      onFailure.run();
      LOG.info("A DataNode can't be asked for chunks (any more), so all of a block goes there", e);
    }
  }

  private void end(ChunkQueryConnection opened) {
    synchronized (this) {
      ended = true;
      reader = null;
      notifyAll();
    }
    // The pool's next task must not be interrupted in this one's place.
    Thread.interrupted();
    if (opened != null) {
      IOUtils.cleanupWithLogger(LOG, opened);
      synchronized (writing) {
        opened.stream().close();
      }
    }
  }

  /** The session's id for the stream of the block; null as long as there is none. */
  public synchronized byte[] id() {
    return id;
  }

  /** Returns whether questions can be asked, so that the peer knows the session. */
  public synchronized boolean isOpen() {
    return id != null && !ended;
  }

  /**
   * Asks for a batch's chunks.
   *
   * @return false if no answer would come
   */
  public boolean ask(ChunkBatch batch) {
    synchronized (this) {
      if (ended || unanswered.size() >= MAX_UNANSWERED) {
        return false;
      }
      unanswered.put(batch.number(), batch.count());
      bytes += 2 * 15 + 36L * batch.count() + (batch.count() + 7) / 8;
    }
    synchronized (writing) {
      ChunkQueryConnection current;
      synchronized (this) {
        if (ended) {
          return false;
        }
        current = connection;
      }
      if (early != null) {
        early.add(batch);
        return true;
      }
      try {
        current.stream().ask(batch);
        waiting++;
        // The thread that takes the last answer under way sends the questions that wait then.
        if (waiting == MAX_TOGETHER || !hasUnderWay(waiting)) {
          flush(current.stream());
        }
        return true;
      } catch (IOException e) {
        LOG.debug("A question can't be sent", e);
        IOUtils.cleanupWithLogger(LOG, current);
        return false;
      }
    }
  }

  /** Returns whether {@link #await} would not wait for this batch, which was asked for. */
  public synchronized boolean isDecided(int batch) {
    return ended || answers.containsKey(batch);
  }

  /**
   * Waits a while for an answer.
   *
   * @param batch rising from call to call
   * @return which chunks are held for the block's stream; null if that is not known
   */
  public synchronized BitSet await(int batch) throws InterruptedException {
    long now = System.nanoTime();
    long until = now + answerNanos;
    if (id == null) {
      until = Math.max(now, openUntil);
    } else if (late) {
      until = now;
    }
    while (!answers.containsKey(batch) && !ended) {
      long left = until - System.nanoTime();
      if (left <= 0) {
        late = true;
        givenUp = batch;
        queries.counters().fallback(Fallback.ASK_TIMED_OUT);
        return null;
      }
      TimeUnit.NANOSECONDS.timedWait(this, left);
    }
    return answers.remove(batch);
  }

  /** Ends the session; what was answered and referred to before stays valid for the stream. */
  @Override
  public void close() {
    ChunkQueryConnection open;
    synchronized (this) {
      if (!ended) {
        ended = true;
        notifyAll();
      }
      open = connection;
      connection = null;
      if (reader != null) {
        reader.interrupt();
      }
      queries.counters().askTraffic(bytes);
      bytes = 0;
    }
    IOUtils.cleanupWithLogger(LOG, open);
  }
}
