/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hdrf.admin.AdminClient;
import io.hdrf.admin.VolumeInfo;
import io.hdrf.conf.HdrfKeys;
import io.hdrf.datanode.volume.SchemeStores;
import io.hdrf.io.TestBytes;
import io.hdrf.spi.scheme.TestSeed;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.hdfs.DFSConfigKeys;
import org.apache.hadoop.hdfs.MiniDFSCluster;
import org.apache.hadoop.hdfs.protocol.HdfsConstants.RollingUpgradeAction;
import org.apache.hadoop.hdfs.protocol.HdfsConstants.SafeModeAction;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.FsDatasetSpi;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Deduplicated blocks on real DataNodes. */
class DedupTest {

  private static final int LENGTH = 3 * HdrfCluster.BLOCK_SIZE / 2;

  private final Random random = TestSeed.random("dedup cluster");
  private HdrfCluster cluster;

  private static Configuration configuration() {
    Configuration conf = HdrfCluster.configuration();
    conf.set(HdrfKeys.PLUGINS_DIR, System.getProperty("hdrf.test.plugins.with.store"));
    conf.set(HdrfKeys.SCHEMES, "dedup,lz4");
    conf.setInt("hdrf.metadata.flush.interval", 20);
    conf.setInt("hdrf.metadata.check.interval", 100);
    conf.set("hdrf.dedup.chunk.size", "2k");
    conf.set("hdrf.dedup.container.size", "1m");
    conf.set("hdrf.dedup.dba.capacity", "500");
    conf.set("hdrf.dedup.dba.filters", "8");
    conf.set("hdrf.dedup.gc.interval", "0");
    conf.set("hdrf.dedup.gc.min.age", "0");
    conf.set("hdrf.dedup.gc.live.percent", "95");
    conf.set("hdrf.dedup.gc.rate", "0");
    conf.set("hdrf.dedup.scrub.interval", "1");
    return conf;
  }

  /** What two files have in common. */
  private byte[] shared;

  @AfterEach
  void stop() throws Exception {
    if (cluster != null) {
      cluster.close();
    }
  }

  private byte[] noise(int length) {
    return TestBytes.noise(length, random);
  }

  /** The same but for some bytes. */
  private byte[] edited(byte[] data) {
    byte[] edited = data.clone();
    for (int i = 0; i < 20; i++) {
      edited[random.nextInt(edited.length)]++;
    }
    return edited;
  }

  private void write(String path, byte[] data) throws Exception {
    try (FSDataOutputStream out =
        cluster.fs().create(new org.apache.hadoop.fs.Path(path), (short) 1)) {
      out.write(data);
    }
    cluster.awaitReduced(path);
  }

  private AdminClient admin() throws IOException {
    DataNode dataNode = cluster.mini().getDataNodes().get(0);
    return AdminClient.connect(
        new InetSocketAddress(InetAddress.getLoopbackAddress(), dataNode.getIpcPort()),
        cluster.conf());
  }

  /** Bytes of the containers. */
  private long stored() {
    return cluster.lengths(0, "/dedup/containers/");
  }

  private long metric(String name) {
    return cluster.service(0).schemeStores().metrics().get("dedup").get(name);
  }

  @Test
  void copiesAndVersionsTakeNoRoom() throws Exception {
    cluster = HdrfCluster.start(configuration(), 1);
    byte[] first = noise(LENGTH);
    write("/first", first);
    write("/copy", first);
    assertThat(metric("bytesNew")).isEqualTo(LENGTH);
    byte[] version = edited(first);
    write("/version", version);
    assertThat(metric("bytesNew") - LENGTH).isLessThan(LENGTH / 8);
    cluster.assertContent("/first", first);
    cluster.assertContent("/copy", first);
    cluster.assertContent("/version", version);
    for (File replica : cluster.replicas("/copy")) {
      assertThat(BlockFiles.physicalLength(replica)).isLessThan(4096);
    }
    HdrfCluster.await("the index to be written", () -> metric("indexPending") == 0);
    cluster.restartAs(configuration());
    HdrfCluster.await("the filters to be there", () -> hasMetric("dbaQueries"));
    // The last filter was written when the DataNode was stopped, so that none has to be made anew.
    HdrfCluster.await("the filters to be read", () -> metric("dbaLoaded") > 0);
    assertThat(metric("dbaRebuilt")).isZero();
    cluster.assertContent("/first", first);
    write("/another", version);
    assertThat(metric("bytesNew")).isZero();
    assertThat(metric("indexFoundInStore")).isPositive();
    cluster.assertContent("/another", version);
  }

  @Test
  void anIndexInMemoryNeedsNoStore() throws Exception {
    Configuration conf = configuration();
    conf.set("hdrf.metadata.store", "none");
    conf.set("hdrf.dedup.index", "cuckoo");
    cluster = HdrfCluster.start(conf, 1);
    byte[] data = noise(LENGTH);
    write("/file", data);
    assertThat(metric("bytesNew")).isEqualTo(LENGTH);
    cluster.restartAs(conf);
    HdrfCluster.await("the index to be read", () -> metric("indexContainersToRead") == 0);
    assertThat(metric("indexRebuilds")).isZero();
    write("/copy", data);
    // A few chunks at the end of a container have no entry.
    assertThat(metric("bytesNew")).isLessThan(LENGTH / 20);
    assertThat(metric("indexFoundInStore")).isPositive();
    cluster.assertContent("/copy", data);
  }

  private boolean hasMetric(String name) {
    return cluster.service(0).schemeStores().metrics().get("dedup").containsKey(name);
  }

  @Test
  void appendAndTruncateOfDeduplicatedBlocks() throws Exception {
    cluster = HdrfCluster.start(configuration(), 1);
    byte[] data = noise(LENGTH);
    write("/file", data);
    byte[] more = noise(100_000);
    cluster.append("/file", more);
    byte[] all = Arrays.copyOf(data, data.length + more.length);
    System.arraycopy(more, 0, all, data.length, more.length);
    cluster.assertContent("/file", all);
    cluster.awaitReduced("/file");
    cluster.assertContent("/file", all);
    int length = LENGTH - 12_345;
    cluster.fs().truncate(new org.apache.hadoop.fs.Path("/file"), length);
    cluster.awaitClosed("/file");
    cluster.awaitReduced("/file");
    cluster.assertContent("/file", Arrays.copyOf(all, length));
  }

  /** du runs once an hour here. */
  @Test
  void whatTheStoreTakesCountsAsUsedAtOnce() throws Exception {
    cluster = HdrfCluster.start(configuration(), 1);
    long before = cluster.used(0);
    write("/file", noise(LENGTH));
    cluster.awaitReduced();
    long used = cluster.used(0) - before;
    assertThat(used).isBetween((long) LENGTH, LENGTH * 11L / 10);
    long blocks = blocks("/file");
    HdrfCluster.await(
        "the files to take what is used",
        () -> cluster.used(0) - before == cluster.lengths(0, "/hdrf/dedup/") + blocks);
    write("/copy", cluster.read("/file"));
    cluster.awaitReduced();
    assertThat(cluster.used(0) - before).isLessThan(used + LENGTH / 20);

    cluster.fs().delete(new org.apache.hadoop.fs.Path("/file"), false);
    cluster.fs().delete(new org.apache.hadoop.fs.Path("/copy"), false);
    HdrfCluster.await("the blocks to be deleted", () -> cluster.lengths(0, "/finalized/") == 0);
    collect();
    assertThat(cluster.lengths(0, "/hdrf/dedup/")).isLessThan(LENGTH);
    HdrfCluster.await(
        "the space to be given back",
        () -> cluster.used(0) - before == cluster.lengths(0, "/hdrf/dedup/"));
  }

  /** What the files of a file's blocks take, with their checksums. */
  private long blocks(String path) throws IOException {
    long bytes = 0;
    for (File replica : cluster.replicas(path)) {
      bytes += BlockFiles.physicalLength(replica);
      bytes += cluster.lengths(0, "/" + replica.getName() + "_");
    }
    return bytes;
  }

  /** Returns how many chunks were dropped. */
  private long collect() throws IOException {
    long dropped = 0;
    try (AdminClient admin = admin()) {
      for (VolumeInfo store : admin.schemeStores()) {
        for (String line : admin.reclaim(store)) {
          if (line.startsWith("chunksDropped\t")) {
            dropped += Long.parseLong(line.substring(line.indexOf('\t') + 1));
          }
        }
      }
    }
    return dropped;
  }

  private void assertNoneMissing() throws IOException {
    try (AdminClient admin = admin()) {
      for (VolumeInfo store : admin.schemeStores()) {
        assertThat(admin.checkReferences(store).lines()).contains("missing\t0");
      }
    }
  }

  @Test
  void spaceOfDeletedFilesComesBack() throws Exception {
    cluster = HdrfCluster.start(configuration(), 1);
    List<byte[]> versions = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      versions.add(noise(LENGTH));
      write("/file" + i, versions.get(i));
    }
    write("/keep", edited(versions.get(0)));
    byte[] kept = cluster.read("/keep");
    HdrfCluster.await("the filters to be there", () -> hasMetric("dbaQueries"));
    long before = stored();
    for (int i = 0; i < 6; i++) {
      cluster.fs().delete(new org.apache.hadoop.fs.Path("/file" + i), false);
    }
    HdrfCluster.await("the blocks to be deleted", () -> blockFiles() == 2);
    try (AdminClient admin = admin()) {
      List<VolumeInfo> stores = admin.schemeStores();
      assertThat(stores).isNotEmpty();
      assertThat(stores).allMatch(store -> store.store().equals("dedup"));
    }
    assertThat(collect()).isPositive();
    assertNoneMissing();
    assertThat(stored()).isLessThan(before / 3);
    cluster.assertContent("/keep", kept);
    cluster.restartAs(configuration());
    cluster.assertContent("/keep", kept);
  }

  /** An administrator made room with a link, which stock HDFS follows. */
  @Test
  void blocksBehindALinkKeepTheirChunks(@TempDir Path other) throws Exception {
    cluster = HdrfCluster.start(configuration(), 1);
    byte[] data = noise(LENGTH);
    write("/file", data);
    cluster.awaitReduced();
    File directory = cluster.replicas("/file").get(0).getParentFile();
    Path moved = other.resolve("moved");
    new ProcessBuilder("mv", directory.toString(), moved.toString()).start().waitFor();
    Files.createSymbolicLink(directory.toPath(), moved);
    cluster.assertContent("/file", data);
    cluster.restartAs(configuration());
    cluster.assertContent("/file", data);
    long dropped = collect();
    cluster.assertContent("/file", data);
    assertThat(dropped).isZero();
  }

  /** No block reads from it, and no chain names it. */
  @Test
  void aStoreThatIsNotUsedAnyMoreIsCollected() throws Exception {
    cluster = HdrfCluster.start(configuration(), 1);
    write("/file", noise(LENGTH));
    assertThat(stored()).isGreaterThan(LENGTH / 2);
    cluster.fs().delete(new org.apache.hadoop.fs.Path("/file"), false);
    HdrfCluster.await("the blocks to be deleted", () -> blockFiles() == 0);
    Configuration conf = configuration();
    conf.set(HdrfKeys.SCHEMES, "lz4");
    cluster.restartAs(conf);
    assertThat(collect()).isPositive();
    assertThat(stored()).isLessThan(LENGTH / 10);
  }

  /** On disk, where collections read them. */
  private long blockFiles() {
    return blockFiles("");
  }

  /** Those with {@code part} in their paths. */
  private long blockFiles(String part) {
    try (Stream<Path> found = Files.walk(Path.of(cluster.mini().getDataDirectory()))) {
      return found
          .filter(file -> file.getFileName().toString().matches("blk_[0-9]+"))
          .filter(file -> file.toString().contains(part))
          .count();
    } catch (IOException | UncheckedIOException e) {
      // Files go while they are counted.
      return -1;
    }
  }

  /** Sealed containers with the chunks of two files, of which one is deleted then. */
  private byte[] storeAndDeleteAnother() throws Exception {
    byte[] held = noise(LENGTH);
    write("/held", held);
    write("/gone", noise(LENGTH));
    cluster.restartAs(configuration());
    HdrfCluster.await("the filters to be there", () -> hasMetric("dbaQueries"));
    cluster.fs().delete(new org.apache.hadoop.fs.Path("/gone"), false);
    HdrfCluster.await("the blocks to be deleted", () -> blockFiles() == 2);
    return held;
  }

  private Path poolDirectory() throws IOException {
    try (FsDatasetSpi.FsVolumeReferences volumes =
        cluster.mini().getDataNodes().get(0).getFSDataset().getFsVolumeReferences()) {
      return HdrfCluster.poolDirectory(
          volumes.get(0), cluster.mini().getNamesystem().getBlockPoolId());
    }
  }

  /** Also while a NameNode that was rolled back before the DataNode says nothing of an upgrade. */
  @Test
  void chunksOfBlocksInTheTrashStayUntilTheRollback() throws Exception {
    cluster = HdrfCluster.start(configuration(), 1);
    byte[] held = storeAndDeleteAnother();
    cluster.mini().getNameNodeRpc().setSafeMode(SafeModeAction.SAFEMODE_ENTER, false);
    cluster.fs().rollingUpgrade(RollingUpgradeAction.PREPARE);
    cluster.mini().getNameNodeRpc().setSafeMode(SafeModeAction.SAFEMODE_LEAVE, false);
    cluster.mini().triggerHeartbeats();
    Path marker = poolDirectory().resolve("RollingUpgradeInProgress");
    HdrfCluster.await("the marker", () -> Files.exists(marker));
    cluster.fs().delete(new org.apache.hadoop.fs.Path("/held"), false);
    HdrfCluster.await(
        "the blocks to be in the trash",
        () -> blockFiles("/trash/") == 2 && blockFiles("/current/finalized/") == 0);
    assertThat(collect()).isPositive();
    assertNoneMissing();
    cluster.rollBackNameNode();
    assertThat(collect()).isZero();
    assertNoneMissing();
    MiniDFSCluster.DataNodeProperties dataNode = cluster.mini().stopDataNode(0);
    dataNode.setDnArgs("-rollback");
    cluster.mini().restartDataNode(dataNode);
    cluster.mini().waitActive();
    cluster.assertContent("/held", held);
    assertThat(cluster.plainReplicas("/held")).isEmpty();
  }

  @Test
  void chunksOfBlocksInPreviousStay() throws Exception {
    cluster = HdrfCluster.start(configuration(), 1);
    storeAndDeleteAnother();
    Path previous = Files.createDirectory(poolDirectory().resolve("previous"));
    for (File replica : cluster.replicas("/held")) {
      Files.createLink(previous.resolve(replica.getName()), replica.toPath());
    }
    cluster.fs().delete(new org.apache.hadoop.fs.Path("/held"), false);
    HdrfCluster.await("the blocks to be deleted", () -> blockFiles("/current/finalized/") == 0);
    assertThat(blockFiles("/previous/")).isEqualTo(2);
    assertThat(collect()).isPositive();
    assertNoneMissing();
    assertThat(stored()).isGreaterThan(LENGTH);
    try (Stream<Path> files = Files.list(previous)) {
      for (Path file : (Iterable<Path>) files::iterator) {
        Files.delete(file);
      }
    }
    Files.delete(previous);
    assertThat(collect()).isPositive();
    assertThat(stored()).isLessThan(LENGTH);
  }

  @Test
  void damagedChunkIsReadFromAnotherReplica() throws Exception {
    cluster = HdrfCluster.start(configuration(), 2);
    byte[] data = noise(LENGTH);
    try (FSDataOutputStream out =
        cluster.fs().create(new org.apache.hadoop.fs.Path("/file"), (short) 2)) {
      out.write(data);
    }
    cluster.awaitReduced("/file");
    Configuration conf = configuration();
    // Otherwise the scanner may be the first to find the damage.
    conf.setLong(DFSConfigKeys.DFS_BLOCK_SCANNER_VOLUME_BYTES_PER_SECOND, 0);
    cluster.restartAs(
        conf,
        () -> damageContainers(Path.of(cluster.mini().getInstanceStorageDir(0, 0).getPath())));
    assertThat(metric("damagedReads")).isZero();
    // A client asks any of the two.
    for (int i = 0; i < 200 && metric("damagedReads") == 0; i++) {
      TestBytes.assertSame("/file", cluster.read("/file"), data);
    }
    assertThat(metric("damagedReads")).isPositive();
    TestBytes.assertSame("/file", cluster.read("/file"), data);
  }

  /** Nobody reads them, and HDFS scans nothing; two files share the damaged chunks. */
  @Test
  void damagedChunkIsScrubbedAndAllItsBlocksAreReplaced() throws Exception {
    damagedChunkIsScrubbed(0);
    assertThat(figure(0, "damagedReads")).as("by a reader").isZero();
    allBlocksAreReplaced();
  }

  /** It forgets which blocks it was to examine while it has read more than its rate allows. */
  @Test
  void theyAreReplacedThoughHdfsScannerIsAtItsRate() throws Exception {
    damagedChunkIsScrubbed(1);
    allBlocksAreReplaced();
  }

  /**
   * @param scannerRate in bytes a second
   */
  private void damagedChunkIsScrubbed(long scannerRate) throws Exception {
    Configuration conf = configuration();
    conf.setLong(DFSConfigKeys.DFS_BLOCK_SCANNER_VOLUME_BYTES_PER_SECOND, scannerRate);
    cluster = HdrfCluster.start(conf, 2);
    shared = noise(LENGTH);
    for (String path : List.of("/file", "/copy")) {
      cluster.write(path, shared, 2);
      cluster.awaitReduced(path);
    }
    String disk = cluster.mini().getInstanceStorageDir(0, 0).getPath();
    cluster.restartAs(conf, () -> damageContainers(Path.of(disk)));
    // Before there is another DataNode to copy them to.
    assertThat(replicasOn(disk, "/file") + replicasOn(disk, "/copy")).isEqualTo(4);
    for (String path : List.of("/file", "/copy")) {
      cluster.awaitReplication(path, 2);
    }
    cluster.mini().startDataNodes(conf, 1, true, null, null);
    cluster.mini().waitActive();
    HdrfCluster.await("the scrub", () -> figure(0, "scrubContainersDamaged") > 0);
  }

  private void allBlocksAreReplaced() throws Exception {
    reclaim(0);
    assertThat(figure(0, "gcBlocksSuspected")).isGreaterThanOrEqualTo(2);
    String disk = cluster.mini().getInstanceStorageDir(0, 0).getPath();
    for (String path : List.of("/file", "/copy")) {
      HdrfCluster.await("the damaged replica to go", () -> replicasOn(disk, path) < 2);
      cluster.awaitReplication(path, 2);
      TestBytes.assertSame(path, cluster.read(path), shared);
    }
  }

  /** The volumes have the same data; what rots on one of them is on the other. */
  @Test
  void damagedChunkIsHealedFromAnotherVolume() throws Exception {
    Configuration conf = configuration();
    conf.setLong(DFSConfigKeys.DFS_BLOCK_SCANNER_VOLUME_BYTES_PER_SECOND, 0);
    cluster = HdrfCluster.start(conf, 1, 2);
    byte[] data = noise(LENGTH);
    write("/file", data);
    // Volumes take turns: the blocks of the copy are not where those of the file are.
    write("/between", noise(HdrfCluster.BLOCK_SIZE));
    write("/copy", data);
    String disk = cluster.mini().getInstanceStorageDir(0, 0).getPath();
    cluster.restartAs(conf, () -> damageContainers(Path.of(disk)));
    HdrfCluster.await("the scrub", () -> figure(0, "scrubContainersDamaged") > 0);
    // All of it: the cycle under way may have begun before the damage.
    for (int i = 0; i < 2; i++) {
      long ended = figure(0, "scrubEndedAt");
      HdrfCluster.await("the end of a scrub", () -> figure(0, "scrubEndedAt") > ended);
    }
    final long before = replicasOn(disk, "/file") + replicasOn(disk, "/copy");
    // The first one may look before the indexes have been loaded.
    reclaim(0);
    long suspected = figure(0, "gcBlocksSuspected");
    reclaim(0);
    assertThat(figure(0, "healChunks")).isPositive();
    assertThat(figure(0, "healBytes")).isPositive();
    // What /between alone has can't be healed; with a minimum age of 0 a collection is two.
    assertThat(figure(0, "gcBlocksSuspected") - suspected).isLessThanOrEqualTo(2);
    for (String path : List.of("/file", "/copy")) {
      TestBytes.assertSame(path, cluster.read(path), data);
    }
    assertThat(replicasOn(disk, "/file") + replicasOn(disk, "/copy")).isEqualTo(before);
    assertThat(before).isPositive();
  }

  private long replicasOn(String disk, String path) {
    return cluster.replicas(path).stream()
        .filter(file -> file.getPath().startsWith(disk + "/"))
        .count();
  }

  private long figure(int datanode, String name) {
    return cluster
        .service(datanode)
        .schemeStores()
        .metrics()
        .getOrDefault("dedup", Map.of())
        .getOrDefault(name, 0L);
  }

  private void reclaim(int datanode) throws IOException {
    SchemeStores stores = cluster.service(datanode).schemeStores();
    for (VolumeInfo store : stores.list()) {
      stores.reclaim(store.storageId(), store.poolId());
    }
  }

  private long unreadable(int datanode) {
    return cluster
        .service(datanode)
        .schemeStores()
        .metrics()
        .get("dedup")
        .get("gcBlocksUnreadable");
  }

  /** Its chunks are unknown, so nothing is dropped until HDFS has put a sound copy elsewhere. */
  @Test
  void damagedRecipeStopsCollectionsUntilItIsReplaced() throws Exception {
    Configuration conf = configuration();
    conf.setLong(DFSConfigKeys.DFS_BLOCK_SCANNER_VOLUME_BYTES_PER_SECOND, 0);
    cluster = HdrfCluster.start(conf, 3);
    byte[] data = noise(LENGTH);
    try (FSDataOutputStream out =
        cluster.fs().create(new org.apache.hadoop.fs.Path("/file"), (short) 2)) {
      out.write(data);
    }
    cluster.awaitReduced("/file");
    // One of the first two has a replica of each block.
    String disk = cluster.mini().getInstanceStorageDir(0, 0).getPath() + "/";
    List<File> replicas = cluster.replicas("/file");
    int datanode = replicas.stream().anyMatch(file -> file.getPath().startsWith(disk)) ? 0 : 1;
    String path = cluster.mini().getInstanceStorageDir(datanode, 0).getPath() + "/";
    File damaged =
        replicas.stream().filter(file -> file.getPath().startsWith(path)).findFirst().orElseThrow();
    Damage.flip(damaged, 60, 1);
    assertThatThrownBy(() -> reclaim(datanode)).hasMessageContaining(damaged.getName());
    assertThat(unreadable(datanode)).isEqualTo(1);
    HdrfCluster.await("the damaged replica to go", () -> !damaged.exists());
    HdrfCluster.await(
        "a collection",
        () ->
            !fails(
                () -> {
                  reclaim(datanode);
                  return null;
                }));
    assertThat(unreadable(datanode)).isZero();
    TestBytes.assertSame("/file", cluster.read("/file"), data);
  }

  private static boolean fails(Callable<?> call) {
    try {
      call.call();
      return false;
    } catch (Exception e) {
      return true;
    }
  }

  private static void damageContainers(Path volume) throws IOException {
    try (Stream<Path> files = Files.walk(volume)) {
      for (Path file : (Iterable<Path>) files::iterator) {
        if (file.toString().endsWith(".hdc")) {
          byte[] bytes = Files.readAllBytes(file);
          bytes[bytes.length / 2] ^= 1;
          Files.write(file, bytes);
        }
      }
    }
  }

  @Test
  void strangersMayNotCollect() throws Exception {
    cluster = HdrfCluster.start(configuration(), 1);
    byte[] data = noise(LENGTH);
    write("/file", data);
    try (AdminClient admin = admin()) {
      VolumeInfo none = new VolumeInfo("DS-none", "BP-none", "", "", "", 0);
      assertThatThrownBy(() -> admin.reclaim(none)).hasMessageContaining("not in service");
    }
  }

  @Test
  void figuresStandAtJmx() throws Exception {
    cluster = HdrfCluster.start(configuration(), 1);
    write("/file", noise(LENGTH));
    DataNode dataNode = cluster.mini().getDataNodes().get(0);
    String url =
        "http://localhost:"
            + dataNode.getInfoPort()
            + "/jmx?qry=Hadoop:service=DataNode,name=Hdrf*";
    HdrfCluster.await("the figures", () -> page(url).contains("\"DedupBytesNew\" : " + LENGTH));
  }

  private static String page(String url) {
    try (InputStream in = URI.create(url).toURL().openStream()) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
