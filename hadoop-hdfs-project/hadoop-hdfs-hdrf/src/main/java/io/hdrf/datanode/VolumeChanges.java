/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode;

import io.hdrf.datanode.job.VolumeJobs;
import io.hdrf.datanode.mirror.Mirroring;
import io.hdrf.datanode.replica.BlockOpener;
import io.hdrf.datanode.replica.BlockRecords;
import io.hdrf.datanode.replica.DatasetAccess;
import io.hdrf.datanode.replica.PlainBlockScan;
import io.hdrf.datanode.replica.ReplicaInventory;
import io.hdrf.datanode.volume.DataDirectories;
import io.hdrf.datanode.volume.PoolSlice;
import io.hdrf.datanode.volume.PoolSlices;
import java.io.IOException;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.server.datanode.StorageLocation;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.FsVolumeSpi;

/** Follows pools and volumes that come and go. Thread-safe. */
public final class VolumeChanges {

  private final DatasetAccess dataset;
  private final DataDirectories dataDirectories;
  private final PoolSlices slices;
  private final BlockOpener opener;
  private final BlockRecords records;
  private final Mirroring mirroring;
  private final PlainBlockScan scan;
  private final VolumeJobs jobs;
  private final boolean anyChain;

  /**
   * @param anyChain whether blocks are reduced at all
   */
  VolumeChanges(
      DatasetAccess dataset,
      DataDirectories dataDirectories,
      PoolSlices slices,
      BlockOpener opener,
      BlockRecords records,
      Mirroring mirroring,
      PlainBlockScan scan,
      VolumeJobs jobs,
      boolean anyChain) {
    this.dataset = dataset;
    this.dataDirectories = dataDirectories;
    this.slices = slices;
    this.opener = opener;
    this.records = records;
    this.mirroring = mirroring;
    this.scan = scan;
    this.jobs = jobs;
    this.anyChain = anyChain;
  }

  /**
   * Prepares a pool on a volume before its replicas are known.
   *
   * @return false if there was nothing to do
   * @throws IOException says why the volume must not start
   */
  public boolean openPool(FsVolumeSpi volume, String poolId) throws IOException {
    return !volume.isTransientStorage()
        && volume.getStorageType() != StorageType.PROVIDED
        && slices.open(volume, poolId);
  }

  /**
   * Takes pools out of service again on a volume that is not added after all.
   *
   * @param poolIds for which {@link #openPool} returned true
   */
  public void closePools(FsVolumeSpi volume, List<String> poolIds) {
    poolIds.forEach(poolId -> slices.close(volume.getStorageID(), poolId));
  }

  /** Returns whether nothing is left for {@link #openPool} to do. */
  public boolean isOpen(FsVolumeSpi volume, String poolId) {
    return volume.isTransientStorage()
        || volume.getStorageType() == StorageType.PROVIDED
        || slices.find(volume.getStorageID(), poolId) != null;
  }

  /**
   * Called when all replicas of the pool are in the map: the scan may look for plain ones.
   *
   * @param failing volumes whose replicas are not in the map, and which leave
   */
  public void poolIsLoaded(String poolId, Set<FsVolumeSpi> failing) {
    for (FsVolumeSpi volume : dataset.volumes()) {
      // One that came meanwhile may lack the pool, whose replicas there nobody has loaded.
      if (!failing.contains(volume) && Arrays.asList(volume.getBlockPoolList()).contains(poolId)) {
        noteLoaded(volume, poolId);
      }
    }
    startRecords();
    // Where records tell enough of a block, the scan does not read it.
    scan.addPool(poolId);
    startScan();
    jobs.resume();
  }

  private void noteLoaded(FsVolumeSpi volume, String poolId) {
    PoolSlice loaded = slices.find(volume.getStorageID(), poolId);
    if (loaded != null) {
      loaded.noteLoaded();
    }
  }

  /**
   * Starts records where all replicas are known: elsewhere blocks would be taken for deleted ones.
   */
  private void startRecords() {
    for (FsVolumeSpi volume : dataset.volumes()) {
      for (PoolSlice slice : slices.of(volume)) {
        if (!slice.isLoaded()) {
          continue;
        }
        ReplicaInventory inventory = new ReplicaInventory(dataset, opener, slice.poolId(), volume);
        records.open(volume, slice, inventory, dataset);
      }
    }
  }

  /** Called before a volume is added, which may fail. */
  public void volumeIsComing(StorageLocation location) {
    dataDirectories.add(location);
  }

  /** Called after administrators took volumes out, in service or failed. */
  public void volumesAreTakenOut(Collection<StorageLocation> locations) {
    dataDirectories.remove(locations);
  }

  /** Called after a volume was added, with its replicas of these pools. */
  public void volumeIsLoaded(FsVolumeSpi volume, Collection<String> poolIds) {
    poolIds.forEach(poolId -> noteLoaded(volume, poolId));
    startRecords();
    jobs.resume();
    wakeScan();
  }

  /**
   * Starts the scan also without a chain: there may be reduced blocks, whose saving must be known.
   */
  private void startScan() {
    if (anyChain || slices.anyMayHoldReducedBlocks()) {
      scan.start();
    }
  }

  /** Ends the jobs on a pool whose replicas are about to be forgotten, and warns its records. */
  public void stopJobs(String poolId) {
    jobs.closePool(poolId);
    records.poolLeaves(poolId);
    slices.poolLeaves(poolId);
  }

  public void closePool(String poolId) {
    mirroring.queries().poolEnded(poolId);
    jobs.closePool(poolId);
    scan.removePool(poolId);
    // Schemes still write to the metadata stores when they are closed.
    slices.closePool(poolId);
    records.closePool(poolId);
  }

  public void closeVolume(String storageId) {
    jobs.closeVolume(storageId);
    slices.closeVolume(storageId);
    records.closeVolume(storageId);
  }

  /** Begins what waited for a NameNode's word. */
  void noUpgradeIsOpen() {
    jobs.resume();
    wakeScan();
  }

  /** Schedules a scan soon, after a change that may leave plain blocks. */
  void wakeScan() {
    startScan();
    scan.wake();
  }
}
