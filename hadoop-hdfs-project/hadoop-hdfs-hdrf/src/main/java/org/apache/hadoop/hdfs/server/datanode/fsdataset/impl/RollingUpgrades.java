/* SPDX-License-Identifier: Apache-2.0 */
package org.apache.hadoop.hdfs.server.datanode.fsdataset.impl;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;

/**
 * What active NameNodes have said of rolling upgrades since the DataNode started. The marker that
 * stock code keeps on volumes is not believed: it is missing where an upgrade began while the
 * DataNode was down, and stays after a rollback, or where the DataNode was cut off at the end.
 * Thread-safe.
 */
final class RollingUpgrades {

  /** In the place of a transaction: none is open. */
  private static final long NONE = Long.MAX_VALUE;

  /** By pool, the NameNode's transaction at which one was said to be open the last time. */
  private final Map<String, Long> open = new ConcurrentHashMap<>();

  /** Returns whether one may be open, which it may until a NameNode says otherwise. */
  boolean mayBeOpen(String poolId) {
    return open.getOrDefault(poolId, 0L) != NONE;
  }

  /**
   * Called when a NameNode has said that one is open.
   *
   * @param transaction tells the last one that an active NameNode has named. It is asked while no
   *     other thread can note an earlier one
   */
  void opened(String poolId, LongSupplier transaction) {
    open.compute(poolId, (pool, before) -> transaction.getAsLong());
  }

  /**
   * Called when a NameNode has said that the last one is finalized, which it repeats in each answer
   * until it is restarted.
   *
   * @return whether this is news
   */
  boolean closed(String poolId) {
    Long before = open.put(poolId, NONE);
    return before == null || before != NONE;
  }

  /**
   * Called when an active NameNode's answer has been handled: an answer says nothing of an upgrade
   * where there is none. One that names a later transaction than the last that said of an open one
   * did not say so.
   *
   * @return whether it is news that none is open
   */
  boolean answered(String poolId, long transaction) {
    Long said = open.putIfAbsent(poolId, NONE);
    return said == null || (transaction > said && open.replace(poolId, said, NONE));
  }

  void forget(String poolId) {
    open.remove(poolId);
  }
}
