/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode;

import static org.assertj.core.api.Assertions.assertThat;

import io.hdrf.io.TestBytes;
import io.hdrf.reduce.SkipReason;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.protocol.HdfsConstants.RollingUpgradeAction;
import org.apache.hadoop.hdfs.protocol.HdfsConstants.SafeModeAction;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.impl.FsVolumeImpl;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Rule 8: the Reducer pauses while an upgrade is open. */
class UpgradeRestTest {

  private static HdrfCluster cluster;

  @BeforeAll
  static void start() throws Exception {
    cluster = HdrfCluster.start(HdrfCluster.configuration(), 1, 1);
  }

  @AfterAll
  static void stop() {
    cluster.close();
  }

  private static void assertRests(ExtendedBlock block) throws Exception {
    cluster.service(0).changes().wakeScan();
    cluster.assertRests(0, block);
  }

  @Test
  void restsDuringARollingUpgradeAndGoesOnAfterIt() throws Exception {
    byte[] before = TestBytes.text(500_000, 81);
    cluster.write("/before", before, 1);
    cluster.awaitReduced("/before");
    cluster.mini().getNameNodeRpc().setSafeMode(SafeModeAction.SAFEMODE_ENTER, false);
    cluster.fs().rollingUpgrade(RollingUpgradeAction.PREPARE);
    cluster.mini().getNameNodeRpc().setSafeMode(SafeModeAction.SAFEMODE_LEAVE, false);
    cluster.mini().triggerHeartbeats();
    Path pool = HdrfCluster.poolDirectory(cluster.volumes(0).get(0), cluster.pool());
    HdrfCluster.await("the marker", () -> Files.exists(pool.resolve("RollingUpgradeInProgress")));

    byte[] data = TestBytes.text(500_000, 82);
    cluster.write("/during", data, 1);
    ExtendedBlock block = cluster.block("/during");
    assertRests(block);
    TestBytes.assertSame("reduced before", cluster.read("/before"), before);
    cluster.restartDataNodes();
    cluster.mini().waitActive();
    HdrfCluster.await("the replica", () -> cluster.replica(0, block) != null);
    assertRests(block);

    cluster.fs().rollingUpgrade(RollingUpgradeAction.FINALIZE);
    cluster.mini().triggerHeartbeats();
    cluster.awaitReduced(0, block);
    TestBytes.assertSame("the file", cluster.read("/during"), data);
  }

  @Test
  void restsWhilePreviousExistsAndLeavesLinkedFilesAlone() throws Exception {
    FsVolumeImpl volume = cluster.volumes(0).get(0);
    Path pool = HdrfCluster.poolDirectory(volume, cluster.pool());
    Path previous = pool.resolve("previous");
    // The answer to each block report finalizes any upgrade, in later lines by and by.
    for (int i = 0; i < 2; i++) {
      Files.createDirectories(previous);
      cluster.mini().triggerBlockReports();
      HdrfCluster.await("the upgrade to be finalized", () -> !Files.exists(previous));
    }
    Files.createDirectories(previous);
    byte[] data = TestBytes.text(500_000, 83);
    cluster.write("/previous", data, 1);
    ExtendedBlock block = cluster.block("/previous");
    assertRests(block);
    Path link = pool.resolve("link");
    Files.createLink(link, cluster.file(0, block).toPath());
    long linked = cluster.service(0).counters().skippedFor(SkipReason.LINKED);
    Files.delete(previous);
    HdrfCluster.await(
        "the link to be noticed",
        () -> cluster.service(0).counters().skippedFor(SkipReason.LINKED) > linked);
    assertThat(cluster.isReduced(0, block)).isFalse();
    Files.delete(link);
    cluster.awaitReduced(0, block);
    TestBytes.assertSame("the file", cluster.read("/previous"), data);
    assertThat(
            PosixFilePermissions.toString(
                Files.getPosixFilePermissions(
                    cluster.hdrfDirectory(volume).resolve("superblock.0"))))
        .isEqualTo("rw-------");
  }
}
