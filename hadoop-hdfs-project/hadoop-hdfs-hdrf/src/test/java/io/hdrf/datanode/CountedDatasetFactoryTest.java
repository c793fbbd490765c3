/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode;

import static org.assertj.core.api.Assertions.assertThat;

import io.hdrf.io.TestBytes;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.DFSConfigKeys;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.impl.CountedDatasetFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class CountedDatasetFactoryTest {

  @Test
  void totalsAreThoseOfAllDataNodesOfTheJvm() throws Exception {
    Configuration conf = HdrfCluster.configuration();
    conf.set(
        DFSConfigKeys.DFS_DATANODE_FSDATASET_FACTORY_KEY, CountedDatasetFactory.class.getName());
    conf.setInt("hdrf.mirror.probe.timeout", 60_000);
    try (HdrfCluster cluster = HdrfCluster.start(conf, 2)) {
      cluster.write("/text", TestBytes.text(HdrfCluster.BLOCK_SIZE, 1), 2);
      cluster.awaitReduced("/text");
      cluster.read("/text");
      cluster.restartAs(conf);
      cluster.read("/text");
    }
    assertThat(CountedDatasetFactory.jvmTotals())
        .containsEntry("datasets", 4L)
        .containsEntry("blocksReduced", 2L)
        .hasEntrySatisfying("reads", reads -> assertThat(reads).isGreaterThanOrEqualTo(2))
        .hasEntrySatisfying("mirrorFramesEncoded", frames -> assertThat(frames).isPositive());
  }
}
