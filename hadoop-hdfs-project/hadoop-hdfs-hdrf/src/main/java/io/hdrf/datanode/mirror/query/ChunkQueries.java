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
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import org.apache.hadoop.hdfs.net.Peer;
import org.apache.hadoop.hdfs.protocol.datatransfer.IOStreamPair;
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

  private final MirrorSettings settings;
  private final Map<String, ChunkFunction> functions;
  private final BiFunction<String, String, ChunkLookup> stores;
  private final WireCounters counters;
  private final ChunkQuerySessions sessions;
  private final Introductions introductions;

  /**
   * @param functions how the schemes whose chunks can be asked for cut and name them
   * @param proofs how DataNodes prove themselves to each other until {@link #setProofs}
   * @param stores looks for chunks in the stores of a scheme on all volumes of a pool
   * @param timer drops what was promised to streams that did not come, and those who do not prove
   *     themselves
   */
  public ChunkQueries(
      MirrorSettings settings,
      Map<String, ChunkFunction> functions,
      BlockKeyProofs proofs,
      BiFunction<String, String, ChunkLookup> stores,
      WireCounters counters,
      Timer timer) {
    this.settings = settings;
    this.functions = functions;
    this.stores = stores;
    this.counters = counters;
    this.introductions = new Introductions(proofs, settings.probeTimeoutMillis(), counters, timer);
    this.sessions = new ChunkQuerySessions(MAX_HELD_PER_STREAM, MAX_HELD, LINGER_NANOS, timer);
  }

  /** Sets how DataNodes prove themselves to each other from now on. */
  public void setProofs(BlockKeyProofs peerProofs) {
    introductions.setProofs(peerProofs);
  }

  /** Returns how DataNodes prove themselves to each other. */
  public Introductions introductions() {
    return introductions;
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

  /**
   * Answers questions until there are no more; the connection carries nothing else.
   *
   * @param streams behind the preamble
   * @param name the other side's, for messages
   */
  public void answer(Peer peer, IOStreamPair streams, String name) throws IOException {
    introductions.hear(
        peer,
        name,
        ASK_TIMEOUT_MILLIS,
        proved -> {
          try (ChunkQueryStream stream = new ChunkQueryStream(streams.in, streams.out)) {
            String address = BlockKeyProofs.address(peer.getLocalAddressString());
            new ChunkQueryServer(this, stream, address, name, proved).serve();
          } catch (IOException e) {
            LOG.debug("{} asks no more", name, e);
          }
        });
  }
}
