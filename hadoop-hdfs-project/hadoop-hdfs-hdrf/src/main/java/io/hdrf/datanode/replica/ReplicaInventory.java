/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode.replica;

import io.hdrf.block.BlockHeader;
import io.hdrf.block.BlockRef;
import io.hdrf.metadata.BlockInventory;
import io.hdrf.metadata.BlockRecord;
import java.io.File;
import java.io.IOException;
import java.util.function.LongConsumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.hadoop.hdfs.server.datanode.LocalReplica;
import org.apache.hadoop.hdfs.server.datanode.ReplicaInfo;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.FsVolumeSpi;

/** Lists the finalized replicas of a pool on a volume from the replica map and their files. */
public final class ReplicaInventory implements BlockInventory {

  private static final Pattern DIRECTORY = Pattern.compile("subdir(\\d{1,3})");

  private final DatasetAccess dataset;
  private final BlockOpener opener;
  private final String poolId;
  private final FsVolumeSpi volume;

  public ReplicaInventory(
      DatasetAccess dataset, BlockOpener opener, String poolId, FsVolumeSpi volume) {
    this.dataset = dataset;
    this.opener = opener;
    this.poolId = poolId;
    this.volume = volume;
  }

  @Override
  public void forEach(LongConsumer blockIds) {
    for (ReplicaInfo replica : dataset.finalizedReplicas(poolId)) {
      if (ReplicaSnapshot.isEligible(replica, volume.getStorageID())) {
        blockIds.accept(replica.getBlockId());
      }
    }
  }

  @Override
  public BlockRecord look(long blockId, int reason) throws IOException {
    ReplicaInfo replica = dataset.replica(new BlockRef(poolId, blockId));
    if (!ReplicaSnapshot.isEligible(replica, volume.getStorageID())) {
      return null;
    }
    LocalReplica local = (LocalReplica) replica;
    BlockHeader header = opener.header(new BlockRef(poolId, blockId), local);
    File file = local.getBlockFile();
    int location = location(file);
    return header == null
        ? BlockRecord.plain(replica.getNumBytes(), reason, file.lastModified(), location)
        : BlockRecord.reduced(
            header.logicalLength(),
            header.physicalLength(),
            header.chainIds(),
            file.lastModified(),
            location);
  }

  @Override
  public boolean mayGoBack() {
    return dataset.keepsOldBlocks(volume, poolId);
  }

  /** Returns the two bytes that name the directory of a block's file. */
  static int location(File file) {
    File second = file.getParentFile();
    return (number(second.getParentFile()) << 8) | number(second);
  }

  private static int number(File directory) {
    Matcher name = DIRECTORY.matcher(directory.getName());
    return name.matches() ? Integer.parseInt(name.group(1)) & 0xFF : 0;
  }
}
