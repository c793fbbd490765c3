/* SPDX-License-Identifier: Apache-2.0 */
package org.apache.hadoop.hdfs.server.datanode.fsdataset.impl;

import io.hdrf.datanode.HdrfService;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.hdfs.server.datanode.ReplicaInfo;

/**
 * Corrects the space used when replicas are deleted: stock code takes off their logical length, of
 * which only the physical part was ever counted. No I/O. For one thread.
 */
final class SavedSpace {

  private static final class Entry {
    private final ReplicaInfo replica;
    private final FsVolumeImpl volume;
    private final long saved;

    Entry(ReplicaInfo replica, long saved) {
      this.replica = replica;
      this.volume = (FsVolumeImpl) replica.getVolume();
      this.saved = saved;
    }
  }

  private final FsDatasetImpl dataset;
  private final HdrfService service;
  private final String poolId;
  private final List<Entry> entries = new ArrayList<>();

  SavedSpace(FsDatasetImpl dataset, HdrfService service, String poolId) {
    this.dataset = dataset;
    this.service = service;
    this.poolId = poolId;
  }

  /** Notes a replica that may be about to go; null is ignored. */
  void note(ReplicaInfo replica) {
    if (replica == null || replica.getVolume() == null) {
      return;
    }
    entries.add(new Entry(replica, service.knownSaving(poolId, replica.getBlockId())));
  }

  /** Corrects the volumes of those that have gone. */
  @SuppressWarnings("ReferenceEquality") // an equal replica made meanwhile is another one
  void giveBackWhereGone() {
    for (Entry entry : entries) {
      long blockId = entry.replica.getBlockId();
      if (dataset.volumeMap.get(poolId, blockId) != entry.replica) {
        entry.volume.incDfsUsed(poolId, entry.saved);
        service.forget(poolId, blockId);
      }
    }
  }
}
