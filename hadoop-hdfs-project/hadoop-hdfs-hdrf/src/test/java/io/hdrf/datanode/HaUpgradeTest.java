/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode;

import static org.assertj.core.api.Assertions.assertThat;

import io.hdrf.conf.HdrfKeys;
import io.hdrf.io.TestBytes;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DFSConfigKeys;
import org.apache.hadoop.hdfs.MiniDFSCluster;
import org.apache.hadoop.hdfs.MiniDFSNNTopology;
import org.apache.hadoop.hdfs.MiniDFSNNTopology.NNConf;
import org.apache.hadoop.hdfs.MiniDFSNNTopology.NSConf;
import org.apache.hadoop.hdfs.protocol.HdfsConstants.RollingUpgradeAction;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.impl.FsVolumeImpl;
import org.apache.hadoop.hdfs.server.namenode.FSNamesystem;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A rolling upgrade with two NameNodes, which fail over between its beginning and its end. All
 * daemons are restarted as an upgrade does, with the software that they have.
 */
class HaUpgradeTest {

  private static final int DATA_NODES = 2;
  private static final int LENGTH = 2_500_000;
  private static final String MARKER = "RollingUpgradeInProgress";

  private final Map<String, byte[]> files = new LinkedHashMap<>();
  private HdrfCluster cluster;

  @AfterEach
  void stop() {
    cluster.close();
  }

  private MiniDFSCluster mini() {
    return cluster.mini();
  }

  private void write(String path, int seed) throws IOException {
    byte[] data = TestBytes.text(LENGTH, seed);
    cluster.write(path, data, DATA_NODES);
    files.put(path, data);
  }

  private void assertAllSame() throws Exception {
    for (Map.Entry<String, byte[]> file : files.entrySet()) {
      cluster.awaitReplication(file.getKey(), DATA_NODES);
      cluster.assertContent(file.getKey(), file.getValue());
    }
  }

  private void assertNothingLost(int active) {
    FSNamesystem names = mini().getNamesystem(active);
    assertThat(names.getMissingBlocksCount()).isZero();
    assertThat(names.getCorruptReplicaBlocks()).isZero();
  }

  private void failOver(int from, int to) throws IOException {
    mini().transitionToStandby(from);
    mini().transitionToActive(to);
    mini().waitActive(to);
  }

  private void restartNameNode(int index) throws IOException {
    mini().restartNameNode(index, true, "-rollingUpgrade", "started");
  }

  private void restartDataNodes() throws Exception {
    for (int i = 0; i < DATA_NODES; i++) {
      // It becomes the last one.
      cluster.restart(0);
      mini().waitActive();
      assertAllSame();
    }
  }

  /** Whether HDFS's marker of an open upgrade is, or is not, on all volumes. */
  private boolean isOpen(boolean open) {
    try {
      for (int i = 0; i < DATA_NODES; i++) {
        for (FsVolumeImpl volume : cluster.volumes(i)) {
          java.nio.file.Path pool = HdrfCluster.poolDirectory(volume, cluster.pool());
          if (Files.exists(pool.resolve(MARKER)) != open) {
            return false;
          }
        }
      }
      return true;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void assertStaysPlain(String path) throws Exception {
    for (int i = 0; i < DATA_NODES; i++) {
      cluster.service(i).changes().wakeScan();
      for (LocatedBlock block : cluster.blocks(path)) {
        cluster.assertRests(i, block.getBlock());
      }
    }
    assertThat(cluster.plainReplicas(path)).hasSameSizeAs(cluster.replicas(path));
  }

  private List<Object> inodes(String path) throws IOException {
    List<Object> inodes = new ArrayList<>();
    for (File replica : cluster.replicas(path)) {
      inodes.add(Files.getAttribute(replica.toPath(), "unix:ino"));
    }
    return inodes;
  }

  /** With ports: else the standby NameNode makes no checkpoints, and no image to roll back to. */
  private static MiniDFSNNTopology topology() {
    NSConf service = new NSConf("ha");
    for (String name : List.of("nn0", "nn1")) {
      service.addNN(
          new NNConf(name).setIpcPort(HdrfCluster.freePort()).setHttpPort(HdrfCluster.freePort()));
    }
    return new MiniDFSNNTopology().addNameservice(service);
  }

  private void start(String chain) throws Exception {
    Configuration conf = HdrfCluster.configuration();
    conf.set(HdrfKeys.SCHEMES, chain);
    conf.setInt(DFSConfigKeys.DFS_HA_TAILEDITS_PERIOD_KEY, 1);
    conf.setInt(DFSConfigKeys.DFS_NAMENODE_CHECKPOINT_CHECK_PERIOD_KEY, 1);
    cluster =
        HdrfCluster.start(conf, builder -> builder.nnTopology(topology()).numDataNodes(DATA_NODES));
    mini().transitionToActive(0);
  }

  @ParameterizedTest
  @ValueSource(strings = {"lz4", "dedup,lz4"})
  void failoversInAnOpenUpgradeLoseNothing(String chain) throws Exception {
    start(chain);
    for (String path : List.of("/kept", "/appended", "/deleted")) {
      write(path, path.hashCode());
    }
    for (String path : files.keySet()) {
      cluster.awaitReduced(path);
    }
    List<Object> kept = inodes("/kept");

    cluster.fs().rollingUpgrade(RollingUpgradeAction.PREPARE);
    HdrfCluster.await("the image to roll back to", this::hasRollbackImage);
    restartNameNode(1);
    failOver(0, 1);
    restartNameNode(0);
    HdrfCluster.await("the DataNodes to learn of the upgrade", () -> isOpen(true));

    write("/during", 4);
    assertStaysPlain("/during");
    byte[] more = TestBytes.text(300_000, 5);
    cluster.append("/appended", more);
    byte[] before = files.get("/appended");
    byte[] both = Arrays.copyOf(before, before.length + more.length);
    System.arraycopy(more, 0, both, before.length, more.length);
    files.put("/appended", both);
    cluster.fs().delete(new Path("/deleted"), false);
    files.remove("/deleted");
    restartDataNodes();
    assertThat(isOpen(true)).isTrue();
    assertStaysPlain("/during");

    failOver(1, 0);
    assertAllSame();
    assertStaysPlain("/during");
    assertNothingLost(0);

    cluster.fs().rollingUpgrade(RollingUpgradeAction.FINALIZE);
    mini().triggerHeartbeats();
    HdrfCluster.await("the DataNodes to learn of the end", () -> isOpen(false));
    for (String path : files.keySet()) {
      cluster.awaitReduced(path);
    }
    failOver(0, 1);
    assertAllSame();
    restartDataNodes();
    assertThat(inodes("/kept")).as("never made plain").hasSameElementsAs(kept);
    assertNothingLost(1);
  }

  private boolean hasRollbackImage() {
    try {
      return cluster.fs().rollingUpgrade(RollingUpgradeAction.QUERY).createdRollbackImages();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
