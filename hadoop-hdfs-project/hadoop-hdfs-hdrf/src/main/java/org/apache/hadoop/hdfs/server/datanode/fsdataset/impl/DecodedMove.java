/* SPDX-License-Identifier: Apache-2.0 */
package org.apache.hadoop.hdfs.server.datanode.fsdataset.impl;

import io.hdrf.datanode.HdrfService;
import java.io.File;
import java.io.IOException;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.server.common.HdfsServerConstants.ReplicaState;
import org.apache.hadoop.hdfs.server.datanode.DatanodeUtil;
import org.apache.hadoop.hdfs.server.datanode.FileIoProvider;
import org.apache.hadoop.hdfs.server.datanode.ReplicaBuilder;
import org.apache.hadoop.hdfs.server.datanode.ReplicaInfo;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.FsVolumeReference;

/**
 * Copies a reduced replica to another volume as plain data: its tag and what it refers to belong to
 * the volume that it lies on.
 */
final class DecodedMove {

  private DecodedMove() {}

  /**
   * Copies the replica to the target's temporary directory.
   *
   * @return the temporary replica there, or null if the replica is plain
   * @throws IOException if it could not be copied; nothing is left on the target
   */
  static ReplicaInfo copy(
      HdrfService service, ExtendedBlock block, ReplicaInfo replica, FsVolumeReference target)
      throws IOException {
    FsVolumeImpl volume = (FsVolumeImpl) target.getVolume();
    File directory =
        DatanodeUtil.idToBlockDir(volume.getTmpDir(block.getBlockPoolId()), block.getBlockId());
    File data = new File(directory, replica.getBlockName());
    File meta = FsDatasetUtil.getMetaFile(data, block.getGenerationStamp());
    FileIoProvider io = volume.getFileIoProvider();
    io.mkdirsWithExistsCheck(volume, directory);
    boolean copied = false;
    try {
      if (!service.copyDecoded(block.getBlockPoolId(), replica, data.toPath())) {
        return null;
      }
      replica.copyMetadata(meta.toURI());
      copied = true;
    } finally {
      if (!copied) {
        io.deleteWithExistsCheck(volume, data);
        io.deleteWithExistsCheck(volume, meta);
      }
    }
    ReplicaInfo temporary =
        new ReplicaBuilder(ReplicaState.TEMPORARY)
            .setBlockId(replica.getBlockId())
            .setGenerationStamp(replica.getGenerationStamp())
            .setFsVolume(volume)
            .setDirectoryToUse(directory)
            .setBytesToReserve(0)
            .build();
    temporary.setNumBytes(data.length());
    return temporary;
  }

  /**
   * Refuses what looks reduced on its new volume, which has another key; see {@link
   * HdrfService#requirePlain}.
   *
   * @param copied not finalized yet; deleted if it is refused
   */
  static ReplicaInfo requirePlain(HdrfService service, ExtendedBlock block, ReplicaInfo copied)
      throws IOException {
    boolean plain = false;
    try {
      service.requirePlain(block.getBlockPoolId(), copied);
      plain = true;
      return copied;
    } finally {
      if (!plain) {
        copied.deleteBlockData();
        copied.deleteMetadata();
      }
    }
  }
}
