/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode.mirror.query;

import io.hdrf.conf.MirrorSettings;
import io.hdrf.spi.scheme.ChunkFunction;
import io.hdrf.spi.scheme.ChunkLookup;
import io.hdrf.wire.ChunkQuerySessions;
import io.hdrf.wire.ChunkQueryStream;
import io.hdrf.wire.Timer;
import io.hdrf.wire.WireCounters;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiFunction;
import org.apache.hadoop.hdfs.net.Peer;
import org.apache.hadoop.hdfs.protocol.datatransfer.IOStreamPair;
import org.apache.hadoop.io.IOUtils;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Queries for chunks, to and from one DataNode: what its connections share. Thread-safe. */
public final class ChunkQueries {

  private static final Logger LOG = LoggerFactory.getLogger(ChunkQueries.class);

  /** The most bytes that are held for one stream. */
  private static final long MAX_HELD_PER_STREAM = 8 << 20;

  private static final long MAX_HELD = 128 << 20;

  /** The longest time that a stream with references may be under way. */
  private static final long LINGER_NANOS = TimeUnit.MINUTES.toNanos(1);

  /** The longest pause of a writer before its connection to ask on is given up. */
  private static final int ASK_TIMEOUT_MILLIS = 10 * 60 * 1000;

  /**
   * The longest pause of this DataNode's own writer: less than the other side's patience, so that a
   * session is never thought to be there when its end was lost on the way.
   */
  static final int REST_MILLIS = ASK_TIMEOUT_MILLIS / 2;

  /** The number of peers that may be about to prove themselves; each has a thread. */
  public static final int MAX_STRANGERS = 64;

  private final MirrorSettings settings;
  private final Map<String, ChunkFunction> functions;
  private final BiFunction<String, String, ChunkLookup> stores;
  private final WireCounters counters;
  private final Timer timer;
  private final ChunkQuerySessions sessions;
  private final Semaphore strangers = new Semaphore(MAX_STRANGERS);
  private final AtomicBoolean refusalLogged = new AtomicBoolean();
  private volatile BlockKeyProofs proofs = BlockKeyProofs.UNKNOWN;

  /**
   * @param functions how the schemes whose chunks can be asked for cut and name them
   * @param stores looks for chunks in the stores of a scheme on all volumes of a pool
   * @param timer drops what was promised to streams that did not come, and those who do not prove
   *     themselves
   */
  public ChunkQueries(
      MirrorSettings settings,
      Map<String, ChunkFunction> functions,
      BiFunction<String, String, ChunkLookup> stores,
      WireCounters counters,
      Timer timer) {
    this.settings = settings;
    this.functions = functions;
    this.stores = stores;
    this.counters = counters;
    this.timer = timer;
    this.sessions = new ChunkQuerySessions(MAX_HELD_PER_STREAM, MAX_HELD, LINGER_NANOS, timer);
  }

  /** Sets how DataNodes prove themselves to each other; before, nobody is answered. */
  public void setProofs(BlockKeyProofs peerProofs) {
    proofs = peerProofs;
  }

  BlockKeyProofs proofs() {
    return proofs;
  }

  /**
   * Returns how a scheme cuts chunks and makes their fingerprints; null if they can't be asked for.
   */
  public ChunkFunction function(String scheme) {
    return functions.get(scheme);
  }

  /** The scheme with a dialect, or null. */
  String scheme(long dialect) {
    for (Map.Entry<String, ChunkFunction> entry : functions.entrySet()) {
      if (entry.getValue().dialect() == dialect) {
        return entry.getKey();
      }
    }
    return null;
  }

  /** The dialects in which chunks can be asked for. */
  public List<Long> dialects() {
    List<Long> dialects = new ArrayList<>();
    functions.values().forEach(function -> dialects.add(function.dialect()));
    return dialects;
  }

  /** Returns the sessions in which other DataNodes asked for chunks, which are held for them. */
  public ChunkQuerySessions sessions() {
    return sessions;
  }

  /** Ends the sessions of a pool that is not served any more. */
  public void poolEnded(String poolId) {
    sessions.end(poolId);
  }

  /** Returns whether DataNodes ask each other for chunks. */
  public boolean areEnabled() {
    return settings.isEnabled() && settings.references();
  }

  ChunkLookup chunks(String poolId, String scheme) {
    return stores.apply(poolId, scheme);
  }

  WireCounters counters() {
    return counters;
  }

  int answerTimeoutMillis() {
    return settings.answerTimeoutMillis();
  }

  /** Counts a peer that asked for chunks and is no DataNode. */
  void proofRefused(String peerName, IOException reason) {
    counters.proofRefused();
    if (refusalLogged.compareAndSet(false, true)) {
      LOG.warn(
          "{} asked for chunks and did not prove that it is a DataNode: {}; it got none. Further"
              + " such cases are only counted",
          peerName,
          reason.toString());
    }
  }

  /**
   * Answers questions until there are no more; the connection carries nothing else. Until the other
   * side has proved that it is a DataNode it has little time, and few like it are heard at once. A
   * time-out for each read would let it send a byte now and then for ever, and decryption reads
   * many times before it hands anything on: the connection is closed below them. Closing wakes no
   * thread that waits for the next byte; that one has a time-out.
   *
   * @param streams behind the preamble
   * @param name the other side's, for messages
   */
  public void answer(Peer peer, IOStreamPair streams, String name) throws IOException {
    peer.setReadTimeout(settings.probeTimeoutMillis());
    if (!strangers.tryAcquire()) {
      LOG.debug("Too many who have not proved themselves; {} is not heard", name);
      return;
    }
    AtomicBoolean strange = new AtomicBoolean(true);
    Runnable known =
        () -> {
          if (strange.compareAndSet(true, false)) {
            strangers.release();
          }
        };
    try (ChunkQueryStream stream = new ChunkQueryStream(streams.in, streams.out)) {
      timer.after(
          TimeUnit.MILLISECONDS.toNanos(settings.probeTimeoutMillis()),
          () -> {
            if (strange.get()) {
              IOUtils.cleanupWithLogger(LOG, peer);
            }
          });
      new ChunkQueryServer(
              this,
              stream,
              BlockKeyProofs.address(peer.getLocalAddressString()),
              name,
              () -> {
                peer.setReadTimeout(ASK_TIMEOUT_MILLIS);
                known.run();
              })
          .serve();
    } catch (IOException e) {
      LOG.debug("{} asks no more", name, e);
    } finally {
      known.run();
    }
  }
}
