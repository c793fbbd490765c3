/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.reduce;

import io.hdrf.scheme.ReductionScheme;
import io.hdrf.scheme.SchemeChain;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;

/**
 * How many blocks each scheme may encode at once in this DataNode ('block queue' of the thesis,
 * 3.3.3).
 */
final class ConcurrencyLimits {

  private final Map<Integer, Semaphore> permits = new ConcurrentHashMap<>();

  /**
   * Waits until every scheme of the chain takes one more block. Schemes are asked in the order of
   * their ids, so that two chains can't wait for each other.
   */
  void acquire(SchemeChain chain) throws InterruptedException {
    int[] ids = limited(chain);
    int acquired = 0;
    try {
      for (; acquired < ids.length; acquired++) {
        permits.get(ids[acquired]).acquire();
      }
    } catch (InterruptedException e) {
      while (acquired > 0) {
        permits.get(ids[--acquired]).release();
      }
      throw e;
    }
  }

  void release(SchemeChain chain) {
    for (int id : limited(chain)) {
      permits.get(id).release();
    }
  }

  private int[] limited(SchemeChain chain) {
    return chain.schemes().stream()
        .filter(scheme -> scheme.maxConcurrentBlocks() < Integer.MAX_VALUE)
        .peek(this::prepare)
        .mapToInt(ReductionScheme::id)
        .sorted()
        .toArray();
  }

  private void prepare(ReductionScheme scheme) {
    permits.computeIfAbsent(
        scheme.id(), id -> new Semaphore(Math.max(1, scheme.maxConcurrentBlocks())));
  }
}
