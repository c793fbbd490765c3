/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hdrf.admin.AdminClient;
import io.hdrf.admin.JobInfo;
import io.hdrf.admin.JobInfo.Figure;
import io.hdrf.admin.JobKind;
import io.hdrf.admin.ReducedBlocks;
import io.hdrf.conf.HdrfKeys;
import io.hdrf.io.TestBytes;
import io.hdrf.spi.io.LocalDurableFiles;
import io.hdrf.volume.Superblock;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.PrivilegedExceptionAction;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.conf.ReconfigurationException;
import org.apache.hadoop.hdfs.DFSConfigKeys;
import org.apache.hadoop.hdfs.protocol.HdfsConstants.RollingUpgradeAction;
import org.apache.hadoop.hdfs.protocol.HdfsConstants.SafeModeAction;
import org.apache.hadoop.hdfs.server.common.HdfsServerConstants.StartupOption;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.hdfs.server.datanode.DataNodeTestUtils;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.impl.HdrfDatasets;
import org.apache.hadoop.security.AccessControlException;
import org.apache.hadoop.security.UserGroupInformation;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Administrators' jobs that convert, inflate and verify the blocks of running DataNodes. */
@Timeout(180)
class JobsTest {

  private static final int BLOCK = HdrfCluster.BLOCK_SIZE;

  /** A rate at which one block is done at once, and the next one after days. */
  private static final long ONE_BLOCK = 1;

  private static final String WAITS = "converting once the upgrade is finalized";

  private static final String DIRECTORIES = DFSConfigKeys.DFS_DATANODE_DATA_DIR_KEY;

  private HdrfCluster cluster;

  @AfterEach
  void stop() {
    if (cluster != null) {
      cluster.close();
    }
  }

  private static Configuration onlyWhenAsked() {
    Configuration conf = configuration("lz4");
    conf.set(HdrfKeys.REDUCE_EXISTING, "convert");
    return conf;
  }

  private static Configuration configuration(String chain) {
    Configuration conf = HdrfCluster.configuration();
    conf.set(HdrfKeys.SCHEMES, chain);
    if (chain.startsWith("dedup")) {
      conf.set(HdrfKeys.PLUGINS_DIR, System.getProperty("hdrf.test.plugins.with.store"));
      conf.set("hdrf.dedup.container.size", "1m");
    }
    return conf;
  }

  private AdminClient admin(int datanode) throws IOException {
    DataNode dataNode = cluster.mini().getDataNodes().get(datanode);
    return AdminClient.connect(
        new InetSocketAddress(InetAddress.getLoopbackAddress(), dataNode.getIpcPort()),
        cluster.conf());
  }

  private List<JobInfo> jobs(int datanode, JobKind kind) {
    try (AdminClient admin = admin(datanode)) {
      return admin.jobs(kind);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void start(JobKind kind, long rate) throws IOException {
    for (int i = 0; i < cluster.mini().getDataNodes().size(); i++) {
      try (AdminClient admin = admin(i)) {
        admin.startJob(kind, rate, 1);
      }
    }
  }

  private void stop(JobKind kind) throws IOException {
    for (int i = 0; i < cluster.mini().getDataNodes().size(); i++) {
      try (AdminClient admin = admin(i)) {
        admin.stopJob(kind);
      }
    }
  }

  private void runToItsEnd(JobKind kind) throws Exception {
    start(kind, 0);
    for (int i = 0; i < cluster.mini().getDataNodes().size(); i++) {
      int datanode = i;
      HdrfCluster.await(
          kind + " to be done",
          () -> jobs(datanode, kind).stream().allMatch(job -> job.state() == JobInfo.State.DONE));
    }
  }

  private long figure(JobKind kind, Figure figure) {
    long sum = 0;
    for (int i = 0; i < cluster.mini().getDataNodes().size(); i++) {
      sum += jobs(i, kind).stream().mapToLong(job -> job.figure(figure)).sum();
    }
    return sum;
  }

  private long reducedBlocks() throws IOException {
    long sum = 0;
    for (int i = 0; i < cluster.mini().getDataNodes().size(); i++) {
      try (AdminClient admin = admin(i)) {
        sum += admin.reducedBlocks().stream().mapToLong(ReducedBlocks::total).sum();
      }
    }
    return sum;
  }

  private void assertMode(String mode) {
    for (int i = 0; i < cluster.mini().getDataNodes().size(); i++) {
      assertThat(jobs(i, JobKind.CONVERT)).isNotEmpty().allMatch(job -> job.mode().equals(mode));
    }
  }

  /** An operator who learns that all is plain removes the factory next. */
  @Test
  void whatIsNotInServiceIsNotCountedAsPlain() throws Exception {
    cluster = HdrfCluster.start(configuration("lz4"), 1, 2);
    DataNode dataNode = cluster.mini().getDataNodes().get(0);
    File storage = cluster.mini().getInstanceStorageDir(0, 0);
    Path stranger =
        Files.createDirectories(
            storage.toPath().resolve("current").resolve("BP-7-127.0.0.1-7").resolve("hdrf"));
    Superblock.create(stranger, LocalDurableFiles.INSTANCE);
    Path unmounted = Files.createFile(storage.toPath().resolveSibling("unmounted"));
    String directories = dataNode.getConf().get(DIRECTORIES);
    assertThatThrownBy(
            () -> dataNode.reconfigurePropertyImpl(DIRECTORIES, directories + "," + unmounted))
        .isInstanceOf(ReconfigurationException.class);
    List<ReducedBlocks> counts;
    try (AdminClient admin = admin(0)) {
      counts = admin.reducedBlocks();
      assertThat(admin.leftOut())
          .noneMatch(ReducedBlocks::isCounted)
          .extracting(ReducedBlocks::directory)
          .containsExactlyInAnyOrder(stranger.toString(), unmounted.toString());
    }
    assertThat(counts.stream().filter(ReducedBlocks::isCounted).count())
        .as("pools in service")
        .isEqualTo(2);
    assertThat(notCounted(counts))
        .containsExactlyInAnyOrder(stranger.toString(), unmounted.toString());
  }

  private List<ReducedBlocks> counts() throws IOException {
    try (AdminClient admin = admin(0)) {
      return admin.reducedBlocks();
    }
  }

  private static List<String> notCounted(List<ReducedBlocks> counts) {
    return counts.stream()
        .filter(count -> !count.isCounted())
        .map(ReducedBlocks::directory)
        .toList();
  }

  /** Stock code forgets the directory, and the disk comes back with its reduced blocks. */
  @Test
  void aDirectoryThatFailedIsNotCountedAsPlainBeforeItIsTakenOut() throws Exception {
    Configuration conf = configuration("lz4");
    conf.setInt(DFSConfigKeys.DFS_DATANODE_FAILED_VOLUMES_TOLERATED_KEY, 1);
    conf.setInt(DFSConfigKeys.DFS_DATANODE_DISK_CHECK_MIN_GAP_KEY, 0);
    cluster = HdrfCluster.start(conf, 1, 2);
    cluster.write("/file", TestBytes.text(4 * BLOCK, 13), 1);
    cluster.awaitReduced("/file");
    DataNode dataNode = cluster.mini().getDataNodes().get(0);
    File failing = cluster.mini().getInstanceStorageDir(0, 0);
    String both = dataNode.getConf().get(DIRECTORIES);
    DataNodeTestUtils.injectDataDirFailure(failing);
    try {
      dataNode.checkDiskError();
      assertThat(dataNode.getFSDataset().getNumFailedVolumes()).isEqualTo(1);
      assertThat(dataNode.getConf().get(DIRECTORIES)).doesNotContain(failing.toString());
      assertThat(notCounted(counts())).containsExactly(failing.toString());
    } finally {
      DataNodeTestUtils.restoreDataDirFromFailure(failing);
    }
    Path back =
        failing
            .toPath()
            .resolve("current")
            .resolve(cluster.mini().getNamesystem().getBlockPoolId())
            .resolve("hdrf");
    assertThat(notCounted(counts())).containsExactly(back.toString());

    dataNode.reconfigurePropertyImpl(DIRECTORIES, dataNode.getConf().get(DIRECTORIES));
    assertThat(counts()).as("taken out by an administrator").hasSize(1);
    assertThat(notCounted(counts())).isEmpty();
    dataNode.reconfigurePropertyImpl(DIRECTORIES, both);
    assertThat(counts()).as("added again").hasSize(2);
    assertThat(reducedBlocks()).isEqualTo(4);
  }

  @Test
  void oldBlocksAreConvertedWhenAsked() throws Exception {
    cluster = HdrfCluster.start(HdrfCluster.stockConfiguration(), 1, 2);
    byte[] old = TestBytes.text(5 * BLOCK + 100_000, 1);
    byte[] noise = TestBytes.noise(BLOCK, 2);
    cluster.write("/old", old, 1);
    cluster.write("/noise", noise, 1);
    cluster.restartAs(onlyWhenAsked());
    byte[] young = TestBytes.text(BLOCK, 3);
    cluster.write("/young", young, 1);
    cluster.awaitReduced("/young");
    cluster.letTheScanLook(0);
    assertThat(cluster.plainReplicas("/old")).hasSize(6);

    runToItsEnd(JobKind.CONVERT);
    assertThat(cluster.plainReplicas("/old")).isEmpty();
    assertThat(figure(JobKind.CONVERT, Figure.BLOCKS)).isEqualTo(8);
    assertThat(figure(JobKind.CONVERT, Figure.BLOCKS_LOOKED)).isEqualTo(8);
    assertThat(figure(JobKind.CONVERT, Figure.BLOCKS_DONE)).isEqualTo(6);
    assertThat(figure(JobKind.CONVERT, Figure.BYTES_DONE)).isEqualTo(old.length);
    assertThat(figure(JobKind.CONVERT, Figure.BYTES_SAVED))
        .isBetween((long) old.length / 4, (long) old.length);
    long incompressible = 0;
    for (JobInfo job : jobs(0, JobKind.CONVERT)) {
      incompressible += job.left().getOrDefault("Incompressible", 0L);
    }
    assertThat(incompressible).isEqualTo(1);
    assertThat(cluster.service(0).jobs().counters().values())
        .containsEntry("convertBlocks", 6L)
        .containsEntry("convertBytes", (long) old.length);
    assertMode("automatic");
    assertThat(reducedBlocks()).isEqualTo(7);
    cluster.assertContent("/old", old);
    cluster.assertContent("/noise", noise);
    cluster.assertContent("/young", young);

    runToItsEnd(JobKind.CONVERT);
    assertThat(figure(JobKind.CONVERT, Figure.BLOCKS_DONE)).as("at the second time").isZero();
  }

  @Test
  void aConversionGoesOnAfterARestartUntilItIsStopped() throws Exception {
    cluster = HdrfCluster.start(HdrfCluster.stockConfiguration(), 1);
    byte[] old = TestBytes.text(6 * BLOCK, 4);
    cluster.write("/old", old, 1);
    cluster.restartAs(onlyWhenAsked());
    start(JobKind.CONVERT, ONE_BLOCK);
    HdrfCluster.await("the first block", () -> figure(JobKind.CONVERT, Figure.BLOCKS_DONE) == 1);
    cluster.letTheScanLook(0);
    assertThat(cluster.plainReplicas("/old")).hasSize(5);
    assertMode("converting");

    cluster.restartAs(onlyWhenAsked());
    HdrfCluster.await("the second block", () -> figure(JobKind.CONVERT, Figure.BLOCKS_DONE) == 1);
    assertThat(figure(JobKind.CONVERT, Figure.RATE)).isEqualTo(ONE_BLOCK);
    assertThat(cluster.plainReplicas("/old")).hasSize(4);
    stop(JobKind.CONVERT);
    assertThat(jobs(0, JobKind.CONVERT).get(0).state()).isEqualTo(JobInfo.State.STOPPED);
    assertMode("new blocks only");

    // The scan could reduce now, if the conversion had not been stopped.
    cluster.restartAs(HdrfCluster.configuration());
    cluster.letTheScanLook(0);
    assertThat(jobs(0, JobKind.CONVERT).get(0).state()).isEqualTo(JobInfo.State.NONE);
    assertThat(cluster.plainReplicas("/old")).hasSize(4);
    byte[] young = TestBytes.text(BLOCK, 5);
    cluster.write("/young", young, 1);
    cluster.awaitReduced("/young");
    assertThat(cluster.plainReplicas("/old")).hasSize(4);

    start(JobKind.CONVERT, ONE_BLOCK);
    HdrfCluster.await("the third block", () -> figure(JobKind.CONVERT, Figure.BLOCKS_DONE) == 1);
    runToItsEnd(JobKind.CONVERT);
    assertThat(figure(JobKind.CONVERT, Figure.BLOCKS_DONE)).as("of one job").isEqualTo(4);
    assertThat(cluster.plainReplicas("/old")).isEmpty();
    assertMode("automatic");
    cluster.assertContent("/old", old);
    cluster.assertContent("/young", young);
  }

  /** One block of {@code /old} is reduced, and the next one's turn is in days. */
  private byte[] convertSlowly() throws Exception {
    cluster = HdrfCluster.start(HdrfCluster.stockConfiguration(), 1);
    byte[] old = TestBytes.text(4 * BLOCK, 8);
    cluster.write("/old", old, 1);
    cluster.restartAs(onlyWhenAsked());
    start(JobKind.CONVERT, ONE_BLOCK);
    HdrfCluster.await("the first block", () -> figure(JobKind.CONVERT, Figure.BLOCKS_DONE) == 1);
    return old;
  }

  private void awaitMode(String mode) throws InterruptedException {
    HdrfCluster.await(
        mode, () -> jobs(0, JobKind.CONVERT).stream().allMatch(job -> job.mode().equals(mode)));
  }

  private void assertGoesOn(byte[] old) throws Exception {
    awaitMode("automatic");
    assertThat(cluster.plainReplicas("/old")).isEmpty();
    cluster.assertContent("/old", old);
  }

  @Test
  void aConversionRestsInARollingUpgradeAndGoesOn() throws Exception {
    byte[] old = convertSlowly();
    cluster.mini().getNameNodeRpc().setSafeMode(SafeModeAction.SAFEMODE_ENTER, false);
    cluster.fs().rollingUpgrade(RollingUpgradeAction.PREPARE);
    cluster.mini().getNameNodeRpc().setSafeMode(SafeModeAction.SAFEMODE_LEAVE, false);
    Path marker = poolDirectory().resolve("RollingUpgradeInProgress");
    HdrfCluster.await("the DataNode to learn of it", () -> Files.exists(marker));
    start(JobKind.CONVERT, 0);
    awaitMode(WAITS);
    assertThat(jobs(0, JobKind.CONVERT)).allMatch(job -> job.state() == JobInfo.State.WAITING);
    assertThat(cluster.plainReplicas("/old")).hasSize(3);
    cluster.fs().rollingUpgrade(RollingUpgradeAction.FINALIZE);
    assertGoesOn(old);
  }

  /** HDFS tells the dataset nothing of this kind of upgrade. */
  @Test
  void aConversionRestsInAnUpgradeWithPreviousAndGoesOn() throws Exception {
    byte[] old = convertSlowly();
    cluster.restartAs(onlyWhenAsked(), StartupOption.UPGRADE);
    start(JobKind.CONVERT, 0);
    awaitMode(WAITS);
    assertThat(cluster.plainReplicas("/old")).hasSize(3);
    Path previous = poolDirectory().resolve("previous");
    assertThat(previous).exists();
    cluster.fs().finalizeUpgrade();
    cluster.mini().triggerBlockReports();
    HdrfCluster.await("the end of the upgrade", () -> !Files.exists(previous));
    // As the timer does a minute later.
    cluster.service(0).noUpgradeIsOpen();
    awaitMode("automatic");
    assertGoesOn(old);
  }

  private Path poolDirectory() throws IOException {
    return HdrfCluster.poolDirectory(cluster.volumes(0).get(0), cluster.pool());
  }

  @ParameterizedTest
  @ValueSource(strings = {"lz4", "dedup,lz4"})
  void fromReducedBlocksToStockHdfsAndBack(String chain) throws Exception {
    cluster = HdrfCluster.start(configuration(chain), 2, 2);
    byte[] first = TestBytes.text(3 * BLOCK + 123_456, 6);
    byte[] second = TestBytes.text(BLOCK + 77_777, 7);
    cluster.write("/first", first, 2);
    cluster.write("/second", second, 1);
    cluster.awaitReduced("/first");
    cluster.awaitReduced("/second");
    assertThat(reducedBlocks()).isEqualTo(10);
    try (AdminClient admin = admin(0)) {
      // Each volume has at least its superblock.
      assertThat(admin.use(10_000)).isNotEmpty().allMatch(use -> use.fileBytes() > 0);
    }
    long used = cluster.used(0) + cluster.used(1);

    runToItsEnd(JobKind.INFLATE);
    assertThat(reducedBlocks()).isZero();
    assertThat(figure(JobKind.INFLATE, Figure.BLOCKS_DONE)).isEqualTo(10);
    assertThat(figure(JobKind.INFLATE, Figure.BYTES_DONE))
        .isEqualTo(2L * first.length + second.length);
    assertThat(cluster.used(0) + cluster.used(1)).isGreaterThan(used);
    assertThat(cluster.plainReplicas("/first")).hasSize(8);
    assertMode("kept plain");
    byte[] third = TestBytes.text(BLOCK, 8);
    cluster.write("/third", third, 2);
    cluster.letTheScanLook(0);
    assertThat(reducedBlocks()).as("new blocks").isZero();
    cluster.restartAs(configuration(chain));
    cluster.letTheScanLook(0);
    assertThat(reducedBlocks()).as("after a restart").isZero();
    cluster.assertContent("/first", first);

    cluster.restartAs(HdrfCluster.stockConfiguration());
    TestBytes.assertSame("/first", cluster.read("/first"), first);
    TestBytes.assertSame("/second", cluster.read("/second"), second);
    TestBytes.assertSame("/third", cluster.read("/third"), third);
    cluster.append("/second", third);
    byte[] all = Arrays.copyOf(second, second.length + third.length);
    System.arraycopy(third, 0, all, second.length, third.length);
    TestBytes.assertSame("/second", cluster.read("/second"), all);
    cluster.mini().triggerBlockReports();
    assertThat(cluster.mini().getNamesystem().getCorruptReplicaBlocks()).isZero();

    cluster.restartAs(configuration(chain));
    cluster.letTheScanLook(0);
    assertMode("kept plain");
    runToItsEnd(JobKind.CONVERT);
    assertThat(cluster.plainReplicas("/first")).isEmpty();
    assertThat(cluster.plainReplicas("/second")).isEmpty();
    assertMode("automatic");
    cluster.write("/fourth", third, 1);
    cluster.awaitReduced("/fourth");
    cluster.assertContent("/first", first);
    cluster.assertContent("/second", all);
    cluster.assertContent("/third", third);
  }

  /** Stock HDFS also starts without any of HDRF's own files. */
  @Test
  void withoutItsOwnFilesHdrfBeginsAnew() throws Exception {
    cluster = HdrfCluster.start(configuration("lz4"), 1);
    byte[] data = TestBytes.text(2 * BLOCK, 9);
    cluster.write("/file", data, 1);
    cluster.awaitReduced("/file");
    runToItsEnd(JobKind.INFLATE);
    Path own = Path.of(jobs(0, JobKind.INFLATE).get(0).directory());
    cluster.restartAs(HdrfCluster.stockConfiguration(), () -> deleteAll(own));
    TestBytes.assertSame("/file", cluster.read("/file"), data);
    cluster.restartAs(configuration("lz4"));
    cluster.awaitReduced("/file");
    cluster.assertContent("/file", data);
  }

  private static void deleteAll(Path directory) throws IOException {
    try (Stream<Path> tree = Files.walk(directory)) {
      for (Path path : tree.sorted(java.util.Comparator.reverseOrder()).toList()) {
        Files.delete(path);
      }
    }
  }

  @Test
  void anInflationGoesOnAfterARestartUntilItIsStopped() throws Exception {
    cluster = HdrfCluster.start(configuration("lz4"), 1);
    byte[] data = TestBytes.text(5 * BLOCK, 10);
    cluster.write("/file", data, 1);
    cluster.awaitReduced("/file");
    start(JobKind.INFLATE, ONE_BLOCK);
    HdrfCluster.await("the first block", () -> cluster.plainReplicas("/file").size() == 1);
    cluster.restartAs(configuration("lz4"));
    HdrfCluster.await("the second block", () -> cluster.plainReplicas("/file").size() == 2);
    cluster.letTheScanLook(0);
    assertMode("inflating");
    stop(JobKind.INFLATE);
    cluster.letTheScanLook(0);
    assertThat(cluster.plainReplicas("/file")).hasSize(2);
    assertThat(reducedBlocks()).isEqualTo(3);
    assertMode("kept plain");
    cluster.restartAs(configuration("lz4"));
    cluster.letTheScanLook(0);
    assertThat(cluster.plainReplicas("/file")).hasSize(2);
    cluster.assertContent("/file", data);
    runToItsEnd(JobKind.INFLATE);
    assertThat(reducedBlocks()).isZero();
    cluster.assertContent("/file", data);

    start(JobKind.CONVERT, ONE_BLOCK);
    HdrfCluster.await("a block", () -> cluster.plainReplicas("/file").size() == 4);
    start(JobKind.INFLATE, 0);
    HdrfCluster.await("what ends a conversion", () -> cluster.plainReplicas("/file").size() == 5);
    cluster.assertContent("/file", data);
  }

  @Test
  void aFullDiskKeepsWhatDoesNotFitAndNothingElse() throws Exception {
    cluster = HdrfCluster.start(configuration("lz4"), 1);
    byte[] big = TestBytes.text(900_000, 11);
    byte[] small = TestBytes.text(100_000, 12);
    cluster.write("/big", big, 1);
    cluster.write("/small", small, 1);
    cluster.awaitReduced("/big");
    cluster.awaitReduced("/small");
    DataNode dataNode = cluster.mini().getDataNodes().get(0);
    HdrfDatasets.setCapacity(dataNode, cluster.used(0) + 400_000);
    runToItsEnd(JobKind.INFLATE);
    JobInfo job = jobs(0, JobKind.INFLATE).get(0);
    assertThat(job.left()).containsOnly(Map.entry("NoSpace", 1L));
    assertThat(job.examples()).hasSize(1).first().asString().contains("900000 bytes");
    assertThat(cluster.plainReplicas("/small")).hasSize(1);
    assertThat(cluster.plainReplicas("/big")).isEmpty();
    assertThat(reducedBlocks()).isEqualTo(1);
    assertThat(HdrfDatasets.reservedForReplicas(dataNode)).isZero();
    cluster.assertContent("/big", big);
    HdrfDatasets.setCapacity(dataNode, -1);
    runToItsEnd(JobKind.INFLATE);
    assertThat(reducedBlocks()).isZero();
    cluster.assertContent("/big", big);
    cluster.assertContent("/small", small);
  }

  @Test
  void reducedBlocksThatAnUpgradeKeepsAreCounted() throws Exception {
    cluster = HdrfCluster.start(configuration("lz4"), 1);
    byte[] data = TestBytes.text(BLOCK, 13);
    cluster.write("/file", data, 1);
    cluster.awaitReduced("/file");
    File replica = cluster.replicas("/file").get(0);
    Path pool = Path.of(jobs(0, JobKind.INFLATE).get(0).directory()).getParent();
    Path previous = Files.createDirectories(pool.resolve("previous/finalized/subdir0/subdir0"));
    Files.createLink(previous.resolve(replica.getName()), replica.toPath());
    runToItsEnd(JobKind.INFLATE);
    try (AdminClient admin = admin(0)) {
      List<ReducedBlocks> counts = admin.reducedBlocks();
      assertThat(counts.stream().mapToLong(ReducedBlocks::current).sum()).isZero();
      assertThat(counts.stream().mapToLong(ReducedBlocks::elsewhere).sum()).isEqualTo(1);
    }
    deleteAll(pool.resolve("previous"));
    assertThat(reducedBlocks()).isZero();
    cluster.assertContent("/file", data);
  }

  @Test
  void damageIsFoundAndTheNameNodeHearsOfIt() throws Exception {
    Configuration conf = configuration("lz4");
    conf.setLong(DFSConfigKeys.DFS_BLOCK_SCANNER_VOLUME_BYTES_PER_SECOND, 1 << 30);
    cluster = HdrfCluster.start(conf, 1);
    cluster.write("/sound", TestBytes.text(3 * BLOCK, 14), 1);
    cluster.write("/hit", TestBytes.text(BLOCK, 15), 1);
    cluster.write("/plain", TestBytes.noise(BLOCK, 16), 1);
    cluster.awaitReduced("/sound");
    cluster.awaitReduced("/hit");
    runToItsEnd(JobKind.VERIFY);
    assertThat(figure(JobKind.VERIFY, Figure.BLOCKS_DONE)).isEqualTo(4);
    assertThat(figure(JobKind.VERIFY, Figure.BYTES_DONE)).isEqualTo(4L * BLOCK);
    assertThat(figure(JobKind.VERIFY, Figure.BLOCKS_DAMAGED)).isZero();

    File hit = cluster.replicas("/hit").get(0);
    Damage.flip(hit, BlockFiles.physicalLength(hit) / 2, 4);
    runToItsEnd(JobKind.VERIFY);
    assertThat(figure(JobKind.VERIFY, Figure.BLOCKS_DONE)).isEqualTo(3);
    assertThat(figure(JobKind.VERIFY, Figure.BLOCKS_DAMAGED)).isEqualTo(1);
    JobInfo job = jobs(0, JobKind.VERIFY).stream().filter(i -> !i.left().isEmpty()).findAny().get();
    assertThat(job.left()).containsOnly(Map.entry("Damaged", 1L));
    assertThat(job.examples()).hasSize(1).first().asString().contains(hit.getName());
    assertThat(cluster.service(0).jobs().counters().values())
        .containsEntry("verifyBlocks", 7L)
        .containsEntry("verifyBlocksDamaged", 1L);
    HdrfCluster.await(
        "the NameNode to hear of it",
        () -> {
          try {
            cluster.mini().triggerHeartbeats();
          } catch (IOException e) {
            throw new IllegalStateException(e);
          }
          return cluster.mini().getNamesystem().getCorruptReplicaBlocks() == 1;
        });
    assertMode("automatic");
  }

  @Test
  void aDamagedChecksumFileIsFound() throws Exception {
    cluster = HdrfCluster.start(configuration("lz4"), 1);
    cluster.write("/file", TestBytes.text(BLOCK, 17), 1);
    cluster.awaitReduced("/file");
    File block = cluster.replicas("/file").get(0);
    File meta =
        block.getParentFile().listFiles((d, name) -> name.startsWith(block.getName() + "_"))[0];
    Damage.flip(meta, meta.length() / 2, 1);
    runToItsEnd(JobKind.VERIFY);
    assertThat(figure(JobKind.VERIFY, Figure.BLOCKS_DAMAGED)).isEqualTo(1);
  }

  @Test
  void damagedChunksAreFound() throws Exception {
    cluster = HdrfCluster.start(configuration("dedup,lz4"), 1);
    byte[] data = TestBytes.noise(3 * BLOCK / 2, 18);
    cluster.write("/file", data, 1);
    cluster.awaitReduced("/file");
    runToItsEnd(JobKind.VERIFY);
    assertThat(figure(JobKind.VERIFY, Figure.BLOCKS_DONE)).isEqualTo(2);
    List<JobInfo> jobs = jobs(0, JobKind.VERIFY);
    List<Path> containers = new ArrayList<>();
    cluster.restartAs(
        configuration("dedup,lz4"),
        () -> {
          for (JobInfo job : jobs) {
            try (Stream<Path> files = Files.walk(Path.of(job.directory()))) {
              files.filter(file -> file.toString().endsWith(".hdc")).forEach(containers::add);
            }
          }
          for (Path container : containers) {
            Damage.flip(container.toFile(), Files.size(container) / 2, 1);
          }
        });
    assertThat(containers).isNotEmpty();
    runToItsEnd(JobKind.VERIFY);
    assertThat(figure(JobKind.VERIFY, Figure.BLOCKS_DAMAGED)).isPositive();
  }

  @Test
  void whatMakesNoSenseIsRefused() throws Exception {
    Configuration conf = configuration("lz4");
    cluster = HdrfCluster.start(conf, 1);
    try (AdminClient admin = admin(0)) {
      assertThatThrownBy(() -> admin.startJob(JobKind.CONVERT, -1, 1))
          .hasMessageContaining("rate is -1");
      for (double fraction : new double[] {0, -1, 1.01, Double.NaN}) {
        assertThatThrownBy(() -> admin.startJob(JobKind.VERIFY, 0, fraction))
            .hasMessageContaining("fraction is " + fraction);
      }
      InetSocketAddress address =
          new InetSocketAddress(
              InetAddress.getLoopbackAddress(), cluster.mini().getDataNodes().get(0).getIpcPort());
      UserGroupInformation.createUserForTesting("stranger", new String[] {"strangers"})
          .doAs(
              (PrivilegedExceptionAction<Void>)
                  () -> {
                    try (AdminClient stranger = AdminClient.connect(address, cluster.conf())) {
                      assertThatThrownBy(() -> stranger.startJob(JobKind.INFLATE, 0, 1))
                          .isInstanceOf(AccessControlException.class);
                      assertThatThrownBy(() -> stranger.stopJob(JobKind.INFLATE))
                          .isInstanceOf(AccessControlException.class);
                      assertThatThrownBy(() -> stranger.jobs(JobKind.INFLATE))
                          .isInstanceOf(AccessControlException.class);
                      assertThatThrownBy(stranger::reducedBlocks)
                          .isInstanceOf(AccessControlException.class);
                    }
                    return null;
                  });
    }
    assertMode("automatic");
    Configuration off = configuration("lz4");
    off.unset(HdrfKeys.SCHEMES);
    cluster.restartAs(off);
    try (AdminClient admin = admin(0)) {
      assertThatThrownBy(() -> admin.startJob(JobKind.CONVERT, 0, 1))
          .hasMessageContaining(HdrfKeys.SCHEMES);
    }
  }

  @Test
  void aDamagedStateKeepsBlocksAsTheyAre() throws Exception {
    cluster = HdrfCluster.start(configuration("lz4"), 1);
    byte[] data = TestBytes.text(2 * BLOCK, 19);
    cluster.write("/file", data, 1);
    cluster.awaitReduced("/file");
    start(JobKind.INFLATE, ONE_BLOCK);
    HdrfCluster.await("the first block", () -> cluster.plainReplicas("/file").size() == 1);
    List<JobInfo> jobs = jobs(0, JobKind.INFLATE);
    cluster.restartAs(
        configuration("lz4"),
        () -> {
          for (JobInfo job : jobs) {
            Damage.flip(new File(job.directory(), "conversion"), 10, 1);
          }
        });
    cluster.letTheScanLook(0);
    assertMode("kept plain");
    assertThat(cluster.plainReplicas("/file")).hasSize(1);
    runToItsEnd(JobKind.CONVERT);
    cluster.restartAs(configuration("lz4"));
    assertMode("automatic");
    cluster.assertContent("/file", data);
  }

  /** Blocks are appended to and read all the time. */
  @Test
  void writersAndReadersNoticeNothing() throws Exception {
    Configuration conf = configuration("lz4");
    conf.setInt("hdrf.reduce.min.block.size", 1);
    cluster = HdrfCluster.start(conf, 2, 2);
    byte[] steady = TestBytes.text(4 * BLOCK, 20);
    cluster.write("/steady", steady, 2);
    byte[] growing = TestBytes.text(40_000, 21);
    cluster.write("/growing", growing, 2);
    AtomicBoolean ending = new AtomicBoolean();
    AtomicReference<Throwable> failure = new AtomicReference<>();
    Thread reader =
        new Thread(
            () -> {
              try {
                while (!ending.get()) {
                  TestBytes.assertSame("/steady", cluster.read("/steady"), steady);
                }
              } catch (Throwable e) {
                failure.set(e);
              }
            });
    reader.start();
    byte[] all = growing;
    for (int round = 0; round < 4; round++) {
      for (JobKind kind : new JobKind[] {JobKind.INFLATE, JobKind.VERIFY, JobKind.CONVERT}) {
        start(kind, 0);
        byte[] more = TestBytes.text(30_000, 22 + round);
        cluster.append("/growing", more);
        byte[] longer = Arrays.copyOf(all, all.length + more.length);
        System.arraycopy(more, 0, longer, all.length, more.length);
        all = longer;
      }
    }
    ending.set(true);
    reader.join();
    assertThat(failure.get()).isNull();
    runToItsEnd(JobKind.INFLATE);
    assertThat(reducedBlocks()).isZero();
    cluster.assertContent("/steady", steady);
    cluster.assertContent("/growing", all);
    for (int i = 0; i < 2; i++) {
      assertThat(cluster.service(i).counters().values()).containsEntry("corruptBlocks", 0L);
      assertThat(jobs(i, JobKind.VERIFY)).allMatch(job -> job.figure(Figure.BLOCKS_DAMAGED) == 0);
    }
  }
}
