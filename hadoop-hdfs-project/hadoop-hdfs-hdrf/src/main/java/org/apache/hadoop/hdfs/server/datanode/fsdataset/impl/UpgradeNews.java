/* SPDX-License-Identifier: Apache-2.0 */
package org.apache.hadoop.hdfs.server.datanode.fsdataset.impl;

import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Knows of which block pools the active NameNode has said whether a rolling upgrade is open. A
 * DataNode that was down when one began learns of it from the answer to a heartbeat.
 *
 * <p>A thread of the DataNode for each NameNode sends heartbeats and acts on the answers. It notes
 * which NameNode is active, and acts on the rest of that answer next. So the answer has been acted
 * on when a thread sends two heartbeats after there is an active NameNode: it is the same thread,
 * or the interval between heartbeats has passed. Thread-safe.
 */
final class UpgradeNews {

  /** By pool: the threads that sent a heartbeat after there was an active NameNode. */
  private final Map<String, Set<Thread>> senders = new ConcurrentHashMap<>();

  private final Set<String> told = ConcurrentHashMap.newKeySet();

  /**
   * Notes that the calling thread is about to send a heartbeat after there was an active NameNode.
   *
   * @return whether the pool {@link #isTold} from now on, and was not before
   */
  boolean heartbeat(String poolId) {
    if (told.contains(poolId)
        || senders
            .computeIfAbsent(poolId, pool -> ConcurrentHashMap.newKeySet())
            .add(Thread.currentThread())) {
      return false;
    }
    senders.remove(poolId);
    return told.add(poolId);
  }

  boolean isTold(String poolId) {
    return told.contains(poolId);
  }

  void forget(String poolId) {
    senders.remove(poolId);
    told.remove(poolId);
  }
}
