/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode;

import io.hdrf.datanode.wire.Mirroring;
import io.hdrf.io.DurableFiles;
import io.hdrf.reduce.BlockRef;
import io.hdrf.scheme.ChunkLookup;
import io.hdrf.scheme.SchemeChain;
import io.hdrf.wire.SpoolFile;
import java.io.IOException;
import java.util.Map;
import java.util.function.Function;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.server.datanode.ReplicaInfo;

/** What mirroring needs to know of blocks that are being written. Thread-safe. */
final class SpoolStorage implements Mirroring.Storage {

  private final PoolVolumes volumes;
  private final Map<StorageType, SchemeChain> chains;
  private final DurableFiles files;
  private final Function<BlockRef, ReplicaInfo> replicas;

  /**
   * @param replicas gives the present replica of a block, or null
   */
  SpoolStorage(
      PoolVolumes volumes,
      Map<StorageType, SchemeChain> chains,
      DurableFiles files,
      Function<BlockRef, ReplicaInfo> replicas) {
    this.volumes = volumes;
    this.chains = chains;
    this.files = files;
    this.replicas = replicas;
  }

  @Override
  public SchemeChain chainOf(BlockRef block) {
    ReplicaInfo replica = replicas.apply(block);
    StorageType type =
        replica == null || replica.getVolume() == null
            ? StorageType.DEFAULT
            : replica.getVolume().getStorageType();
    return chains.get(type);
  }

  @Override
  public ChunkLookup chunks(String poolId, String scheme) {
    return new PoolChunks(volumes, poolId, scheme);
  }

  @Override
  public SpoolFile spoolFile(BlockRef block) throws IOException {
    ReplicaInfo replica = replicas.apply(block);
    if (replica == null || replica.getVolume() == null) {
      throw new IOException("there is no replica of " + block);
    }
    PoolVolume volume = volumes.use(replica.getVolume(), block.poolId());
    try {
      if (!volume.mayHoldReducedBlocks()) {
        throw new IOException(replica.getVolume() + " holds no reduced blocks");
      }
      return SpoolFile.create(files, volume.temporaryFile(block.blockId()));
    } finally {
      volume.endUse();
    }
  }
}
