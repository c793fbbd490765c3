/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode;

import static org.assertj.core.api.Assertions.assertThat;

import io.hdrf.io.TestBytes;
import java.io.File;
import java.util.stream.IntStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.MiniDFSCluster;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Replicas made from reduced ones. */
@Timeout(180)
class ReplicationTest {

  private static final int BLOCK = HdrfCluster.BLOCK_SIZE;

  private static HdrfCluster cluster;

  @BeforeAll
  static void start() throws Exception {
    cluster = HdrfCluster.start(HdrfCluster.configuration(), 5);
  }

  @AfterAll
  static void stop() {
    cluster.close();
  }

  @Test
  void upAndDown() throws Exception {
    byte[] data = TestBytes.text(2 * BLOCK + 54_321, 1);
    cluster.write("/replicated", data, 1);
    cluster.awaitReduced("/replicated");
    cluster.fs().setReplication(new Path("/replicated"), (short) 4);
    cluster.awaitReplication("/replicated", 4);
    cluster.assertContent("/replicated", data);
    cluster.awaitReduced("/replicated");
    assertThat(cluster.replicas("/replicated")).hasSize(12);
    cluster.assertContent("/replicated", data);
    cluster.fs().setReplication(new Path("/replicated"), (short) 2);
    cluster.awaitReplication("/replicated", 2);
    cluster.assertContent("/replicated", data);
  }

  /** The new replica's generation stamp, length and checksums are those of the old one. */
  @Test
  void aNewReplicaTakesPartInAnAppend() throws Exception {
    byte[] data = TestBytes.text(800_000, 2);
    cluster.write("/appended", java.util.Arrays.copyOf(data, 500_000), 1);
    cluster.awaitReduced("/appended");
    cluster.fs().setReplication(new Path("/appended"), (short) 3);
    cluster.awaitReplication("/appended", 3);
    cluster.awaitReduced("/appended");
    cluster.append("/appended", java.util.Arrays.copyOfRange(data, 500_000, data.length));
    cluster.assertContent("/appended", data);
    cluster.awaitReduced("/appended");
    assertThat(cluster.replicas("/appended")).hasSize(3);
    cluster.assertContent("/appended", data);
  }

  @Test
  void aDataNodeThatIsGoneIsReplaced() throws Exception {
    byte[] data = TestBytes.text(BLOCK + 99_999, 3);
    cluster.write("/gone", data, 2);
    cluster.awaitReduced("/gone");
    DatanodeInfo holder = cluster.blocks("/gone").get(0).getLocations()[0];
    MiniDFSCluster.DataNodeProperties stopped = cluster.mini().stopDataNode(holder.getXferAddr());
    try {
      cluster.mini().setDataNodeDead(stopped.getDatanode().getDatanodeId());
      cluster.awaitReplication("/gone", 2);
      cluster.assertContent("/gone", data);
      cluster.awaitReduced("/gone");
      cluster.assertContent("/gone", data);
    } finally {
      cluster.restart(stopped);
      cluster.mini().waitActive();
    }
    cluster.awaitReplication("/gone", 2);
    cluster.assertContent("/gone", data);
  }

  @Test
  void erasureCodedFilesReadWithAllAndWithMissingDataNodes() throws Exception {
    Path dir = new Path("/ec");
    String policy = "RS-3-2-1024k";
    cluster.fs().mkdirs(dir);
    cluster.fs().enableErasureCodingPolicy(policy);
    cluster.fs().setErasureCodingPolicy(dir, policy);
    byte[] data = TestBytes.text(7 * BLOCK + 123_457, 4);
    try (FSDataOutputStream out =
        cluster.fs().create(new Path("/ec/f"), true, 4096, (short) 1, 4L * BLOCK)) {
      out.write(data);
    }
    HdrfCluster.await("blocks to be reduced", () -> countReduced(5) >= 3);
    TestBytes.assertSame("/ec/f", cluster.read("/ec/f"), data);
    MiniDFSCluster.DataNodeProperties first = cluster.mini().stopDataNode(0);
    MiniDFSCluster.DataNodeProperties second = cluster.mini().stopDataNode(0);
    try {
      TestBytes.assertSame("/ec/f decoded", cluster.read("/ec/f"), data);
    } finally {
      cluster.restart(first);
      cluster.restart(second);
      cluster.mini().waitActive();
    }
  }

  private long countReduced(int dataNodes) {
    return IntStream.range(0, dataNodes)
        .mapToLong(i -> countReduced(cluster.mini().getInstanceStorageDir(i, 0)))
        .sum();
  }

  private static long countReduced(File file) {
    File[] children = file.listFiles();
    if (children == null) {
      return file.getName().startsWith("blk_")
              && !file.getName().endsWith(".meta")
              && BlockFiles.isReduced(file)
          ? 1
          : 0;
    }
    long count = 0;
    for (File child : children) {
      count += countReduced(child);
    }
    return count;
  }
}
