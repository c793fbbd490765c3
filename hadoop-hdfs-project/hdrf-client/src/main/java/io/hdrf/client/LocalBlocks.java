/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.client;

import io.hdrf.block.BlockRef;
import io.hdrf.client.DataNodeConnection.Answer;
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
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What all local reads of a process share: open replicas, schemes, buffers, threads that decode
 * ahead, and which DataNodes not to ask. Thread-safe.
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

  /** How long a DataNode that can't be asked is left alone. */
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

  LocalBlocks() {}

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
   * @return null where the DataNode of this host has no such reduced replica, or can't be asked
   */
  ReplicaAccessor open(ReadRequest request) throws IOException {
    String pool = request.socketPath + '\n' + request.block.getBlockPoolId();
    String key =
        pool + '\n' + request.block.getBlockId() + '\n' + request.block.getGenerationStamp();
    LocalReplica cached = replicas.acquire(key);
    if (cached != null) {
      return accessor(request, key, cached, null);
    }
    if (replicas.isAbsent(key) || isPaused(request.socketPath) || isPaused(pool)) {
      return null;
    }
    DataNodeConnection connection;
    try {
      connection = DataNodeConnection.open(request.socketPath, request.socketTimeout());
    } catch (IOException e) {
      pause(request.socketPath);
      throw e;
    }
    boolean handedOver = false;
    try {
      Answer answer;
      try {
        answer = connection.request(request);
      } catch (IOException e) {
        // As a DataNode does that does not serve the block pool.
        pause(pool);
        throw e;
      }
      switch (answer.kind) {
        case PASSED:
          LocalReplica replica = replica(request, answer);
          if (replica != null) {
            Configuration conf = request.configuration;
            replicas.put(
                key,
                replica,
                conf.getInt(CACHE_SIZE, DEFAULT_CACHE_SIZE),
                conf.getLong(CACHE_EXPIRY, DEFAULT_CACHE_EXPIRY));
            return accessor(request, key, replica, null);
          }
          handedOver = true;
          return accessor(request, key, null, connection);
        case STREAM_ALONE:
          handedOver = true;
          return accessor(request, key, null, connection);
        case NOT_REDUCED:
          replicas.putAbsent(key, ABSENT_MILLIS);
          return null;
        default:
          return null;
      }
    } finally {
      if (!handedOver) {
        connection.close();
      }
    }
  }

  private ReplicaAccessor accessor(
      ReadRequest request, String key, LocalReplica replica, DataNodeConnection connection)
      throws IOException {
    if (replica != null && request.verifyChecksum && !replica.isVerifiable()) {
      replica.release();
      return accessor(request, key, null, connection);
    }
    return new LocalAccessor(
        request,
        replica,
        request.verifyChecksum ? verified : unverified,
        new BlockStream(request, connection),
        broken -> replicas.remove(key, broken));
  }

  /** The replica that the DataNode passed, or null if it can't be read here. */
  private LocalReplica replica(ReadRequest request, Answer answer) throws IOException {
    LocalReplica replica = null;
    try {
      Optional<ClientSchemes> installed = schemes(request.configuration);
      if (installed.isPresent()) {
        BlockRef ref = new BlockRef(request.block.getBlockPoolId(), request.block.getBlockId());
        replica = LocalReplica.open(ref, answer.data, answer.meta, installed.get());
      }
    } catch (IOException | RuntimeException | LinkageError e) {
      LOG.debug("The DataNode is to decode {}", request, e);
    } finally {
      if (replica == null) {
        answer.data.close();
        answer.meta.close();
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
      LOG.debug("No schemes in {}: the DataNode decodes all blocks", directory, e);
      return Optional.empty();
    }
  }

  private void pause(String what) {
    paused.put(what, System.nanoTime() + PAUSE_NANOS);
  }

  private boolean isPaused(String what) {
    Long until = paused.get(what);
    return until != null && System.nanoTime() - until < 0;
  }
}
