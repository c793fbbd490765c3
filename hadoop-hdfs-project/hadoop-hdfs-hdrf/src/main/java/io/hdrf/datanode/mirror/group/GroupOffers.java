/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode.mirror.group;

import io.hdrf.block.BlockRef;
import io.hdrf.datanode.mirror.query.Introductions;
import io.hdrf.datanode.mirror.query.PeerConnection;
import io.hdrf.spi.scheme.GroupExport;
import io.hdrf.wire.GroupStream;
import io.hdrf.wire.Timer;
import io.hdrf.wire.WireCounters;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Offers the next DataNode of a pipeline the groups that this one's store encodes for a block. The
 * offer is made as soon as the block is finalized, on a connection that stays open until the block
 * is reduced: so long the other one waits. Whatever goes wrong, the connection ends, and the other
 * one encodes for itself. Thread-safe.
 */
public final class GroupOffers implements Closeable {

  private static final Logger LOG = LoggerFactory.getLogger(GroupOffers.class);

  /** The number of blocks on their way through this DataNode of which the next one is known. */
  private static final int MAX_NOTED = 1024;

  /** The number of offers at once; each has a connection, and a thread of the other DataNode. */
  private static final int MAX_OFFERS = 16;

  /** The longest time that an offer may take, from the finalization of its block on. */
  private static final long PATIENCE_NANOS = TimeUnit.MINUTES.toNanos(2);

  /** The number of groups that are named before the answers are read. */
  private static final int BATCH = 32;

  private final GroupStores stores;
  private final Introductions introductions;
  private final WireCounters counters;
  private final Executor threads;
  private final Timer timer;

  /** Guarded by this, as are the next two and the fields of each offer. */
  private final Map<BlockRef, PeerConnection.Source<GroupStream>> noted =
      new LinkedHashMap<BlockRef, PeerConnection.Source<GroupStream>>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(
            Map.Entry<BlockRef, PeerConnection.Source<GroupStream>> eldest) {
          return size() > MAX_NOTED;
        }
      };

  private final Map<BlockRef, Pending> offers = new HashMap<>();
  private boolean closed;

  /** An offer under way, with a thread of its own. */
  private static final class Pending {
    private final BlockRef block;
    private final PeerConnection.Source<GroupStream> peer;

    /** What is to be sent; cancelled with the offer. */
    private final CompletableFuture<Optional<GroupExport>> groups = new CompletableFuture<>();

    // Guarded by the outer object
    private boolean ended;

    /** Set while it may be interrupted. */
    private Thread thread;

    private PeerConnection<GroupStream> connection;

    Pending(BlockRef block, PeerConnection.Source<GroupStream> peer) {
      this.block = block;
      this.peer = peer;
    }
  }

  /**
   * @param threads for what waits for other DataNodes
   * @param timer ends offers of blocks that wait too long
   */
  public GroupOffers(
      GroupStores stores,
      Introductions introductions,
      WireCounters counters,
      Executor threads,
      Timer timer) {
    this.stores = stores;
    this.introductions = introductions;
    this.counters = counters;
    this.threads = threads;
    this.timer = timer;
  }

  /**
   * Notes that a block of a pipeline goes on from here to another DataNode.
   *
   * @param peer connects to that one
   */
  public synchronized void note(BlockRef block, PeerConnection.Source<GroupStream> peer) {
    noted.put(block, peer);
  }

  /** A block was finalized here: its groups are offered to the DataNode that it went on to. */
  public void finalized(BlockRef block) {
    Pending pending;
    synchronized (this) {
      PeerConnection.Source<GroupStream> peer = noted.remove(block);
      if (peer == null || closed || offers.size() >= MAX_OFFERS || offers.containsKey(block)) {
        return;
      }
      pending = new Pending(block, peer);
      offers.put(block, pending);
    }
    boolean begun = false;
    try {
      threads.execute(() -> run(pending));
      timer.after(PATIENCE_NANOS, () -> end(pending));
      begun = true;
    } catch (RejectedExecutionException e) {
      LOG.debug("No thread to offer groups of {}", block, e);
    } finally {
      if (!begun) {
        end(pending);
      }
    }
  }

  private void run(Pending pending) {
    try {
      if (begins(pending)) {
        offer(pending);
      }
    } catch (CancellationException e) {
      LOG.debug("No groups of {} go on", pending.block);
    } catch (IOException
        | InterruptedException
        | ExecutionException
        | RuntimeException
        | LinkageError e) {
      failed(pending, e);
    } finally {
      synchronized (this) {
        pending.thread = null;
      }
      // The thread's next task must not be interrupted in this one's place.
      Thread.interrupted();
      end(pending);
    }
  }

  private synchronized boolean begins(Pending pending) {
    pending.thread = pending.ended ? null : Thread.currentThread();
    return !pending.ended;
  }

  private synchronized boolean isConnected(
      Pending pending, PeerConnection<GroupStream> connection) {
    pending.connection = pending.ended ? null : connection;
    return !pending.ended;
  }

  private void offer(Pending pending) throws IOException, InterruptedException, ExecutionException {
    GroupStream.Offer offer = stores.offer(pending.block);
    if (offer == null) {
      return;
    }
    PeerConnection<GroupStream> connection = pending.peer.connect();
    try (GroupStream stream = connection.stream()) {
      if (!isConnected(pending, connection)) {
        return;
      }
      stream.offer(offer);
      String pool = pending.block.poolId();
      if (introductions.introduce(stream, pool, connection.address()) == null
          || !introductions.isProvedToTake(stream, pool, connection.address())) {
        counters.offerFailed();
        return;
      }
      Optional<GroupExport> groups = pending.groups.get();
      try (Closeable use = stores.use(offer)) {
        if (use != null && groups.isPresent()) {
          send(groups.get(), stream);
        }
      }
    } finally {
      closeQuietly(connection);
    }
  }

  private void send(GroupExport groups, GroupStream stream) throws IOException {
    long sent = 0;
    long bytes = 0;
    for (int first = 0; first < groups.count(); first += BATCH) {
      int end = Math.min(groups.count(), first + BATCH);
      for (int group = first; group < end; group++) {
        stream.names(groups.names(group));
      }
      stream.flush();
      boolean[] wanted = new boolean[end - first];
      for (int group = first; group < end; group++) {
        wanted[group - first] = stream.readAnswer();
      }
      for (int group = first; group < end; group++) {
        if (wanted[group - first]) {
          ByteBuffer content = groups.content(group);
          sent++;
          bytes += content.remaining();
          stream.group(content);
        }
      }
    }
    stream.flush();
    counters.offered(sent, bytes);
  }

  private void failed(Pending pending, Throwable cause) {
    synchronized (this) {
      if (pending.ended) {
        return;
      }
    }
    counters.offerFailed();
    LOG.debug("The groups of {} can't be offered (any more)", pending.block, cause);
  }

  /**
   * Groups of a block came from another DataNode: they go on at once. Those that the block adds
   * here do not follow, since they are few.
   *
   * @param groups null if there are none
   */
  public void received(BlockRef block, GroupExport groups) {
    if (groups != null && groups.count() > 0) {
      reduced(block, groups);
    }
  }

  /**
   * A block was reduced here.
   *
   * @param groups those that it added to its store; null if there are none
   */
  public void reduced(BlockRef block, GroupExport groups) {
    Pending pending = find(block);
    if (pending != null) {
      pending.groups.complete(Optional.ofNullable(groups));
    }
  }

  /** A block stays plain here, or is not the same any more. */
  public void dropped(BlockRef block) {
    Pending pending = find(block);
    if (pending != null) {
      end(pending);
    }
  }

  private synchronized Pending find(BlockRef block) {
    return offers.get(block);
  }

  /** Ends the connection, or what waits for it. */
  private void end(Pending pending) {
    PeerConnection<GroupStream> connection;
    synchronized (this) {
      if (pending.ended) {
        return;
      }
      pending.ended = true;
      offers.remove(pending.block, pending);
      connection = pending.connection;
      // To close its socket does not wake it.
      if (pending.thread != null && pending.thread != Thread.currentThread()) {
        pending.thread.interrupt();
      }
    }
    pending.groups.cancel(false);
    if (connection != null) {
      closeQuietly(connection);
    }
  }

  private static void closeQuietly(PeerConnection<GroupStream> connection) {
    try {
      connection.close();
    } catch (IOException e) {
      LOG.debug("Closing failed", e);
    }
  }

  /** No block that waits is reduced soon. */
  public void dropAll() {
    List<Pending> left;
    synchronized (this) {
      left = new ArrayList<>(offers.values());
    }
    left.forEach(this::end);
  }

  @Override
  public void close() {
    synchronized (this) {
      closed = true;
    }
    dropAll();
  }
}
