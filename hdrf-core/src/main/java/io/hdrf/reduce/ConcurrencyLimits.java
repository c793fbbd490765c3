/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.reduce;

import io.hdrf.scheme.SchemeChain;
import io.hdrf.spi.scheme.ReductionScheme;
import java.util.HashMap;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.ToIntFunction;

/**
 * Limits and counts the blocks that each scheme encodes at once in this DataNode ('block queue' of
 * the thesis, 3.3.3). Thread-safe.
 */
final class ConcurrencyLimits {

  private final ToIntFunction<ReductionScheme> limitOf;
  private final Map<String, Integer> limits = new HashMap<>();
  private final SortedMap<String, Integer> inProcess = new TreeMap<>();
  private final SortedMap<String, Integer> waiting = new TreeMap<>();

  /**
   * @param limitOf the limit of a scheme, at least 1; called once for each
   */
  ConcurrencyLimits(ToIntFunction<ReductionScheme> limitOf) {
    this.limitOf = limitOf;
  }

  /** Takes one more block for every scheme of the chain, or for none of them. */
  synchronized boolean tryAcquire(SchemeChain chain) {
    for (ReductionScheme scheme : chain.schemes()) {
      int limit = limits.computeIfAbsent(scheme.name(), name -> limitOf.applyAsInt(scheme));
      if (inProcess.getOrDefault(scheme.name(), 0) >= limit) {
        return false;
      }
    }
    add(inProcess, chain, 1);
    return true;
  }

  /** Waits until every scheme of the chain takes one more block. */
  synchronized void acquire(SchemeChain chain) throws InterruptedException {
    if (tryAcquire(chain)) {
      return;
    }
    add(waiting, chain, 1);
    try {
      do {
        wait();
      } while (!tryAcquire(chain));
    } finally {
      add(waiting, chain, -1);
    }
  }

  synchronized void release(SchemeChain chain) {
    add(inProcess, chain, -1);
    notifyAll();
  }

  /** Counts a block that is parked until the chain's schemes take it. */
  synchronized void beginWait(SchemeChain chain) {
    add(waiting, chain, 1);
  }

  /** Ends one {@link #beginWait}. */
  synchronized void endWait(SchemeChain chain) {
    add(waiting, chain, -1);
  }

  private static void add(Map<String, Integer> counts, SchemeChain chain, int count) {
    for (ReductionScheme scheme : chain.schemes()) {
      counts.merge(scheme.name(), count, Integer::sum);
    }
  }

  /** The number of blocks that each scheme encodes now, by its name; a snapshot. */
  synchronized SortedMap<String, Integer> inProcess() {
    return new TreeMap<>(inProcess);
  }

  /**
   * The number of blocks that wait because of a limit, by each scheme of their chain; a snapshot.
   */
  synchronized SortedMap<String, Integer> waiting() {
    return new TreeMap<>(waiting);
  }
}
