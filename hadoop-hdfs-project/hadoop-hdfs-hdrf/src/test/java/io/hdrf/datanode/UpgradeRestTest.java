/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode;

import static org.assertj.core.api.Assertions.assertThat;

import io.hdrf.io.TestBytes;
import io.hdrf.reduce.SkipReason;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.protocol.HdfsConstants.RollingUpgradeAction;
import org.apache.hadoop.hdfs.protocol.HdfsConstants.SafeModeAction;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.impl.FsVolumeImpl;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Rule 8: the Reducer pauses while an upgrade is open. */
class UpgradeRestTest {

  private static HdrfCluster cluster;

  @BeforeAll
  static void start() throws Exception {
    cluster = HdrfCluster.start(HdrfCluster.configuration(), 1, 2);
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

  /** Each has the directory until the next block report. */
  private static List<Path> openUpgrade(String name) throws Exception {
    List<Path> directories = new ArrayList<>();
    for (FsVolumeImpl volume : cluster.volumes(0)) {
      directories.add(HdrfCluster.poolDirectory(volume, cluster.pool()).resolve(name));
    }
    List<Path> previous = directories.stream().map(d -> d.resolveSibling("previous")).toList();
    // The answer to each block report finalizes any upgrade, in later lines by and by.
    for (int i = 0; i < 2; i++) {
      for (Path directory : previous) {
        Files.createDirectories(directory);
      }
      cluster.mini().triggerBlockReports();
      HdrfCluster.await(
          "the upgrade to be finalized",
          () ->
              previous.stream()
                  .noneMatch(
                      directory ->
                          Files.exists(directory)
                              || Files.exists(directory.resolveSibling("finalized.tmp"))));
    }
    for (Path directory : directories) {
      Files.createDirectory(directory);
    }
    return directories;
  }

  private static long framesEncoded() {
    return cluster.service(0).counters().values().get("framesEncoded");
  }

  /** It has nothing to go back to, and a rollback takes the DataNode's other blocks back. */
  @ParameterizedTest
  @ValueSource(strings = {"previous", "previous.tmp", "finalized.tmp"})
  void aVolumeThatCameDuringTheUpgradeRests(String name) throws Exception {
    List<Path> directories = openUpgrade(name);
    String path = "/came-during-" + name;
    cluster.write(path, TestBytes.text(500_000, 84), 1);
    ExtendedBlock block = cluster.block(path);
    int own = cluster.volumes(0).indexOf(cluster.volume(0, block));
    Files.delete(directories.get(own));
    assertRests(block);
    Files.delete(directories.get(1 - own));
    cluster.awaitReduced(0, block);
  }

  @Test
  void restsWhilePreviousExistsAndLeavesLinkedFilesAlone() throws Exception {
    List<Path> previous = openUpgrade("previous");
    byte[] data = TestBytes.text(500_000, 83);
    cluster.write("/previous", data, 1);
    ExtendedBlock block = cluster.block("/previous");
    assertRests(block);
    FsVolumeImpl volume = cluster.volume(0, block);
    Path link = HdrfCluster.poolDirectory(volume, cluster.pool()).resolve("link");
    Files.createLink(link, cluster.file(0, block).toPath());
    long linked = cluster.service(0).counters().skippedFor(SkipReason.LINKED);
    final long encoded = framesEncoded();
    for (Path directory : previous) {
      Files.delete(directory);
    }
    HdrfCluster.await(
        "the link to be noticed",
        () -> cluster.service(0).counters().skippedFor(SkipReason.LINKED) > linked);
    assertThat(cluster.isReduced(0, block)).isFalse();
    assertThat(framesEncoded()).as("it is noticed before anything is encoded").isEqualTo(encoded);
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
