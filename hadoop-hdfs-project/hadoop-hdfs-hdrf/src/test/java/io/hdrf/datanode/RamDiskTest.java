/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.EnumSet;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.CreateFlag;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.hdfs.DFSConfigKeys;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.MiniDFSCluster;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.io.nativeio.NativeIO;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Files written to memory first. */
@Timeout(120)
class RamDiskTest {

  private static final int LENGTH = 10_000;
  private static final byte[] MAGIC = {(byte) 0x89, 'H', 'R', 'B'};

  /** There stock code keeps no checksums where the client sends none. */
  @Test
  void whatBeginsLikeAReducedBlockIsWrittenAsAnythingElse() throws Exception {
    NativeIO.POSIX.CacheManipulator before = NativeIO.POSIX.getCacheManipulator();
    NativeIO.POSIX.setCacheManipulator(new NativeIO.POSIX.NoMlockCacheManipulator());
    Configuration conf = HdrfCluster.configuration();
    conf.setLong(DFSConfigKeys.DFS_DATANODE_MAX_LOCKED_MEMORY_KEY, 64 << 20);
    // So much memory the DataNode reserves for each block.
    conf.setLong(DFSConfigKeys.DFS_BLOCK_SIZE_KEY, 1 << 20);
    try (MiniDFSCluster cluster =
        new MiniDFSCluster.Builder(conf)
            .numDataNodes(1)
            .storageTypes(new StorageType[] {StorageType.RAM_DISK, StorageType.DISK})
            .storageCapacities(new long[] {1L << 30, 10L << 30})
            .build()) {
      cluster.waitActive();
      DistributedFileSystem fs = cluster.getFileSystem();
      byte[] data = new byte[LENGTH];
      System.arraycopy(MAGIC, 0, data, 0, MAGIC.length);
      Path file = new Path("/lazy");
      try (FSDataOutputStream out =
          fs.create(
              file,
              FsPermission.getFileDefault(),
              EnumSet.of(CreateFlag.CREATE, CreateFlag.LAZY_PERSIST),
              4096,
              (short) 1,
              1 << 20,
              null)) {
        out.write(data);
        out.hsync();
        // Not written to the disk for want of memory.
        ExtendedBlock block = fs.getClient().getLocatedBlocks("/lazy", 0).get(0).getBlock();
        assertThat(cluster.getFsDatasetTestUtils(0).fetchReplica(block).isOnTransientStorage())
            .isTrue();
      }
      assertThat(fs.getFileStatus(file).getLen()).isEqualTo(LENGTH);
      assertThat(fs.getClient().isFileClosed("/lazy")).isTrue();
    } finally {
      NativeIO.POSIX.setCacheManipulator(before);
    }
  }
}
