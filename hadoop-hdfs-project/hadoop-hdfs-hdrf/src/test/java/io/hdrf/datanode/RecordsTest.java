/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hdrf.admin.AdminClient;
import io.hdrf.admin.VolumeInfo;
import io.hdrf.conf.HdrfKeys;
import io.hdrf.io.TestBytes;
import io.hdrf.metadata.BlockRecord;
import io.hdrf.metadata.CheckResult;
import io.hdrf.metadata.StoreStatus;
import io.hdrf.metadata.VolumeRecords;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.PrivilegedExceptionAction;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.server.datanode.DataNodeTestUtils;
import org.apache.hadoop.security.AccessControlException;
import org.apache.hadoop.security.UserGroupInformation;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The records of a DataNode's blocks, and administrators' views of them. */
class RecordsTest {

  private HdrfCluster cluster;

  private static Configuration configuration() {
    Configuration conf = HdrfCluster.configuration();
    conf.set(HdrfKeys.PLUGINS_DIR, System.getProperty("hdrf.test.plugins.with.store"));
    conf.setInt("hdrf.metadata.flush.interval", 20);
    conf.setInt("hdrf.metadata.check.interval", 100);
    return conf;
  }

  @AfterEach
  void stop() throws Exception {
    if (cluster != null) {
      cluster.close();
    }
  }

  private void write(String path, byte[] data) throws IOException {
    try (FSDataOutputStream out =
        cluster.fs().create(new org.apache.hadoop.fs.Path(path), (short) 1)) {
      out.write(data);
    }
  }

  private static byte[] text(int length) {
    byte[] data = new byte[length];
    for (int i = 0; i < length; i++) {
      data[i] = (byte) ('a' + i / 7 % 20);
    }
    return data;
  }

  private VolumeRecords records() {
    return cluster.service(0).records().volumes().get(0);
  }

  private void awaitInStep() throws Exception {
    cluster.awaitReduced();
    HdrfCluster.await(
        "records to be in step",
        () ->
            cluster.service(0).records().volumes().stream()
                .allMatch(
                    volume ->
                        volume.status().state() == StoreStatus.State.IN_STEP
                            && volume.pending() == 0));
  }

  private BlockRecord record(String path) throws IOException {
    return records().get(blockId(path));
  }

  private long blockId(String path) throws IOException {
    LocatedBlock block =
        cluster.fs().getClient().getLocatedBlocks(path, 0).getLocatedBlocks().get(0);
    return block.getBlock().getBlockId();
  }

  private void assertNoDifference() throws IOException {
    for (VolumeRecords volume : cluster.service(0).records().volumes()) {
      CheckResult check = volume.check(false);
      assertThat(check.examples()).isEmpty();
      assertThat(check.unreadable()).isZero();
    }
  }

  /** As after a rolling rollback, where stock code reads a list that lacks what came back. */
  @Test
  void aBlockThatTheScannerFindsGetsItsRecord() throws Exception {
    cluster = HdrfCluster.start(configuration(), 1);
    write("/text", text(300_000));
    cluster.awaitReduced("/text");
    awaitInStep();
    Path file = cluster.file(0, cluster.block("/text")).toPath();
    Path meta = Path.of(cluster.replica(0, cluster.block("/text")).getMetadataURI());
    Path aside =
        Files.createDirectory(cluster.hdrfDirectory(cluster.volumes(0).get(0)).resolve("t"));
    Files.move(file, aside.resolve("data"));
    Files.move(meta, aside.resolve("meta"));
    DataNodeTestUtils.runDirectoryScanner(cluster.datanode(0));
    HdrfCluster.await("the record to go", () -> isWithoutRecord("/text"));
    Files.move(aside.resolve("data"), file);
    Files.move(aside.resolve("meta"), meta);
    DataNodeTestUtils.runDirectoryScanner(cluster.datanode(0));
    HdrfCluster.await("the record", () -> !isWithoutRecord("/text"));
    assertNoDifference();
  }

  /** From Hadoop 3.4 on without a look by the scanner. */
  @Test
  void aBlockThatAReaderMissesLosesItsRecord() throws Exception {
    Configuration conf = configuration();
    conf.setInt("dfs.client.max.block.acquire.failures", 0);
    cluster = HdrfCluster.start(conf, 1);
    write("/text", text(300_000));
    cluster.awaitReduced("/text");
    awaitInStep();
    ExtendedBlock block = cluster.block("/text");
    Path meta = Path.of(cluster.replica(0, block).getMetadataURI());
    Files.delete(cluster.file(0, block).toPath());
    Files.delete(meta);
    assertThatThrownBy(() -> cluster.read("/text")).isInstanceOf(IOException.class);
    HdrfCluster.await("the replica to go", () -> cluster.replica(0, block) == null);
    HdrfCluster.await("the record to go", () -> isWithoutRecord("/text"));
    assertNoDifference();
  }

  private boolean isWithoutRecord(String path) {
    try {
      return record(path) == null;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void everyChangeOfABlockReachesItsRecord() throws Exception {
    cluster = HdrfCluster.start(configuration(), 1);
    write("/text", text(300_000));
    write("/noise", TestBytes.noise(300_000, 1));
    write("/small", text(100));
    cluster.awaitReduced("/text");
    awaitInStep();
    BlockRecord text = record("/text");
    assertThat(text.isReduced()).isTrue();
    assertThat(text.logicalLength()).isEqualTo(300_000);
    assertThat(text.physicalLength()).isLessThan(150_000);
    assertThat(text.chain()).hasSize(1);
    HdrfCluster.await(
        "the reason why the noise stays plain",
        () -> {
          try {
            return record("/noise").reason() == io.hdrf.reduce.SkipReason.INCOMPRESSIBLE.code();
          } catch (IOException e) {
            return false;
          }
        });
    assertThat(record("/small").isReduced()).isFalse();

    try (FSDataOutputStream out = cluster.fs().append(new org.apache.hadoop.fs.Path("/text"))) {
      out.write(text(5));
      out.hsync();
      awaitInStep();
      assertThat(record("/text")).as("a block that is written to").isNull();
    }
    cluster.awaitReduced("/text");
    awaitInStep();
    assertThat(record("/text").logicalLength()).isEqualTo(300_005);

    long gone = blockId("/text");
    cluster.fs().delete(new org.apache.hadoop.fs.Path("/text"), false);
    HdrfCluster.await(
        "the record to go",
        () -> {
          try {
            return records().get(gone) == null;
          } catch (IOException e) {
            return false;
          }
        });
    assertNoDifference();
  }

  @Test
  void storeSurvivesARestartAndItsLossDoesNotMatter() throws Exception {
    Configuration conf = configuration();
    cluster = HdrfCluster.start(conf, 1, 2);
    for (int i = 0; i < 20; i++) {
      write("/f" + i, text(200_000 + i));
    }
    awaitInStep();
    assertNoDifference();
    Map<String, Path> stores = stores();
    assertThat(stores).hasSize(2);

    cluster.restartAs(conf);
    awaitInStep();
    assertNoDifference();
    long rebuilds = cluster.service(0).records().counters().values().get("metadataRebuilds");
    assertThat(rebuilds).as("stores closed in step need no look at the blocks").isZero();

    cluster.restartAs(
        conf,
        () -> {
          for (Path store : stores.values()) {
            deleteAll(store);
          }
        });
    awaitInStep();
    assertNoDifference();
    for (int i = 0; i < 20; i++) {
      assertThat(cluster.fs().getFileStatus(new org.apache.hadoop.fs.Path("/f" + i)).getLen())
          .isEqualTo(200_000 + i);
    }
  }

  private Map<String, Path> stores() {
    Map<String, Path> stores = new TreeMap<>();
    for (VolumeRecords volume : cluster.service(0).records().volumes()) {
      stores.put(volume.storageId(), volume.directory().resolve("metadata-embedded"));
    }
    return stores;
  }

  private static void deleteAll(Path directory) throws IOException {
    try (Stream<Path> tree = Files.walk(directory)) {
      for (Path path : tree.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(path);
      }
    }
  }

  @Test
  void administratorsSeeTheRecordsAndOthersDoNot() throws Exception {
    cluster = HdrfCluster.start(configuration(), 1);
    write("/text", text(300_000));
    cluster.awaitReduced("/text");
    awaitInStep();
    InetSocketAddress address =
        new InetSocketAddress(
            InetAddress.getLoopbackAddress(), cluster.mini().getDataNodes().get(0).getIpcPort());
    long blockId = blockId("/text");
    try (AdminClient client = AdminClient.connect(address, cluster.conf())) {
      List<VolumeInfo> volumes = client.volumes();
      assertThat(volumes).hasSize(1);
      assertThat(volumes.get(0).store()).isEqualTo("embedded");
      assertThat(new File(volumes.get(0).directory())).isDirectory();
      Map<Long, BlockRecord> records = client.records(volumes.get(0), Long.MIN_VALUE).records();
      assertThat(records).containsOnlyKeys(blockId);
      assertThat(records.get(blockId).isReduced()).isTrue();
      assertThat(client.records(volumes.get(0), blockId).records()).isEmpty();
      assertThat(client.block(blockId)).anyMatch(line -> line.matches("agree +yes"));
      assertThat(client.block(4711)).isEmpty();
      assertThat(client.check(volumes.get(0), false)).containsExactly("1", "0", "0", "0", "0");
      assertThat(client.rebuild(volumes.get(0), line -> {})).startsWith("1", "1", "0", "0", "0");
      assertNoDifference();
    }
    UserGroupInformation stranger =
        UserGroupInformation.createUserForTesting("stranger", new String[] {"strangers"});
    stranger.doAs(
        (PrivilegedExceptionAction<Void>)
            () -> {
              try (AdminClient client = AdminClient.connect(address, cluster.conf())) {
                assertThatThrownBy(client::volumes)
                    .isInstanceOf(AccessControlException.class)
                    .hasMessageContaining("stranger is no administrator");
                assertThatThrownBy(() -> client.block(blockId))
                    .isInstanceOf(AccessControlException.class);
              }
              return null;
            });
  }

  @Test
  void administratorsAreHeardUnderServiceAuthorization() throws Exception {
    Configuration conf = configuration();
    conf.setBoolean("hadoop.security.authorization", true);
    cluster = HdrfCluster.start(conf, 1);
    write("/text", text(300_000));
    InetSocketAddress address =
        new InetSocketAddress(
            InetAddress.getLoopbackAddress(), cluster.mini().getDataNodes().get(0).getIpcPort());
    try (AdminClient client = AdminClient.connect(address, conf)) {
      assertThat(client.volumes()).hasSize(1);
    }
  }

  @Test
  void failNodeReportsAVolumeWhoseStoreFails() throws Exception {
    Configuration conf = configuration();
    conf.set(HdrfKeys.METADATA_ON_FAILURE, "fail-node");
    conf.setInt("hdrf.metadata.failure.grace", 0);
    conf.setInt("dfs.datanode.failed.volumes.tolerated", 1);
    cluster = HdrfCluster.start(conf, 1, 2);
    awaitInStep();
    Path store = stores().values().iterator().next();
    cluster.restartAs(
        conf,
        () -> {
          deleteAll(store);
          // A file in place of the store's directory is no store.
          Files.createFile(store);
        });
    HdrfCluster.await(
        "one volume to be reported failed",
        () -> cluster.mini().getDataNodes().get(0).getFSDataset().getNumFailedVolumes() == 1);
    HdrfCluster.await(
        "its records to be given up", () -> cluster.service(0).records().volumes().size() == 1);
    write("/after", text(300_000));
    assertThat(cluster.fs().getFileStatus(new org.apache.hadoop.fs.Path("/after")).getLen())
        .isEqualTo(300_000);
  }

  @Test
  void unknownStoreStopsTheDataNode() {
    Configuration conf = configuration();
    conf.set(HdrfKeys.METADATA_STORE, "nowhere");
    assertThatThrownBy(() -> new HdrfSetup(conf))
        .hasMessageContaining(HdrfKeys.METADATA_STORE)
        .hasMessageContaining("embedded");
    conf.set(HdrfKeys.METADATA_STORE, "none");
    conf.set(HdrfKeys.METADATA_ON_FAILURE, "panic");
    assertThatThrownBy(() -> new HdrfSetup(conf))
        .hasMessageContaining(HdrfKeys.METADATA_ON_FAILURE)
        .hasMessageContaining("fail-node");
  }
}
