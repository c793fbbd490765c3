/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.client;

import io.hdrf.block.BlockRef;
import io.hdrf.client.DataNodeConnection.Descriptors;
import io.hdrf.conf.HdrfKeys;
import io.hdrf.read.FrameReads;
import io.hdrf.reduce.ReducerCounters;
import io.hdrf.spi.io.BufferPool;
import java.io.IOException;
import java.nio.file.Paths;
import java.util.Map;
import java.util.Optional;
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

  /** How long a DataNode, or a block pool of one, that does not answer is left alone. */
  private static final long PAUSE_NANOS = TimeUnit.MINUTES.toNanos(10);

  private static final int FRAME_CACHE = 8 << 20;
  private static final int AHEAD_THREADS = 2;
  private static final int IDLE_BUFFERS = 8 << 20;

  private static final class Holder {
    static final LocalBlocks SHARED = new LocalBlocks();
  }

  private final LocalReplicaCache replicas = new LocalReplicaCache();
  private final Map<String, Optional<ClientSchemes>> schemes = new ConcurrentHashMap<>();

  /** When a socket, or a block pool there, may be asked again. */
  private final Map<String, Long> paused = new ConcurrentHashMap<>();

  private final BufferPool buffers = new BufferPool(IDLE_BUFFERS);

  /** Apart, so that no reader who verifies gets cached frames that were not verified. */
  private final FrameReads verified = frameReads();

  private final FrameReads unverified = frameReads();

  private LocalBlocks() {}

  static LocalBlocks shared() {
    return Holder.SHARED;
  }

  private FrameReads frameReads() {
    return new FrameReads(
        FRAME_CACHE,
        AHEAD_THREADS,
        buffers,
        new ReducerCounters(),
        (block, failure) ->
            new IOException(block.name() + " can't be decoded here: " + failure, failure));
  }

  /**
   * Opens a block for reading.
   *
   * @return null where it can't be decoded here
   */
  ReplicaAccessor open(ReadRequest request) throws IOException {
    String pool = request.socketPath + '\n' + request.block.getBlockPoolId();
    String key =
        pool + '\n' + request.block.getBlockId() + '\n' + request.block.getGenerationStamp();
    if (replicas.isAbsent(key)) {
      return null;
    }
    LocalReplica replica = replicas.acquire(key);
    if (replica == null) {
      if (isPaused(request.socketPath) || isPaused(pool)) {
        return null;
      }
      replica = ask(request, key, pool);
      if (replica == null) {
        return null;
      }
    }
    if (request.verifyChecksum && !replica.isVerifiable()) {
      replica.release();
      return null;
    }
    return new LocalAccessor(
        request,
        replica,
        request.verifyChecksum ? verified : unverified,
        broken -> {
          if (broken.isOpen() && !isInterrupted()) {
            replicas.putAbsent(key, BROKEN_MILLIS);
          }
          replicas.remove(key, broken);
        });
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
      if (replica == null) {
        if (!isInterrupted()) {
          replicas.putAbsent(key, ABSENT_MILLIS);
        }
        return null;
      }
      Configuration conf = request.configuration;
      replicas.put(
          key,
          replica,
          conf.getInt(CACHE_SIZE, DEFAULT_CACHE_SIZE),
          conf.getLong(CACHE_EXPIRY, DEFAULT_CACHE_EXPIRY));
      return replica;
    }
  }

  private LocalReplica replica(ReadRequest request, Descriptors passed) throws IOException {
    LocalReplica replica = null;
    try {
      Optional<ClientSchemes> installed = schemes(request.configuration);
      if (installed.isPresent()) {
        BlockRef ref = new BlockRef(request.block.getBlockPoolId(), request.block.getBlockId());
        replica = LocalReplica.open(ref, passed.data, passed.meta, installed.get());
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

  private Optional<ClientSchemes> schemes(Configuration configuration) {
    String directory = configuration.getTrimmed(HdrfKeys.PLUGINS_DIR, "");
    return schemes.computeIfAbsent(directory, name -> load(name, configuration));
  }

  private static Optional<ClientSchemes> load(String directory, Configuration configuration) {
    if (directory.isEmpty()) {
      return Optional.empty();
    }
    try {
      return Optional.of(new ClientSchemes(Paths.get(directory), configuration));
    } catch (IOException | RuntimeException | LinkageError e) {
      LOG.debug("No schemes in {}: nothing is decoded here", directory, e);
      return Optional.empty();
    }
  }

  private void pause(String what) {
    if (isInterrupted()) {
      return;
    }
    paused.put(what, System.nanoTime() + PAUSE_NANOS);
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
