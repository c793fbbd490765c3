/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hdrf.conf.HdrfKeys;
import io.hdrf.io.TestBytes;
import io.hdrf.reduce.SkipReason;
import java.io.File;
import java.io.IOException;
import java.util.Arrays;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.impl.HdrfDatasets;
import org.apache.hadoop.util.VersionInfo;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The usage that a DataNode reports without du, which runs once an hour here; and full disks. */
@Timeout(180)
class SpaceTest {

  private static final int BLOCK = HdrfCluster.BLOCK_SIZE;

  private HdrfCluster cluster;

  @BeforeEach
  void start() throws Exception {
    cluster = HdrfCluster.start(HdrfCluster.configuration(), 1);
  }

  @AfterEach
  void stop() {
    cluster.close();
  }

  private DataNode datanode() {
    return cluster.mini().getDataNodes().get(0);
  }

  /** What the files of a file's blocks take, with their checksums. */
  private long physical(String path) throws IOException {
    long sum = 0;
    for (File replica : cluster.replicas(path)) {
      sum += BlockFiles.physicalLength(replica);
      File[] meta = replica.getParentFile().listFiles((d, n) -> isMeta(replica, n));
      sum += meta[0].length();
    }
    return sum;
  }

  private static boolean isMeta(File replica, String name) {
    return name.startsWith(replica.getName() + "_") && name.endsWith(".meta");
  }

  /** What is used besides the stores of schemes, which grow and shrink in the background. */
  private long used() {
    return cluster.used(0) - cluster.lengths(0, "/hdrf/dedup/");
  }

  private void awaitUsed(long expected) throws InterruptedException {
    HdrfCluster.await(
        "the DataNode to use " + expected + " bytes, not " + used(), () -> used() == expected);
  }

  private void awaitGone(String path) throws Exception {
    java.util.List<File> files = cluster.replicas(path);
    cluster.fs().delete(new Path(path), false);
    HdrfCluster.await(
        "the blocks of " + path + " to be deleted", () -> files.stream().noneMatch(File::exists));
  }

  @Test
  void reducingAndDeletingCorrectTheSpaceAtOnce() throws Exception {
    long before = used();
    cluster.write("/text", TestBytes.text(3 * BLOCK + 123_456, 1), 1);
    cluster.awaitReduced("/text");
    cluster.awaitReduced();
    long physical = physical("/text");
    assertThat(physical).isLessThan(2 * BLOCK);
    assertThat(used() - before).isEqualTo(physical);

    cluster.write("/noise", TestBytes.noise(BLOCK, 2), 1);
    cluster.awaitReduced();
    assertThat(used() - before).isEqualTo(physical + physical("/noise"));
    long noise = physical("/noise");

    awaitGone("/text");
    awaitUsed(before + noise);
    awaitGone("/noise");
    awaitUsed(before);
  }

  @Test
  void blocksReducedBeforeARestartAreGivenBackRightly() throws Exception {
    long before = used();
    cluster.write("/text", TestBytes.text(2 * BLOCK, 3), 1);
    cluster.awaitReduced("/text");
    cluster.awaitReduced();
    long used = used();
    cluster.restart(0);
    cluster.mini().waitActive();
    awaitScanned("/text");
    long after = used();
    assertThat(after).isBetween(used - 65_536, used + 65_536);
    long physical = physical("/text");
    awaitGone("/text");
    awaitUsed(after - physical);
    assertThat(before).isNotNegative();
  }

  @Test
  void blocksAreGivenBackRightlyWhereSchemesWereTurnedOff() throws Exception {
    cluster.write("/text", TestBytes.text(2 * BLOCK, 4), 1);
    cluster.awaitReduced("/text");
    Configuration off = new Configuration(cluster.conf());
    off.set(HdrfKeys.SCHEMES, "none");
    cluster.restartAs(off);
    awaitScanned("/text");
    long after = used();
    long physical = physical("/text");
    awaitGone("/text");
    awaitUsed(after - physical);
  }

  private void awaitScanned(String path) throws Exception {
    HdrfService service = cluster.service(0);
    for (LocatedBlock located : cluster.blocks(path)) {
      HdrfCluster.await(
          "the scan to see " + located,
          () ->
              service.knownSaving(
                      located.getBlock().getBlockPoolId(), located.getBlock().getBlockId())
                  > 0);
    }
  }

  /**
   * Stock HDFS before 3.5 counts an appended block twice until du runs, and later takes it off
   * first; HDRF adds nothing to that.
   */
  @Test
  void inflatingCountsWhatIsInflated() throws Exception {
    int length = 700_000;
    cluster.write("/text", TestBytes.text(length, 5), 1);
    cluster.awaitReduced("/text");
    cluster.awaitReduced();
    long used = used();
    File replica = cluster.replicas("/text").get(0);
    long physical = BlockFiles.physicalLength(replica);
    long meta = physical("/text") - physical;
    long takenOff = VersionInfo.getVersion().startsWith("3.5.") ? length + meta : 0;
    try (FSDataOutputStream out = cluster.fs().append(new Path("/text"))) {
      out.write(1);
      out.hflush();
      assertThat(used()).isEqualTo(used + length - physical - takenOff);
    }
  }

  @Test
  void aFullDiskFailsTheAppendAndKeepsTheBlock() throws Exception {
    byte[] data = TestBytes.text(900_000, 6);
    cluster.write("/full", data, 1);
    cluster.awaitReduced("/full");
    HdrfDatasets.setCapacity(datanode(), cluster.used(0) + 300_000);
    assertThatThrownBy(() -> cluster.append("/full", new byte[10])).isInstanceOf(IOException.class);
    assertThat(cluster.plainReplicas("/full")).isEmpty();
    // Closing takes no space.
    cluster.recoverLease("/full");
    cluster.assertContent("/full", data);
    assertThat(cluster.plainReplicas("/full")).isEmpty();
    assertThat(reserved()).isZero();
    HdrfDatasets.setCapacity(datanode(), -1);
    byte[] more = TestBytes.text(50_000, 7);
    cluster.append("/full", more);
    byte[] all = Arrays.copyOf(data, data.length + more.length);
    System.arraycopy(more, 0, all, data.length, more.length);
    cluster.assertContent("/full", all);
    cluster.awaitReduced("/full");
    cluster.assertContent("/full", all);
  }

  @Test
  void aFullDiskDelaysATruncationAndLosesNothing() throws Exception {
    byte[] data = TestBytes.text(900_000, 8);
    cluster.write("/cut", data, 1);
    cluster.awaitReduced("/cut");
    HdrfDatasets.setCapacity(datanode(), cluster.used(0) + 300_000);
    File replica = cluster.replicas("/cut").get(0);
    cluster.fs().truncate(new Path("/cut"), 600_001);
    Thread.sleep(3000);
    assertThat(BlockFiles.isReduced(replica)).isTrue();
    assertThat(replica).hasSize(data.length);
    HdrfDatasets.setCapacity(datanode(), -1);
    cluster.recoverLease("/cut");
    cluster.assertContent("/cut", Arrays.copyOf(data, 600_001));
    cluster.awaitReduced("/cut");
    cluster.assertContent("/cut", Arrays.copyOf(data, 600_001));
  }

  @Test
  void whatFindsNoRoomIsReducedLater() throws Exception {
    byte[] data = TestBytes.text(900_000, 9);
    try (FSDataOutputStream out = cluster.fs().create(new Path("/later"))) {
      out.write(data);
      out.hflush();
      HdrfDatasets.setCapacity(datanode(), cluster.used(0) + 1_500_000);
    }
    HdrfCluster.await(
        "the Reducer to find no room",
        () -> cluster.service(0).counters().skippedFor(SkipReason.NO_SPACE) > 0);
    cluster.assertContent("/later", data);
    assertThat(cluster.plainReplicas("/later")).hasSize(1);
    HdrfDatasets.setCapacity(datanode(), -1);
    cluster.awaitReduced("/later");
    cluster.assertContent("/later", data);
    cluster.awaitReduced();
    assertThat(reserved()).isZero();
  }

  private long reserved() throws IOException {
    return HdrfDatasets.reservedForReplicas(datanode());
  }
}
