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
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
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
  private static final int MAX_OFFERS = 64;

  /**
   * The longest time that a block may wait to be reduced here while others wait for it, and that
   * its groups may be under way.
   */
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

  /** An offer under way. */
  private static final class Pending {
    private final BlockRef block;
    private GroupStream.Offer offer;
    private PeerConnection<GroupStream> connection;
    private boolean accepted;
    private boolean ready;
    private boolean ended;
    private GroupExport groups;
    private long sent;
    private long bytes;

    Pending(BlockRef block) {
      this.block = block;
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
    PeerConnection.Source<GroupStream> peer;
    Pending pending = new Pending(block);
    synchronized (this) {
      peer = noted.remove(block);
      if (peer == null || closed || offers.size() >= MAX_OFFERS) {
        return;
      }
      if (offers.putIfAbsent(block, pending) != null) {
        return;
      }
    }
    timer.after(PATIENCE_NANOS, () -> expire(pending));
    execute(pending, () -> connect(pending, peer));
  }

  private void execute(Pending pending, Runnable task) {
    boolean begun = false;
    try {
      threads.execute(task);
      begun = true;
    } catch (RejectedExecutionException e) {
      LOG.debug("No thread to offer groups of {}", pending.block, e);
    } finally {
      if (!begun) {
        end(pending);
      }
    }
  }

  private synchronized boolean isWaiting(Pending pending) {
    return !pending.ready;
  }

  private void expire(Pending pending) {
    if (isWaiting(pending)) {
      end(pending);
    }
  }

  private void connect(Pending pending, PeerConnection.Source<GroupStream> peer) {
    boolean waits = false;
    try {
      pending.offer = stores.offer(pending.block, introductions.newChallenge());
      waits = pending.offer != null && isAccepted(pending, peer.connect());
    } catch (IOException | RuntimeException | LinkageError e) {
      failed(pending, e);
    } finally {
      if (!waits) {
        end(pending);
      }
    }
    boolean ready;
    synchronized (this) {
      pending.accepted = waits;
      ready = pending.ready;
    }
    if (waits && ready) {
      send(pending);
    }
  }

  private boolean isAccepted(Pending pending, PeerConnection<GroupStream> connection)
      throws IOException {
    synchronized (this) {
      if (!pending.ended) {
        pending.connection = connection;
      }
    }
    if (pending.connection == null) {
      closeQuietly(connection);
      return false;
    }
    connection.stream().offer(pending.offer);
    byte[] granted =
        introductions.introduce(connection.stream(), pending.block.poolId(), connection.address());
    if (granted == null) {
      counters.offerFailed();
      return false;
    }
    introductions.checkAccepted(
        GroupStream.proof(granted),
        pending.block.poolId(),
        pending.offer.challenge(),
        connection.address());
    return true;
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
      ready(block, groups);
    }
  }

  /**
   * A block was reduced here.
   *
   * @param groups those that it added to its store; null if there are none
   */
  public void reduced(BlockRef block, GroupExport groups) {
    ready(block, groups);
  }

  private void ready(BlockRef block, GroupExport groups) {
    Pending pending;
    synchronized (this) {
      pending = offers.get(block);
      if (pending == null || pending.ready) {
        return;
      }
      pending.groups = groups;
      pending.ready = true;
      if (!pending.accepted) {
        return;
      }
    }
    execute(pending, () -> send(pending));
  }

  /** A block stays plain here, or is not the same any more. */
  public void dropped(BlockRef block) {
    Pending pending;
    synchronized (this) {
      pending = offers.get(block);
    }
    if (pending != null) {
      end(pending);
    }
  }

  private void send(Pending pending) {
    timer.after(PATIENCE_NANOS, () -> end(pending));
    try (Closeable use = stores.use(pending.offer)) {
      if (use != null && pending.groups != null) {
        send(pending, pending.groups);
      }
      counters.offered(pending.sent, pending.bytes);
    } catch (IOException | RuntimeException | LinkageError e) {
      failed(pending, e);
    } finally {
      end(pending);
    }
  }

  private static void send(Pending pending, GroupExport groups) throws IOException {
    GroupStream stream = pending.connection.stream();
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
          pending.sent++;
          pending.bytes += content.remaining();
          stream.group(content);
        }
      }
    }
    stream.flush();
  }

  private void end(Pending pending) {
    PeerConnection<GroupStream> connection;
    synchronized (this) {
      if (pending.ended) {
        return;
      }
      pending.ended = true;
      offers.remove(pending.block, pending);
      connection = pending.connection;
    }
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

  /** The number of offers under way. */
  synchronized int size() {
    return offers.size();
  }

  @Override
  public void close() {
    List<Pending> left;
    synchronized (this) {
      closed = true;
      left = offers.isEmpty() ? Collections.emptyList() : new ArrayList<>(offers.values());
    }
    left.forEach(this::end);
  }
}
