/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.cli;

import io.hdrf.admin.BlockSum;
import io.hdrf.admin.StoreBytes;
import io.hdrf.metadata.BlockRecord;
import java.io.Closeable;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Semaphore;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.ipc.RetriableException;

/**
 * Asks DataNodes how their replicas are stored, many at a time: for each DataNode a batch is
 * collected, and asked on a pool of threads when it is full, one at a time. Memory: one batch for
 * each DataNode and those that are being asked; a caller who is faster than the DataNodes waits.
 * Connections: one for each thread. A DataNode that fails once is not asked again. {@link #add} and
 * {@link #finish} are for one thread.
 */
final class ReplicaQuestions implements Closeable {
  private static final int BATCH = 2_000;

  /** How often, and after which pause, a DataNode is asked again that is too busy just then. */
  private static final int TRIES = 10;

  private static final long PAUSE_MILLIS = 200;

  private final int timeoutMillis;
  private final Function<DatanodeInfo, RecordTarget.Address> addresses;
  private final ExecutorService pool;

  /** A permit for each batch that may be asked, or wait for that. */
  private final Semaphore room;

  private final int maxUnderWay;
  private final Map<String, Node> nodes = new HashMap<>();

  /**
   * @param parallel how many DataNodes are asked at a time
   * @param timeoutMillis for each question
   */
  ReplicaQuestions(
      int parallel, int timeoutMillis, Function<DatanodeInfo, RecordTarget.Address> addresses) {
    this.timeoutMillis = timeoutMillis;
    this.addresses = addresses;
    this.pool = Parallel.pool(parallel);
    this.maxUnderWay = 2 * parallel;
    this.room = new Semaphore(maxUnderWay);
  }

  /** What a storage's replicas take. Its node's lock protects it. */
  static final class Storage {
    private final String type;
    private final Map<List<Integer>, BlockSum> chains = new HashMap<>();
    private BlockSum unknown = BlockSum.NONE;

    private Storage(String type) {
      this.type = type;
    }

    /** Returns the storage type. */
    String type() {
      return type;
    }

    /** Returns the sums by the ids of the schemes, none of plain replicas. */
    Map<List<Integer>, BlockSum> chains() {
      return chains;
    }

    /** Returns the sum of those of which the DataNode said nothing. */
    BlockSum unknown() {
      return unknown;
    }
  }

  /** A DataNode. */
  final class Node {
    private final RecordTarget.Address address;

    /** By storage id and pool id. */
    private final Map<String, Storage> storages = new HashMap<>();

    private Batch batch = new Batch();

    /** Those that wait while one is asked. */
    private final Deque<Batch> waiting = new ArrayDeque<>();

    private boolean asking;
    private String failure = "";
    private boolean withoutHdrf;

    private Node(RecordTarget.Address address) {
      this.address = address;
    }

    RecordTarget.Address address() {
      return address;
    }

    /** Returns why it does not answer; empty if it does. */
    synchronized String failure() {
      return failure;
    }

    /** Returns the ids of the schemes of all of its replicas. Call after {@link #finish}. */
    synchronized Set<List<Integer>> chains() {
      return storages.values().stream()
          .flatMap(storage -> storage.chains.keySet().stream())
          .collect(Collectors.toSet());
    }

    /** Returns its storages by storage id, tab and pool id. Call after {@link #finish}. */
    synchronized Map<String, Storage> storages() {
      return storages;
    }

    private synchronized Storage storage(LocatedReplica replica) {
      return storages.computeIfAbsent(
          StoreBytes.key(replica.storageId(), replica.poolId()),
          key -> new Storage(String.valueOf(replica.storageType())));
    }

    /** Returns whether the batch can be asked now; if not, {@link #next} will give it. */
    private synchronized boolean begin(Batch full) {
      if (asking) {
        waiting.add(full);
        return false;
      }
      asking = true;
      return true;
    }

    /** Ends a batch; returns the next one to ask, or null. */
    private synchronized Batch next() {
      Batch next = waiting.poll();
      asking = next != null;
      return next;
    }

    private synchronized boolean isAnswering() {
      return failure.isEmpty() && !withoutHdrf;
    }

    /**
     * Asks a batch and those that come to wait meanwhile, over one connection. Without the lock:
     * the walk takes it for each replica.
     */
    private void ask(Batch first) {
      RunningDataNode connection = null;
      for (Batch asked = first; asked != null; asked = next()) {
        try {
          Map<Long, BlockRecord> found = Map.of();
          if (isAnswering()) {
            try {
              connection = connection == null ? address.connect(timeoutMillis) : connection;
              found = answer(connection, asked);
            } catch (Throwable e) {
              fail(e);
            }
          }
          merge(asked, found);
        } catch (Throwable e) {
          fail(e);
        } finally {
          room.release();
        }
      }
      if (connection != null) {
        connection.close();
      }
    }

    private synchronized void fail(Throwable why) {
      withoutHdrf = why instanceof IOException && NodeReport.isWithoutHdrf((IOException) why);
      failure = withoutHdrf ? "" : Main.message(why);
    }

    private synchronized void merge(Batch asked, Map<Long, BlockRecord> found) {
      for (int i = 0; i < asked.count; i++) {
        BlockRecord record =
            withoutHdrf
                ? BlockRecord.plain(asked.lengths[i], BlockRecord.NO_REASON, 0, 0)
                : found.get(asked.ids[i]);
        add(asked.storages[i], record, asked.lengths[i]);
      }
    }

    private void add(Storage storage, BlockRecord record, long length) {
      if (record == null) {
        storage.unknown = storage.unknown.plus(new BlockSum(1, length, length));
        return;
      }
      List<Integer> chain = new ArrayList<>();
      for (int id : record.chain()) {
        chain.add(id);
      }
      storage.chains.merge(
          chain, new BlockSum(1, record.logicalLength(), record.physicalLength()), BlockSum::plus);
    }

    private Map<Long, BlockRecord> answer(RunningDataNode connection, Batch asked)
        throws IOException {
      for (int attempt = 1; ; attempt++) {
        try {
          return connection.replicas(asked.poolId, asked.ids, asked.count);
        } catch (RetriableException e) {
          if (attempt == TRIES) {
            throw e;
          }
          pause();
        }
      }
    }
  }

  private static void pause() throws InterruptedIOException {
    try {
      Thread.sleep(PAUSE_MILLIS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted");
    }
  }

  /** Replicas of one pool on one DataNode. */
  private static final class Batch {
    private final long[] ids = new long[BATCH];
    private final long[] lengths = new long[BATCH];
    private final Storage[] storages = new Storage[BATCH];
    private String poolId;
    private int count;
  }

  /** Adds a replica. */
  void add(LocatedReplica replica) throws InterruptedIOException {
    Node node =
        nodes.computeIfAbsent(
            replica.node().getDatanodeUuid(), uuid -> new Node(addresses.apply(replica.node())));
    Batch batch = node.batch;
    if (batch.count == BATCH || (batch.count > 0 && !replica.poolId().equals(batch.poolId))) {
      submit(node);
      batch = node.batch;
    }
    batch.poolId = replica.poolId();
    batch.ids[batch.count] = replica.blockId();
    batch.lengths[batch.count] = replica.length();
    batch.storages[batch.count] = node.storage(replica);
    batch.count++;
  }

  private void submit(Node node) throws InterruptedIOException {
    acquire(1);
    Batch full = node.batch;
    node.batch = new Batch();
    if (node.begin(full)) {
      pool.execute(() -> node.ask(full));
    }
  }

  private void acquire(int permits) throws InterruptedIOException {
    try {
      room.acquire(permits);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted");
    }
  }

  /**
   * Asks what has not been asked, and waits for all answers.
   *
   * @return the DataNodes
   */
  Collection<Node> finish() throws InterruptedIOException {
    for (Node node : nodes.values()) {
      if (node.batch.count > 0) {
        submit(node);
      }
    }
    acquire(maxUnderWay);
    room.release(maxUnderWay);
    return nodes.values();
  }

  @Override
  public void close() {
    pool.shutdownNow();
  }
}
