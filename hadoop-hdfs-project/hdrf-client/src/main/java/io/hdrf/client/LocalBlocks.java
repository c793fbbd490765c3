/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.client;

import io.hdrf.block.BlockRef;
import io.hdrf.client.DataNodeConnection.Descriptors;
import io.hdrf.conf.HdrfKeys;
import io.hdrf.read.FrameReads;
import io.hdrf.spi.io.BufferPool;
import java.io.IOException;
import java.nio.file.Paths;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.ReplicaAccessor;
import org.apache.hadoop.security.AccessControlException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What all local reads of a process share: open replicas, schemes, buffers, threads that decode
 * ahead, and what not to ask for. Thread-safe.
 */
final class LocalBlocks {

  private static final Logger LOG = LoggerFactory.getLogger(LocalBlocks.class);

  /** As for stock HDFS's own short-circuit readers. */
  private static final String CACHE_SIZE = "dfs.client.read.shortcircuit.streams.cache.size";

  private static final int DEFAULT_CACHE_SIZE = 256;
  private static final String CACHE_EXPIRY = "dfs.client.read.shortcircuit.streams.cache.expiry.ms";
  private static final long DEFAULT_CACHE_EXPIRY = 300_000;

  /** How long a block that is plain or elsewhere is not asked for again: it may be reduced soon. */
  private static final long ABSENT_MILLIS = 10_000;

  /**
   * How long a block that could not be decoded here is left to other readers: they fail over to
   * other DataNodes, which this class can't, and tell the NameNode whose replica is damaged.
   */
  private static final long BROKEN_MILLIS = 600_000;

  /** How long what does not answer, and schemes that can't be loaded, are left alone. */
  private static final long PAUSE_NANOS = TimeUnit.MINUTES.toNanos(10);

  private static final int FRAME_CACHE = 8 << 20;
  private static final int AHEAD_THREADS = 2;
  private static final int IDLE_BUFFERS = 8 << 20;

  private static final class Holder {
    static final LocalBlocks SHARED = new LocalBlocks(PAUSE_NANOS);
  }

  private final LocalReplicaCache replicas = new LocalReplicaCache();

  /** Those that were loaded, by their directory. */
  private final Map<String, ClientSchemes> schemes = new ConcurrentHashMap<>();

  /** When a socket, a block pool there, or a directory of schemes, may be tried again. */
  private final Map<String, Long> paused = new ConcurrentHashMap<>();

  /** When what has not ended began, opening or a read; of clients that hedge alone. */
  private final Map<ReadRequest, Long> underWay = new ConcurrentHashMap<>();

  private final long pauseNanos;

  private final FrameReads reads =
      new FrameReads(
          FRAME_CACHE,
          AHEAD_THREADS,
          new BufferPool(IDLE_BUFFERS),
          (block, failure) ->
              new IOException(block.name() + " can't be decoded here: " + failure, failure));

  /**
   * @param pauseNanos how long what failed is left alone
   */
  LocalBlocks(long pauseNanos) {
    this.pauseNanos = pauseNanos;
  }

  static LocalBlocks shared() {
    return Holder.SHARED;
  }

  /**
   * Opens a block for reading.
   *
   * @return null where it can't be decoded here
   */
  ReplicaAccessor open(ReadRequest request) throws IOException {
    String key = request.replica();
    if (replicas.isAbsent(key) || isSlow(request, key)) {
      return null;
    }
    begins(request);
    try {
      return open(request, key);
    } finally {
      ended(request);
    }
  }

  private ReplicaAccessor open(ReadRequest request, String key) throws IOException {
    String pool = request.pool();
    LocalReplica kept = replicas.acquire(key);
    if (kept == null && (isPaused(request.socketPath) || isPaused(pool))) {
      return null;
    }
    LocalReplica replica = kept == null ? ask(request, key, pool) : kept;
    if (replica == null) {
      return null;
    }
    boolean handedOver = false;
    try {
      if (kept == null) {
        keep(key, replica, request.configuration);
      }
      if (request.verifyChecksum && !replica.isVerifiable()) {
        return null;
      }
      LocalAccessor accessor = new LocalAccessor(request, replica, reads, this);
      handedOver = true;
      return accessor;
    } finally {
      if (!handedOver) {
        replica.release();
      }
    }
  }

  private void keep(String key, LocalReplica replica, Configuration conf) {
    replicas.put(
        key,
        replica,
        conf.getInt(CACHE_SIZE, DEFAULT_CACHE_SIZE),
        conf.getLong(CACHE_EXPIRY, DEFAULT_CACHE_EXPIRY));
  }

  /**
   * Whether somebody waits for the replica already so long that this may be the same read, sent to
   * another DataNode. It goes there then: the disk may hang.
   */
  private boolean isSlow(ReadRequest request, String key) {
    if (!request.isHedged()) {
      return false;
    }
    long now = System.nanoTime();
    for (Map.Entry<ReadRequest, Long> other : underWay.entrySet()) {
      if (now - other.getValue() >= request.patienceNanos && other.getKey().replica().equals(key)) {
        return true;
      }
    }
    return false;
  }

  /** Is told before a read; {@link #ended} is called once for each. */
  void begins(ReadRequest request) {
    if (request.isHedged()) {
      underWay.put(request, System.nanoTime());
    }
  }

  void ended(ReadRequest request) {
    underWay.remove(request);
  }

  /** Is told of a replica that can't be decoded here. */
  void broken(ReadRequest request, LocalReplica replica) {
    String key = request.replica();
    if (replica.isOpen() && !isInterrupted()) {
      replicas.putAbsent(key, BROKEN_MILLIS);
    }
    replicas.remove(key, replica);
  }

  /** The replica, with the caller as a user, or null if it can't be decoded here. */
  private LocalReplica ask(ReadRequest request, String key, String pool) throws IOException {
    DataNodeConnection connection;
    try {
      connection = new DataNodeConnection(request.socketPath);
    } catch (IOException e) {
      pause(request.socketPath);
      throw e;
    }
    try (DataNodeConnection closed = connection) {
      Descriptors descriptors;
      try {
        descriptors = connection.request(request);
      } catch (AccessControlException e) {
        // Another reader of this process may have the right.
        throw e;
      } catch (IOException e) {
        // As where the DataNode does not serve the block pool.
        pause(pool);
        throw e;
      }
      LocalReplica replica = descriptors == null ? null : replica(request, descriptors);
      if (replica == null && !isInterrupted()) {
        replicas.putAbsent(key, ABSENT_MILLIS);
      }
      return replica;
    }
  }

  private LocalReplica replica(ReadRequest request, Descriptors passed) throws IOException {
    LocalReplica replica = null;
    try {
      ClientSchemes installed = schemes(request.configuration);
      if (installed != null) {
        BlockRef ref = new BlockRef(request.block.getBlockPoolId(), request.block.getBlockId());
        replica = LocalReplica.open(ref, passed.data, passed.meta, installed);
      }
    } catch (IOException | RuntimeException | LinkageError e) {
      LOG.debug("{} can't be decoded here", request, e);
    } finally {
      if (replica == null) {
        passed.data.close();
        passed.meta.close();
      }
    }
    return replica;
  }

  /** The schemes of the client's plug-in directory, or null if they can't be had now. */
  ClientSchemes schemes(Configuration configuration) {
    return schemes.computeIfAbsent(
        configuration.getTrimmed(HdrfKeys.PLUGINS_DIR, ""), name -> load(name, configuration));
  }

  private ClientSchemes load(String directory, Configuration configuration) {
    if (directory.isEmpty() || isPaused(directory)) {
      return null;
    }
    try {
      return new ClientSchemes(Paths.get(directory), configuration);
    } catch (IOException | RuntimeException | LinkageError e) {
      LOG.debug("No schemes in {}: nothing is decoded here", directory, e);
      pause(directory);
      return null;
    }
  }

  private void pause(String what) {
    if (isInterrupted()) {
      return;
    }
    paused.put(what, System.nanoTime() + pauseNanos);
  }

  /** Then nothing can be read, which says nothing of the DataNode or the block. */
  private static boolean isInterrupted() {
    return Thread.currentThread().isInterrupted();
  }

  private boolean isPaused(String what) {
    Long until = paused.get(what);
    return until != null && System.nanoTime() - until < 0;
  }
}
