/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode.mirror;

import io.hdrf.datanode.mirror.LinkChoice.Form;
import io.hdrf.wire.Capabilities;
import java.io.EOFException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.NoRouteToHostException;
import java.net.SocketException;
import java.util.Collections;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The capabilities of other DataNodes, found by asking each once and remembered for a while.
 * Thread-safe.
 */
final class PeerDirectory {

  private static final Logger LOG = LoggerFactory.getLogger(PeerDirectory.class);

  /** The time for which a peer that did not answer is not asked again. */
  static final long RETRY_NANOS = TimeUnit.SECONDS.toNanos(30);

  /** More than most clusters have; clients name the DataNodes of their pipelines themselves. */
  static final int MAX_PEERS = 8 << 10;

  /** The time for which a peer gets no references after a stream with references broke. */
  private static final long PENALTY_NANOS = TimeUnit.MINUTES.toNanos(1);

  /** Asks a peer. */
  interface Probe {
    /**
     * Returns the answer.
     *
     * @throws EOFException or {@link SocketException} if the peer closes the connection without an
     *     answer, as stock HDFS does, but also a DataNode with too many connections
     */
    Capabilities ask() throws IOException;
  }

  /** An answer. */
  private static final class Entry {
    private Capabilities capabilities;
    private boolean answered;
    private long until;

    /** The time for which the peer was taken for one without HDRF last; 0 if it was not. */
    private long leftFor;
  }

  private final long expiryNanos;
  private final Map<InetSocketAddress, Entry> entries = boundedMap();

  /** The times until which the next streams do without references. */
  private final Map<InetSocketAddress, Long> penalties = boundedMap();

  /** How blocks go to peers that store the frames that come, and to others. */
  private final Map<Form, Map<InetSocketAddress, LinkChoice>> choices = new EnumMap<>(Form.class);

  private final LongSupplier nanoTime;

  /**
   * @param expiryNanos for how long an answer is remembered
   */
  PeerDirectory(long expiryNanos) {
    this(expiryNanos, System::nanoTime);
  }

  PeerDirectory(long expiryNanos, LongSupplier nanoTime) {
    this.expiryNanos = expiryNanos;
    this.nanoTime = nanoTime;
    for (Form form : Form.values()) {
      choices.put(form, boundedMap());
    }
  }

  /** Returns a map that forgets the entries that were not used for longest. */
  private static <V> Map<InetSocketAddress, V> boundedMap() {
    return Collections.synchronizedMap(
        new LinkedHashMap<InetSocketAddress, V>(16, 0.75f, true) {
          private static final long serialVersionUID = 1L;

          @Override
          protected boolean removeEldestEntry(Map.Entry<InetSocketAddress, V> eldest) {
            return size() > MAX_PEERS;
          }
        });
  }

  /**
   * Returns the capabilities of a peer; one thread asks it, others wait for the answer.
   *
   * @return null if it did not answer
   */
  Capabilities of(InetSocketAddress address, Probe probe) {
    Entry entry = entries.computeIfAbsent(address, key -> new Entry());
    synchronized (entry) {
      if (entry.until == 0 || nanoTime.getAsLong() - entry.until > 0) {
        ask(address, probe, entry);
      }
      return entry.answered ? entry.capabilities : null;
    }
  }

  private void ask(InetSocketAddress address, Probe probe, Entry entry) {
    long lasts;
    try {
      entry.capabilities = probe.ask();
      entry.answered = true;
      entry.leftFor = 0;
      lasts = expiryNanos;
    } catch (ConnectException | NoRouteToHostException e) {
      lasts = unanswered(address, entry, e);
    } catch (EOFException | SocketException e) {
      lasts = closed(address, entry, e);
    } catch (IOException e) {
      lasts = unanswered(address, entry, e);
    }
    entry.until = nanoTime.getAsLong() + lasts;
    if (entry.until == 0) {
      entry.until = 1;
    }
    LOG.debug("{}: {}", address, entry.capabilities);
  }

  private static long unanswered(InetSocketAddress address, Entry entry, IOException e) {
    LOG.info("{} did not say whether it has HDRF; blocks go there plain for now", address, e);
    entry.answered = false;
    return RETRY_NANOS;
  }

  /** A busy peer is asked again soon; a stock one, less and less often. */
  private long closed(InetSocketAddress address, Entry entry, IOException e) {
    LOG.info("{} is a DataNode without HDRF, or busy; blocks go there plain", address);
    LOG.debug("It closed the connection", e);
    entry.capabilities = Capabilities.none();
    entry.answered = true;
    entry.leftFor = Math.min(expiryNanos, Math.max(RETRY_NANOS, 2 * entry.leftFor));
    return entry.leftFor;
  }

  /**
   * Returns how blocks go to a peer; what was measured outlasts {@link #forget}.
   *
   * @param cheaper the form that is used where the link does not decide
   */
  LinkChoice choice(InetSocketAddress address, Form cheaper, Function<Form, LinkChoice> maker) {
    return choices.get(cheaper).computeIfAbsent(address, key -> maker.apply(cheaper));
  }

  /** A connection broke: the peer may not be what it was. */
  void forget(InetSocketAddress address) {
    entries.remove(address);
  }

  /** A stream with references did not end well: the next ones do without for a while. */
  void penalize(InetSocketAddress address) {
    penalties.put(address, nanoTime.getAsLong() + PENALTY_NANOS);
  }

  boolean isPenalized(InetSocketAddress address) {
    Long until = penalties.get(address);
    if (until != null && until - nanoTime.getAsLong() < 0) {
      penalties.remove(address, until);
      return false;
    }
    return until != null;
  }
}
