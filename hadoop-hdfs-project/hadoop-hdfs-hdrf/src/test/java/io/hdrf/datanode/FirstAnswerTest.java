/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hdrf.io.TestBytes;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Consumer;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.CommonConfigurationKeysPublic;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.hdfs.DFSConfigKeys;
import org.apache.hadoop.hdfs.DFSTestUtil;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.MiniDFSCluster;
import org.apache.hadoop.hdfs.MiniDFSCluster.DataNodeProperties;
import org.apache.hadoop.hdfs.MiniDFSNNTopology;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.protocol.HdfsConstants.RollingUpgradeAction;
import org.apache.hadoop.hdfs.protocol.HdfsConstants.SafeModeAction;
import org.apache.hadoop.hdfs.server.datanode.DataNodeTestUtils;
import org.apache.hadoop.hdfs.server.datanode.HeartbeatGate;
import org.apache.hadoop.util.ExitUtil;
import org.apache.hadoop.util.ExitUtil.ExitException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Rule 8 for a DataNode that was stock, and down when a rolling upgrade began: nothing on its
 * volumes tells of the upgrade.
 */
class FirstAnswerTest {

  private final byte[] data = TestBytes.text(500_000, 1);
  private HdrfCluster cluster;
  private ExtendedBlock block;
  private DataNodeProperties stopped;

  @AfterEach
  void stop() {
    cluster.close();
  }

  /** One plain block on a DataNode that starts with HDRF the next time. */
  private void start(Consumer<MiniDFSCluster.Builder> shape) throws Exception {
    Configuration conf = HdrfCluster.stockConfiguration();
    conf.setInt(DFSConfigKeys.DFS_HA_TAILEDITS_PERIOD_KEY, 1);
    // In milliseconds: no connection of the client outlives a NameNode.
    conf.setInt(CommonConfigurationKeysPublic.IPC_CLIENT_CONNECTION_MAXIDLETIME_KEY, 100);
    cluster = HdrfCluster.start(conf, shape);
    if (cluster.mini().getNumNameNodes() > 1) {
      cluster.mini().transitionToActive(0);
    }
    cluster.write("/plain", data, 1);
    block = cluster.block("/plain");
    stopDataNode();
    HdrfCluster.confOf(stopped)
        .set(
            "dfs.datanode.fsdataset.factory",
            HdrfCluster.configuration().get("dfs.datanode.fsdataset.factory"));
  }

  private void stopDataNode() {
    stopped = cluster.mini().stopDataNode(0);
  }

  private void prepare() throws Exception {
    cluster.mini().getNameNodeRpc().setSafeMode(SafeModeAction.SAFEMODE_ENTER, false);
    cluster.fs().rollingUpgrade(RollingUpgradeAction.PREPARE);
    cluster.mini().getNameNodeRpc().setSafeMode(SafeModeAction.SAFEMODE_LEAVE, false);
  }

  private void awaitReplica() throws Exception {
    HdrfCluster.await("the dataset", () -> cluster.dataset(0) != null);
    HdrfCluster.await("the replica", () -> cluster.replica(0, block) != null);
  }

  private void assertRests() throws Exception {
    awaitReplica();
    cluster.service(0).changes().wakeScan();
    cluster.assertRests(0, block);
  }

  private Path marker() throws Exception {
    return HdrfCluster.poolDirectory(cluster.volumes(0).get(0), block.getBlockPoolId())
        .resolve("RollingUpgradeInProgress");
  }

  @Test
  void nothingIsReducedBeforeTheAnswerOfAnActiveNameNode() throws Exception {
    start(builder -> builder.numDataNodes(1));
    prepare();
    try (HeartbeatGate gate = new HeartbeatGate()) {
      cluster.restart(stopped);
      gate.putBefore(cluster.datanode(0));
      HdrfCluster.await("heartbeats", () -> gate.failed() > 1);
      assertRests();
      gate.hold();
      HdrfCluster.await("an answer", () -> gate.held() > 0);
      assertRests();
      assertThat(marker()).doesNotExist();
    }
    Path marker = marker();
    HdrfCluster.await("the marker", () -> Files.exists(marker));
    assertRests();
    cluster.fs().rollingUpgrade(RollingUpgradeAction.FINALIZE);
    cluster.awaitReduced(0, block);
    cluster.assertContent("/plain", data);
  }

  @Test
  void theAnswerOfAStandbyTellsNothing() throws Exception {
    start(builder -> builder.nnTopology(MiniDFSNNTopology.simpleHATopology()).numDataNodes(1));
    cluster.mini().transitionToStandby(0);
    cluster.restart(stopped);
    awaitReplica();
    cluster.mini().triggerHeartbeats();
    assertRests();
    cluster.mini().transitionToActive(1);
    cluster.awaitReduced(0, block);
    cluster.assertContent("/plain", data);
  }

  /**
   * A NameNode tells of a finalized upgrade until it is restarted from an image that was made after
   * it, and of nothing then; so does one that was rolled back.
   */
  @Test
  void aDataNodeThatMissedTheEndRestsUntilItsRestart() throws Exception {
    start(builder -> builder.numDataNodes(1));
    cluster.restart(stopped);
    cluster.mini().waitActive();
    cluster.awaitReduced(0, block);
    prepare();
    Path marker = marker();
    HdrfCluster.await("the marker", () -> Files.exists(marker));
    byte[] more = TestBytes.text(500_000, 2);
    cluster.write("/during", more, 1);
    block = cluster.block("/during");
    assertRests();
    DataNodeTestUtils.setHeartbeatsDisabledForTests(cluster.datanode(0), true);
    cluster.fs().rollingUpgrade(RollingUpgradeAction.FINALIZE);
    cluster.mini().getNameNodeRpc().setSafeMode(SafeModeAction.SAFEMODE_ENTER, false);
    cluster.mini().getNameNodeRpc().saveNamespace(0, 0);
    cluster.mini().restartNameNode(0, false);
    assertThat(cluster.fs().rollingUpgrade(RollingUpgradeAction.QUERY)).isNull();
    assertRests();
    DataNodeTestUtils.setHeartbeatsDisabledForTests(cluster.datanode(0), false);
    cluster.mini().waitActive();
    assertRests();
    assertThat(marker).as("stock code leaves it").exists();
    cluster.restart(0);
    cluster.mini().waitActive();
    cluster.awaitReduced(0, block);
    cluster.assertContent("/plain", data);
    cluster.assertContent("/during", more);
  }

  /** Stock code leaves its marker, and takes no notice of it. */
  @Test
  void afterARollbackBlocksAreReduced() throws Exception {
    start(builder -> builder.numDataNodes(1));
    prepare();
    cluster.restart(stopped);
    cluster.mini().waitActive();
    assertRests();
    Path marker = marker();
    HdrfCluster.await("the marker", () -> Files.exists(marker));
    stopDataNode();
    stopped.setDnArgs("-rollback");
    cluster.mini().shutdownNameNodes();
    cluster.mini().restartNameNode("-rollingupgrade", "rollback");
    cluster.restart(stopped);
    cluster.mini().waitActive();
    cluster.awaitReduced(0, block);
    assertThat(marker).exists();
    cluster.assertContent("/plain", data);
  }

  /**
   * HDFS wants the DataNodes stopped before. One that was not may be restarted as it was before the
   * upgrade, as a stock one, so nothing may be reduced until then.
   */
  @Test
  void aNameNodeThatIsRolledBackAloneEndsNone() throws Exception {
    start(builder -> builder.numDataNodes(1));
    prepare();
    cluster.restart(stopped);
    cluster.mini().waitActive();
    Path marker = marker();
    HdrfCluster.await("the marker", () -> Files.exists(marker));
    assertRests();
    cluster.rollBackNameNode();
    assertThat(cluster.fs().rollingUpgrade(RollingUpgradeAction.QUERY)).isNull();
    for (int i = 0; i < 5; i++) {
      cluster.mini().triggerHeartbeats();
      assertRests();
    }
    stopDataNode();
    HdrfCluster.confOf(stopped).unset("dfs.datanode.fsdataset.factory");
    stopped.setDnArgs("-rollback");
    cluster.restart(stopped);
    cluster.mini().waitActive();
    cluster.assertContent("/plain", data);
  }

  /** As where the one was cut off from the other, which is no reason to trust its old word. */
  @Test
  void aNameNodeThatIsNoLongerTheActiveOneEndsNone() throws Exception {
    start(builder -> builder.nnTopology(MiniDFSNNTopology.simpleHATopology()).numDataNodes(1));
    cluster.restart(stopped);
    cluster.mini().waitActive(0);
    cluster.awaitReduced(0, block);
    cluster.fs().rollingUpgrade(RollingUpgradeAction.PREPARE);
    Path marker = marker();
    HdrfCluster.await("the marker", () -> Files.exists(marker));
    cluster.fs().rollingUpgrade(RollingUpgradeAction.FINALIZE);
    HdrfCluster.await("the end", () -> !Files.exists(marker));
    // The first goes on to say that its upgrade is finalized, and that it is active.
    cluster.mini().transitionToActive(1);
    cluster.mini().triggerHeartbeats();
    DistributedFileSystem second = cluster.mini().getFileSystem(1);
    second.rollingUpgrade(RollingUpgradeAction.PREPARE);
    HdrfCluster.await("the marker", () -> Files.exists(marker));
    org.apache.hadoop.fs.Path during = new org.apache.hadoop.fs.Path("/during");
    try (FSDataOutputStream out = second.create(during, (short) 1)) {
      out.write(data);
    }
    block = DFSTestUtil.getFirstBlock(second, during);
    for (int i = 0; i < 5; i++) {
      cluster.mini().triggerHeartbeats();
      assertRests();
    }
    // The first has no journal any more, and ends with that.
    assertThatThrownBy(() -> cluster.mini().shutdownNameNode(0)).isInstanceOf(ExitException.class);
    ExitUtil.resetFirstExitException();
  }
}
