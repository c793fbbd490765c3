/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode.wire;

import io.hdrf.wire.Capabilities;
import io.hdrf.wire.CorruptWireException;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What other DataNodes can receive, found by asking each once and remembered for a while.
 * Thread-safe.
 */
final class PeerDirectory {

  private static final Logger LOG = LoggerFactory.getLogger(PeerDirectory.class);

  /** For how long a peer that did not answer in time is left in peace. */
  private static final long RETRY_NANOS = TimeUnit.SECONDS.toNanos(30);

  /** Asks a peer. */
  interface Probe {
    /**
     * Returns the answer.
     *
     * @throws EOFException or {@link SocketException} if the peer closes the connection, as stock
     *     HDFS does
     */
    Capabilities ask() throws IOException;
  }

  /** An answer. */
  private static final class Entry {
    private Capabilities capabilities;
    private boolean answered;
    private long until;
  }

  private final long expiryNanos;
  private final Map<InetSocketAddress, Entry> entries = new ConcurrentHashMap<>();

  PeerDirectory(long expiryNanos) {
    this.expiryNanos = expiryNanos;
  }

  /**
   * What a peer can receive; one thread asks it, others wait for the answer.
   *
   * @return null if it did not answer
   */
  Capabilities of(InetSocketAddress address, Probe probe) {
    Entry entry = entries.computeIfAbsent(address, key -> new Entry());
    synchronized (entry) {
      if (entry.until == 0 || System.nanoTime() - entry.until > 0) {
        ask(address, probe, entry);
      }
      return entry.answered ? entry.capabilities : null;
    }
  }

  private void ask(InetSocketAddress address, Probe probe, Entry entry) {
    long lasts = expiryNanos;
    try {
      entry.capabilities = probe.ask();
      entry.answered = true;
    } catch (SocketTimeoutException e) {
      LOG.info("{} did not say whether it has HDRF; blocks go there plain for now", address, e);
      entry.answered = false;
      lasts = RETRY_NANOS;
    } catch (EOFException | SocketException | CorruptWireException e) {
      LOG.info("{} is a DataNode without HDRF; blocks go there plain", address);
      LOG.debug("It answered", e);
      entry.capabilities = Capabilities.none();
      entry.answered = true;
    } catch (IOException e) {
      LOG.info("{} can't be asked whether it has HDRF; blocks go there plain for now", address, e);
      entry.answered = false;
      lasts = RETRY_NANOS;
    }
    entry.until = System.nanoTime() + lasts;
    if (entry.until == 0) {
      entry.until = 1;
    }
    LOG.debug("{}: {}", address, entry.capabilities);
  }

  /** A connection broke: the peer may not be what it was. */
  void forget(InetSocketAddress address) {
    entries.remove(address);
  }
}
