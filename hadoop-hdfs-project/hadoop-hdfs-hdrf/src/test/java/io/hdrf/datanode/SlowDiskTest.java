/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode;

import static org.assertj.core.api.Assertions.assertThat;

import io.hdrf.io.TestBytes;
import java.io.InputStream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.DFSConfigKeys;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.DataNodeVolumeMetrics;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** HDFS finds slow disks by the times of file operations, HDRF's among them. */
@Timeout(120)
class SlowDiskTest {

  private static DataNodeVolumeMetrics metrics(HdrfCluster cluster, ExtendedBlock block) {
    return cluster.replica(0, block).getVolume().getMetrics();
  }

  private static void writeAndRead(int percentage, boolean timed) throws Exception {
    Configuration conf = HdrfCluster.configuration();
    conf.setInt(DFSConfigKeys.DFS_DATANODE_FILEIO_PROFILING_SAMPLING_PERCENTAGE_KEY, percentage);
    try (HdrfCluster cluster = HdrfCluster.start(conf, 1)) {
      byte[] data = TestBytes.text(300_000, 1);
      cluster.write("/file", data, 1);
      cluster.awaitReduced("/file");
      ExtendedBlock block = cluster.block("/file");
      // The client has not asked for an fsync.
      assertThat(metrics(cluster, block).getSyncIoSampleCount() > 0).isEqualTo(timed);
      long reads = metrics(cluster, block).getReadIoSampleCount();
      long all = metrics(cluster, block).getTotalDataFileIos();
      try (InputStream stream = cluster.dataset(0).getBlockInputStream(block, 0)) {
        TestBytes.assertSame("read", stream.readAllBytes(), data);
      }
      assertThat(metrics(cluster, block).getReadIoSampleCount() > reads).isEqualTo(timed);
      assertThat(metrics(cluster, block).getTotalDataFileIos() > all).isEqualTo(timed);
      assertThat(metrics(cluster, block).getTotalFileIoErrors()).isZero();
    }
  }

  @Test
  void readsAndWritesOfReducedBlocksAreTimed() throws Exception {
    writeAndRead(100, true);
  }

  @Test
  void nothingIsTimedUnlessAskedFor() throws Exception {
    writeAndRead(0, false);
  }
}
