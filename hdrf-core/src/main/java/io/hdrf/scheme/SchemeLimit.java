/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.scheme;

import io.hdrf.spi.BadSettingException;
import io.hdrf.spi.PluginSettings;
import io.hdrf.spi.scheme.ReductionScheme;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;

/**
 * How many frames a scheme that limits the blocks in process decodes at once in this process, for
 * all volumes and peers. Whoever has a turn decodes one frame with that scheme and waits for no
 * other turn of it: a turn of a block scheme may wait for one of a frame scheme that its store
 * uses, and never the reverse. Thread-safe.
 */
final class SchemeLimit {

  /** The part of a key behind {@code hdrf.<scheme>.} with which an operator lowers a limit. */
  private static final String MAX_BLOCKS = "max.blocks";

  private static final int MAX_CONFIGURED = 1024;

  /**
   * How long a frame waits. HDFS clients wait for a DataNode for a minute, by default; who asks
   * another one instead must not find its frame decoded here in vain.
   */
  private static final int MAX_WAIT_MILLIS = 25_000;

  private final String scheme;
  private final int limit;
  private final int maxWaitMillis;
  private final Semaphore turns;

  SchemeLimit(String scheme, int limit, int maxWaitMillis) {
    this.scheme = scheme;
    this.limit = limit;
    this.maxWaitMillis = maxWaitMillis;
    this.turns = new Semaphore(limit, true);
  }

  /**
   * Returns the number of blocks that a scheme may have in process, at least 1: the lower one of
   * its own limit and {@code hdrf.<scheme>.max.blocks}.
   */
  static int blocks(ReductionScheme scheme, Configuration configuration)
      throws BadSettingException {
    int configured =
        new PluginSettings(configuration, scheme.name()).getInt(MAX_BLOCKS, 0, 0, MAX_CONFIGURED);
    int own = Math.max(1, scheme.maxConcurrentBlocks());
    return configured == 0 ? own : Math.min(own, configured);
  }

  /**
   * Returns whether decoding with a scheme is limited: if the scheme says so itself. An operator's
   * limit for any other one is for the Reducer, and would make readers of short frames wait.
   */
  static boolean appliesTo(ReductionScheme scheme) {
    return scheme.maxConcurrentBlocks() != Integer.MAX_VALUE;
  }

  static SchemeLimit of(ReductionScheme scheme, Configuration configuration)
      throws BadSettingException {
    return new SchemeLimit(scheme.name(), blocks(scheme, configuration), MAX_WAIT_MILLIS);
  }

  /**
   * Waits for a turn, in the order of the calls; {@link #release} ends it.
   *
   * @throws InterruptedIOException if the thread is interrupted, which it stays
   * @throws IOException if it takes too long
   */
  void acquire() throws IOException {
    try {
      if (!turns.tryAcquire(maxWaitMillis, TimeUnit.MILLISECONDS)) {
        throw new IOException(
            String.format(
                "scheme %s decodes %d frames at a time (hdrf.%s.%s), and had no turn for %d ms",
                scheme, limit, scheme, MAX_BLOCKS, maxWaitMillis));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted before a frame was decoded with " + scheme);
    }
  }

  void release() {
    turns.release();
  }
}
