/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode;

import io.hdrf.conf.HdrfKeys;
import io.hdrf.io.TestBytes;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.MiniDFSCluster.DataNodeProperties;
import org.apache.hadoop.hdfs.protocol.ErasureCodingPolicy;
import org.apache.hadoop.hdfs.protocol.SystemErasureCodingPolicies;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The blocks of erasure-coded files are reduced like any others. */
@Timeout(300)
class ErasureCodingTest {

  private static final ErasureCodingPolicy POLICY =
      SystemErasureCodingPolicies.getByID(SystemErasureCodingPolicies.RS_3_2_POLICY_ID);

  private static final int DATA_NODES = POLICY.getNumDataUnits() + POLICY.getNumParityUnits() + 1;

  /** Eight cells in groups of three, three and two, each with its parity. */
  private static final int BLOCKS = 3 * POLICY.getNumParityUnits() + 8;

  @Test
  void readAndReconstructed() throws Exception {
    Configuration conf = HdrfCluster.configuration();
    conf.set(HdrfKeys.SCHEMES, "lz4");
    conf.setInt("dfs.namenode.heartbeat.recheck-interval", 1000);
    try (HdrfCluster cluster = HdrfCluster.start(conf, DATA_NODES)) {
      Path directory = new Path("/coded");
      cluster.fs().mkdirs(directory);
      cluster.fs().enableErasureCodingPolicy(POLICY.getName());
      cluster.fs().setErasureCodingPolicy(directory, POLICY.getName());
      byte[] data = TestBytes.text(7 * HdrfCluster.BLOCK_SIZE + 12_345, 3);
      cluster.write("/coded/file", data, 1);
      HdrfCluster.await(
          "blocks to be reduced", () -> reduced(cluster) >= 2L * POLICY.getNumDataUnits());
      TestBytes.assertSame("as written", cluster.read("/coded/file"), data);

      // A write ends before the last of its parity blocks is reported.
      HdrfCluster.await(
          "all blocks to be reported",
          () -> groups(cluster).stream().mapToInt(List::size).sum() == BLOCKS);
      List<List<String>> before = groups(cluster);
      String holder = before.get(0).get(0);
      final DataNodeProperties stopped = cluster.mini().stopDataNode(holder);
      TestBytes.assertSame("with a DataNode lost", cluster.read("/coded/file"), data);
      cluster.mini().setDataNodeDead(stopped.getDatanode().getDatanodeId());
      HdrfCluster.await(
          "its blocks to be made anew",
          () -> {
            List<List<String>> now = groups(cluster);
            return IntStream.range(0, now.size())
                .allMatch(
                    i -> now.get(i).size() == before.get(i).size() && !now.get(i).contains(holder));
          });
      cluster.awaitReduced();
      TestBytes.assertSame("reconstructed", cluster.read("/coded/file"), data);
      cluster.mini().restartDataNode(stopped);
    }
  }

  private static long reduced(HdrfCluster cluster) {
    return IntStream.range(0, DATA_NODES)
        .mapToLong(i -> cluster.service(i).counters().values().get("blocksReduced"))
        .sum();
  }

  private static List<List<String>> groups(HdrfCluster cluster) {
    try {
      return cluster.fs().getClient().getLocatedBlocks("/coded/file", 0).getLocatedBlocks().stream()
          .map(
              group ->
                  Arrays.stream(group.getLocations())
                      .map(location -> location.getXferAddr())
                      .toList())
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
