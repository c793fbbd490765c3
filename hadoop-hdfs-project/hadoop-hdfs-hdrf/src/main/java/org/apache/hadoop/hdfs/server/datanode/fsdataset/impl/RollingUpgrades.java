/* SPDX-License-Identifier: Apache-2.0 */
package org.apache.hadoop.hdfs.server.datanode.fsdataset.impl;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * What active NameNodes have said of rolling upgrades since the DataNode started. The marker that
 * stock code keeps on volumes is not believed: it is missing where an upgrade began while the
 * DataNode was down, and stays after a rollback. Thread-safe.
 */
final class RollingUpgrades {

  private final Map<String, Boolean> open = new ConcurrentHashMap<>();

  /** Returns whether one may be open, which it may until a NameNode says otherwise. */
  boolean mayBeOpen(String poolId) {
    return open.getOrDefault(poolId, true);
  }

  /** Called when a NameNode has said that one is open. */
  void opened(String poolId) {
    open.put(poolId, true);
  }

  /**
   * Called when a NameNode has said that the last one is finalized, which it repeats in each answer
   * until it is restarted.
   *
   * @return whether this is news
   */
  boolean closed(String poolId) {
    return !Boolean.FALSE.equals(open.put(poolId, false));
  }

  /**
   * Called when an active NameNode's answer has been handled. The first one says nothing of an
   * upgrade where there is none. A later one that is silent ends none: the NameNode may have been
   * rolled back.
   *
   * @return whether it is news that none is open
   */
  boolean answered(String poolId) {
    return open.putIfAbsent(poolId, false) == null;
  }

  void forget(String poolId) {
    open.remove(poolId);
  }
}
