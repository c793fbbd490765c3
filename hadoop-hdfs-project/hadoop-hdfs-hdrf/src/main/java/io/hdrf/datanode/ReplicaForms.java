/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode;

import io.hdrf.admin.BlockIds;
import io.hdrf.admin.RecordPage;
import io.hdrf.block.BlockRef;
import io.hdrf.datanode.replica.BlockOpener;
import io.hdrf.datanode.replica.BlockRecords;
import io.hdrf.datanode.replica.DatasetAccess;
import io.hdrf.datanode.replica.ReplicaInventory;
import io.hdrf.datanode.replica.ReplicaSnapshot;
import io.hdrf.datanode.volume.PoolSlice;
import io.hdrf.datanode.volume.PoolSlices;
import io.hdrf.metadata.BlockRecord;
import io.hdrf.metadata.VolumeRecords;
import io.hdrf.spi.store.MetadataException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.hdfs.server.datanode.ReplicaInfo;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.FsVolumeSpi;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells how given replicas are stored: by their records, asked of each volume's store in one call,
 * or, where there is none or it is of another length, by the header of the block file. Thread-safe.
 */
final class ReplicaForms {

  private static final Logger LOG = LoggerFactory.getLogger(ReplicaForms.class);

  private final DatasetAccess dataset;
  private final PoolSlices slices;
  private final BlockRecords records;
  private final BlockOpener opener;

  ReplicaForms(DatasetAccess dataset, PoolSlices slices, BlockRecords records, BlockOpener opener) {
    this.dataset = dataset;
    this.slices = slices;
    this.records = records;
    this.opener = opener;
  }

  /** See {@link io.hdrf.admin.HdrfAdminProtocol#replicas}. */
  byte[] page(String poolId, byte[] blockIds) throws IOException {
    Map<Long, byte[]> page = new LinkedHashMap<>();
    Map<FsVolumeSpi, List<ReplicaInfo>> mayBeReduced = new LinkedHashMap<>();
    for (long id : BlockIds.decode(blockIds)) {
      ReplicaInfo replica = dataset.replica(new BlockRef(poolId, id));
      if (replica == null) {
        continue;
      }
      if (mayBeReduced(poolId, replica)) {
        mayBeReduced.computeIfAbsent(replica.getVolume(), volume -> new ArrayList<>()).add(replica);
      } else {
        page.put(id, plain(replica));
      }
    }
    mayBeReduced.forEach((volume, replicas) -> add(poolId, volume, replicas, page));
    return RecordPage.encode(page);
  }

  private boolean mayBeReduced(String poolId, ReplicaInfo replica) {
    if (!ReplicaSnapshot.isEligible(replica)) {
      return false;
    }
    PoolSlice slice = slices.find(replica.getVolume().getStorageID(), poolId);
    return slice != null && slice.mayHoldReducedBlocks();
  }

  private static byte[] plain(ReplicaInfo replica) {
    return BlockRecord.plain(replica.getNumBytes(), BlockRecord.NO_REASON, 0, 0).encode();
  }

  private void add(
      String poolId, FsVolumeSpi volume, List<ReplicaInfo> replicas, Map<Long, byte[]> page) {
    BlockRecord[] recorded = recorded(poolId, volume, replicas);
    ReplicaInventory inventory = new ReplicaInventory(dataset, opener, poolId, volume);
    for (int i = 0; i < replicas.size(); i++) {
      ReplicaInfo replica = replicas.get(i);
      boolean isTrue = recorded[i] != null && recorded[i].logicalLength() == replica.getNumBytes();
      page.put(
          replica.getBlockId(),
          isTrue ? recorded[i].encode() : looked(inventory, replica.getBlockId()));
    }
  }

  /** The records, null where there is none that is vouched for. */
  private BlockRecord[] recorded(String poolId, FsVolumeSpi volume, List<ReplicaInfo> replicas) {
    long[] ids = replicas.stream().mapToLong(ReplicaInfo::getBlockId).toArray();
    VolumeRecords kept = records.find(volume.getStorageID(), poolId);
    if (kept != null) {
      try {
        return kept.vouchedFor(ids);
      } catch (MetadataException e) {
        LOG.debug("{}: the files are looked at instead", volume, e);
      }
    }
    return new BlockRecord[ids.length];
  }

  /** Returns null for a block that can't be read, or is gone. */
  private static byte[] looked(ReplicaInventory inventory, long blockId) {
    try {
      BlockRecord found = inventory.look(blockId, BlockRecord.NO_REASON);
      return found == null ? null : found.encode();
    } catch (IOException e) {
      LOG.debug("Block {} can't be looked at", blockId, e);
      return null;
    }
  }
}
