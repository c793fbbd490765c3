/* SPDX-License-Identifier: Apache-2.0 */
package org.apache.hadoop.hdfs.server.datanode.fsdataset.impl;

import io.hdrf.datanode.HdrfService;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import org.apache.hadoop.hdfs.server.datanode.ReplicaInfo;

/**
 * Corrects the space used when replicas are deleted: stock code takes off their logical length, of
 * which only the physical part was ever counted. Where the saving of a replica is not known its
 * file is looked at, on the thread that is going to delete it. For one thread.
 */
final class SavedSpace {

  private static final class Entry {
    private final ReplicaInfo replica;
    private final FsVolumeImpl volume;

    /** Null where the saving is known. */
    private final FutureTask<Long> look;

    Entry(ReplicaInfo replica, FutureTask<Long> look) {
      this.replica = replica;
      this.volume = (FsVolumeImpl) replica.getVolume();
      this.look = look;
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

  /**
   * Notes a replica that may be about to be deleted on its volume's own thread, which does one
   * thing after the other; null is ignored.
   */
  void note(ReplicaInfo replica) {
    Entry entry = add(replica);
    if (entry != null && entry.look != null) {
      execute(entry.volume, entry.look);
    }
  }

  /** Notes a replica that may be about to be deleted on this thread; null is ignored. */
  void noteNow(ReplicaInfo replica) {
    Entry entry = add(replica);
    if (entry != null && entry.look != null) {
      entry.look.run();
    }
  }

  private Entry add(ReplicaInfo replica) {
    if (replica == null || !(replica.getVolume() instanceof FsVolumeImpl)) {
      return null;
    }
    FutureTask<Long> look =
        isUnknown(replica) ? new FutureTask<>(() -> service.savedBytes(poolId, replica)) : null;
    Entry entry = new Entry(replica, look);
    entries.add(entry);
    return entry;
  }

  private boolean isUnknown(ReplicaInfo replica) {
    return service.knownSaving(poolId, replica.getBlockId()) == HdrfService.UNKNOWN;
  }

  private void execute(FsVolumeImpl volume, Runnable task) {
    try {
      dataset.asyncDiskService.execute(volume, task);
    } catch (RuntimeException e) {
      FsDatasetImpl.LOG.debug("{} leaves; its use is counted when it comes back", volume, e);
    }
  }

  /** Corrects the volumes of those that have gone, or whose files have. */
  @SuppressWarnings("ReferenceEquality") // an equal replica made meanwhile is another one
  void giveBackWhereGone() {
    for (Entry entry : entries) {
      long blockId = entry.replica.getBlockId();
      if (dataset.volumeMap.get(poolId, blockId) != entry.replica
          || !entry.replica.blockDataExists()) {
        giveBack(entry, service.knownSaving(poolId, blockId));
        service.forget(poolId, blockId);
      }
    }
  }

  private void giveBack(Entry entry, long known) {
    if (known > 0) {
      entry.volume.incDfsUsed(poolId, known);
    } else if (known == HdrfService.UNKNOWN && entry.look != null) {
      if (entry.look.isDone()) {
        giveBackLooked(entry);
      } else {
        execute(entry.volume, () -> giveBackLooked(entry));
      }
    }
  }

  private void giveBackLooked(Entry entry) {
    try {
      entry.volume.incDfsUsed(poolId, entry.look.get());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (ExecutionException e) {
      FsDatasetImpl.LOG.debug("What {} saved is not known; du will tell", entry.replica, e);
    }
  }
}
