/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hdrf.conf.UsedDirectories;
import io.hdrf.datanode.faulty.FaultyScheme;
import io.hdrf.io.TestBytes;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.conf.ReconfigurationException;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.DFSConfigKeys;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.hdfs.server.datanode.DataNodeTestUtils;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.impl.FsVolumeImpl;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.impl.HdrfDatasets;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.impl.InterruptedAddFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Rules 5, 12 and 20: volumes that come and go, pools that are deleted, volumes left alone. */
class VolumeChangeTest {

  private static final int SIZE = 600_000;
  private static final String DIRECTORIES = DFSConfigKeys.DFS_DATANODE_DATA_DIR_KEY;

  @AfterEach
  void normalSpeed() {
    System.clearProperty(FaultyScheme.ENCODE_DELAY);
  }

  private static Configuration configuration() throws IOException {
    return HdrfCluster.configuration(HdrfCluster.plugins(FaultyScheme.class), FaultyScheme.NAME);
  }

  @Test
  void volumesAreRemovedAndAddedWhileTheReducerWorks() throws Exception {
    try (HdrfCluster cluster = HdrfCluster.start(configuration(), 1, 2)) {
      byte[] first = TestBytes.text(SIZE, 101);
      cluster.write("/first", first, 1);
      ExtendedBlock block = cluster.block("/first");
      cluster.awaitReduced(0, block);
      DataNode datanode = cluster.datanode(0);
      String both = datanode.getConf().get(DIRECTORIES);
      FsVolumeImpl leaving = cluster.volume(0, block);
      String remaining = without(both, leaving);

      // A block on each volume is being reduced while one of them leaves.
      System.setProperty(FaultyScheme.ENCODE_DELAY, "200");
      byte[] second = TestBytes.text(SIZE, 102);
      cluster.write("/second", second, 1);
      cluster.write("/third", second, 1);
      HdrfCluster.await("the Reducer", () -> cluster.service(0).pending() > 0);
      datanode.reconfigurePropertyImpl(DIRECTORIES, remaining);
      assertThat(cluster.volumes(0)).hasSize(1);
      assertThat(cluster.replica(0, block)).isNull();
      assertThatThrownBy(() -> cluster.replicaBytes(0, block)).isInstanceOf(IOException.class);
      System.clearProperty(FaultyScheme.ENCODE_DELAY);
      cluster.awaitReduced();

      datanode.reconfigurePropertyImpl(DIRECTORIES, both);
      assertThat(cluster.volumes(0)).hasSize(2);
      HdrfCluster.await("the block to be back", () -> cluster.replica(0, block) != null);
      assertThat(cluster.isReduced(0, block)).isTrue();
      TestBytes.assertSame("the file", cluster.read("/first"), first);
      cluster.awaitReduced("/second");
      cluster.awaitReduced("/third");
      TestBytes.assertSame("the file", cluster.read("/second"), second);
      TestBytes.assertSame("the file", cluster.read("/third"), second);
      for (FsVolumeImpl volume : cluster.volumes(0)) {
        assertThat(cluster.hdrfDirectory(volume).resolve("tmp")).isEmptyDirectory();
      }
    }
  }

  /** As where the disk fails. */
  @Test
  void noPoolIsInServiceOnAVolumeThatStockCodeDoesNotAdd() throws Exception {
    try (HdrfCluster cluster = HdrfCluster.start(configuration(), 1, 2)) {
      DataNode datanode = cluster.datanode(0);
      String both = datanode.getConf().get(DIRECTORIES);
      FsVolumeImpl leaving = cluster.volumes(0).get(1);
      datanode.reconfigurePropertyImpl(DIRECTORIES, without(both, leaving));
      Path finalized =
          HdrfCluster.poolDirectory(leaving, cluster.pool()).resolve("current/finalized");
      Path aside = finalized.resolveSibling("aside");
      Files.move(finalized, aside);
      // It is not there, and can't be made.
      Files.createSymbolicLink(finalized, Path.of("nowhere/at/all"));
      assertThatThrownBy(() -> datanode.reconfigurePropertyImpl(DIRECTORIES, both))
          .isInstanceOf(ReconfigurationException.class);
      assertThat(cluster.service(0).changes().isOpen(leaving, cluster.pool())).isFalse();
      Files.delete(finalized);
      Files.move(aside, finalized);
      datanode.reconfigurePropertyImpl(DIRECTORIES, both);
      assertThat(cluster.volumes(0)).hasSize(2);
    }
  }

  /** Its key and its stores are those of the volume on which it lies. */
  @Test
  void aReplicaThatIsFoundOnAnotherVolumeBelongsThere() throws Exception {
    try (HdrfCluster cluster = HdrfCluster.start(configuration(), 1, 2)) {
      byte[] random = TestBytes.noise(SIZE, 7);
      cluster.write("/random", random, 1);
      cluster.awaitReduced();
      ExtendedBlock block = cluster.block("/random");
      FsVolumeImpl from = cluster.volume(0, block);
      List<FsVolumeImpl> others = new ArrayList<>(cluster.volumes(0));
      others.remove(from);
      Path file = cluster.file(0, block).toPath();
      Path there =
          HdrfCluster.poolDirectory(others.get(0), cluster.pool())
              .resolve(HdrfCluster.poolDirectory(from, cluster.pool()).relativize(file));
      Files.createDirectories(there.getParent());
      String meta = file.getFileName() + "_" + block.getGenerationStamp() + ".meta";
      Files.move(file, there);
      Files.move(file.resolveSibling(meta), there.resolveSibling(meta));
      DataNodeTestUtils.runDirectoryScanner(cluster.datanode(0));
      assertThat(cluster.file(0, block).toPath()).isEqualTo(there);
      assertThat(cluster.volume(0, block)).isSameAs(others.get(0));
      TestBytes.assertSame("/random", cluster.read("/random"), random);
    }
  }

  /** Somebody else removes one of them at the same time. */
  @Test
  void volumesAreLeftAlsoWhereStockCodeFailsAtAnother() throws Exception {
    try (HdrfCluster cluster = HdrfCluster.start(configuration(), 1, 2)) {
      DataNode datanode = cluster.datanode(0);
      List<FsVolumeImpl> both = cluster.volumes(0);
      HdrfDatasets.endDeletions(datanode, both.get(1));
      assertThatThrownBy(
              () ->
                  HdrfDatasets.removeVolumes(
                      datanode,
                      List.of(both.get(0).getStorageLocation(), both.get(1).getStorageLocation())))
          .isInstanceOf(RuntimeException.class)
          .hasMessageContaining(both.get(1).getStorageID());
      for (FsVolumeImpl volume : both) {
        assertThat(cluster.service(0).changes().isOpen(volume, cluster.pool()))
            .isEqualTo(cluster.volumes(0).contains(volume));
      }
      assertThat(cluster.volumes(0)).hasSizeLessThan(2);
    }
  }

  private static String without(String directories, FsVolumeImpl volume) {
    StringBuilder kept = new StringBuilder();
    for (String directory : directories.split(",", -1)) {
      if (!directory.contains(volume.toString())) {
        kept.append(kept.length() == 0 ? "" : ",").append(directory);
      }
    }
    return kept.toString();
  }

  /** Stock code formats a new directory, which must be empty; only then HDRF uses it. */
  @Test
  void anUnformattedVolumeIsAdded() throws Exception {
    try (HdrfCluster cluster = HdrfCluster.start(configuration(), 1, 1)) {
      DataNode datanode = cluster.datanode(0);
      Path fresh = Files.createTempDirectory(HdrfCluster.testData(), "fresh");
      datanode.reconfigurePropertyImpl(
          DIRECTORIES, datanode.getConf().get(DIRECTORIES) + ",[DISK]" + fresh.toUri());
      assertThat(cluster.volumes(0)).hasSize(2);
      byte[] data = TestBytes.text(SIZE, 103);
      cluster.write("/file", data, 1);
      ExtendedBlock block = cluster.block("/file");
      cluster.awaitReduced(0, block);
      FsVolumeImpl added =
          cluster.volumes(0).stream()
              .filter(volume -> volume.toString().contains("fresh"))
              .findFirst()
              .orElseThrow();
      if (cluster.volume(0, block) != added) {
        cluster.dataset(0).moveBlockAcrossVolumes(block, added);
        cluster.awaitReduced(0, block);
      }
      assertThat(cluster.volume(0, block)).isSameAs(added);
      TestBytes.assertSame("the file", cluster.read("/file"), data);
    }
  }

  /**
   * The pool does not exist when the volume is made, nor the volume in the list when the pool
   * comes.
   */
  @Test
  void aPoolThatComesWhileAVolumeIsAddedIsOpenedThere() throws Exception {
    Configuration conf = configuration();
    conf.set(
        DFSConfigKeys.DFS_DATANODE_FSDATASET_FACTORY_KEY, InterruptedAddFactory.class.getName());
    try (HdrfCluster cluster = HdrfCluster.start(conf, 1, 1)) {
      DataNode datanode = cluster.datanode(0);
      String late = "BP-9-127.0.0.1-9";
      Path fresh = Files.createTempDirectory(HdrfCluster.testData(), "fresh");
      InterruptedAddFactory.meanwhile(
          () -> cluster.dataset(0).addBlockPool(late, datanode.getConf()));
      datanode.reconfigurePropertyImpl(
          DIRECTORIES, datanode.getConf().get(DIRECTORIES) + ",[DISK]" + fresh.toUri());
      assertThat(cluster.volumes(0)).hasSize(2);
      for (FsVolumeImpl volume : cluster.volumes(0)) {
        for (String pool : new String[] {cluster.pool(), late}) {
          assertThat(cluster.service(0).changes().isOpen(volume, pool))
              .as(pool + " on " + volume)
              .isTrue();
          assertThat(HdrfCluster.poolDirectory(volume, pool).resolve("hdrf/superblock.0")).exists();
        }
      }
      byte[] data = TestBytes.text(SIZE, 107);
      cluster.write("/file", data, 1);
      cluster.awaitReduced("/file");
      TestBytes.assertSame("the file", cluster.read("/file"), data);
    }
  }

  /** A disk may be taken out again with reduced blocks; the uninstallation must look there. */
  @Test
  void anAddedVolumeIsNotedForUninstallBeforeItIsInService() throws Exception {
    Path home = Files.createTempDirectory(HdrfCluster.testData(), "home");
    Files.createDirectory(home.resolve(UsedDirectories.NAME));
    Configuration conf = configuration();
    conf.set(InstalledSetup.HOME, home.toString());
    conf.set(
        DFSConfigKeys.DFS_DATANODE_FSDATASET_FACTORY_KEY, InterruptedAddFactory.class.getName());
    try (HdrfCluster cluster = HdrfCluster.start(conf, 1, 1)) {
      DataNode datanode = cluster.datanode(0);
      Path first = Path.of(cluster.volumes(0).get(0).getBaseURI());
      assertThat(noted(home)).containsExactly(first);
      Path fresh = Files.createTempDirectory(HdrfCluster.testData(), "fresh").toAbsolutePath();
      AtomicReference<Set<Path>> before = new AtomicReference<>();
      InterruptedAddFactory.meanwhile(() -> before.set(noted(home)));
      datanode.reconfigurePropertyImpl(
          DIRECTORIES, datanode.getConf().get(DIRECTORIES) + ",[DISK]" + fresh.toUri());
      assertThat(before.get()).containsExactlyInAnyOrder(first, fresh);
      datanode.reconfigurePropertyImpl(DIRECTORIES, "[DISK]" + first.toUri());
      assertThat(noted(home)).containsExactlyInAnyOrder(first, fresh);
    }
  }

  private static Set<Path> noted(Path home) throws IOException {
    List<String> obstacles = new ArrayList<>();
    Set<Path> noted = UsedDirectories.read(home, obstacles);
    assertThat(obstacles).isEmpty();
    return noted;
  }

  /** A volume that must not start is not added, and can be once it is repaired. */
  @Test
  void aVolumeWithoutItsSecretIsNotAdded() throws Exception {
    try (HdrfCluster cluster = HdrfCluster.start(configuration(), 1, 2)) {
      byte[] data = TestBytes.text(SIZE, 104);
      cluster.write("/file", data, 1);
      ExtendedBlock block = cluster.block("/file");
      cluster.awaitReduced(0, block);
      DataNode datanode = cluster.datanode(0);
      String both = datanode.getConf().get(DIRECTORIES);
      FsVolumeImpl leaving = cluster.volume(0, block);
      Path directory = cluster.hdrfDirectory(leaving);
      datanode.reconfigurePropertyImpl(DIRECTORIES, without(both, leaving));
      Path aside = directory.resolveSibling("aside");
      Files.move(directory, aside);
      assertThatThrownBy(() -> datanode.reconfigurePropertyImpl(DIRECTORIES, both))
          .isInstanceOf(ReconfigurationException.class)
          .cause()
          .hasMessageContaining("superblock is missing");
      assertThat(cluster.volumes(0)).hasSize(1);
      Files.move(aside, directory);
      datanode.reconfigurePropertyImpl(DIRECTORIES, both);
      HdrfCluster.await("the block to be back", () -> cluster.replica(0, block) != null);
      TestBytes.assertSame("the file", cluster.read("/file"), data);
    }
  }

  /** Otherwise they would stay open until the DataNode stops. */
  @Test
  void noPoolIsInServiceOnAVolumeThatWasNotAddedForAnother() throws Exception {
    try (HdrfCluster cluster = HdrfCluster.start(configuration(), 1, 2)) {
      DataNode datanode = cluster.datanode(0);
      String late = "BP-9-127.0.0.1-9";
      cluster.dataset(0).addBlockPool(late, datanode.getConf());
      String both = datanode.getConf().get(DIRECTORIES);
      FsVolumeImpl leaving = cluster.volumes(0).get(1);
      String[] pools = {cluster.pool(), late};
      for (int bad = 0; bad < 2; bad++) {
        datanode.reconfigurePropertyImpl(DIRECTORIES, without(both, leaving));
        Path hdrf = HdrfCluster.poolDirectory(leaving, pools[bad]).resolve("hdrf");
        byte[] superblock = Files.readAllBytes(hdrf.resolve("superblock.0"));
        for (int copy = 0; copy < 2; copy++) {
          Files.write(hdrf.resolve("superblock." + copy), new byte[superblock.length]);
        }
        assertThatThrownBy(() -> datanode.reconfigurePropertyImpl(DIRECTORIES, both))
            .isInstanceOf(ReconfigurationException.class);
        assertThat(cluster.volumes(0)).hasSize(1);
        for (String pool : pools) {
          assertThat(cluster.service(0).changes().isOpen(leaving, pool)).as(pool).isFalse();
        }
        for (int copy = 0; copy < 2; copy++) {
          Files.write(hdrf.resolve("superblock." + copy), superblock);
        }
        datanode.reconfigurePropertyImpl(DIRECTORIES, both);
      }
    }
  }

  /** Once there is memory again, it can be. */
  @Test
  void aVolumeThatIsNotAddedForWantOfMemoryIsUnlocked() throws Exception {
    try (HdrfCluster cluster = HdrfCluster.start(configuration(), 1, 2)) {
      DataNode datanode = cluster.datanode(0);
      String both = datanode.getConf().get(DIRECTORIES);
      FsVolumeImpl leaving = cluster.volumes(0).get(1);
      datanode.reconfigurePropertyImpl(DIRECTORIES, without(both, leaving));
      System.setProperty(FaultyScheme.OPEN_FAILURE, "");
      try {
        assertThatThrownBy(() -> datanode.reconfigurePropertyImpl(DIRECTORIES, both))
            .isInstanceOf(ReconfigurationException.class);
      } finally {
        System.clearProperty(FaultyScheme.OPEN_FAILURE);
      }
      datanode.reconfigurePropertyImpl(DIRECTORIES, both);
      assertThat(cluster.volumes(0)).hasSize(2);
    }
  }

  /** Rule 12: nothing is reduced where data are not meant to last. */
  @Test
  void memoryIsLeftAlone() throws Exception {
    Configuration conf = configuration();
    try (HdrfCluster cluster =
        HdrfCluster.start(
            conf,
            builder ->
                builder
                    .numDataNodes(1)
                    .storagesPerDatanode(2)
                    .storageTypes(new StorageType[] {StorageType.RAM_DISK, StorageType.DISK}))) {
      for (FsVolumeImpl volume : cluster.volumes(0)) {
        assertThat(Files.exists(cluster.hdrfDirectory(volume).resolve("superblock.0")))
            .isEqualTo(!volume.isTransientStorage());
      }
      byte[] data = TestBytes.text(SIZE, 105);
      cluster.write("/disk", data, 1);
      cluster.awaitReduced("/disk");
      TestBytes.assertSame("the file", cluster.read("/disk"), data);
    }
  }

  /** Rule 20: a pool's directory goes as a whole. */
  @Test
  void aDeletedPoolLeavesNothingBehind() throws Exception {
    try (HdrfCluster cluster = HdrfCluster.start(configuration(), 1, 1)) {
      cluster.write("/file", TestBytes.text(SIZE, 106), 1);
      ExtendedBlock block = cluster.block("/file");
      cluster.awaitReduced(0, block);
      String pool = cluster.pool();
      FsVolumeImpl volume = cluster.volumes(0).get(0);
      Path directory = HdrfCluster.poolDirectory(volume, pool);
      Path superblock = cluster.hdrfDirectory(volume).resolve("superblock.0");
      assertThatThrownBy(() -> cluster.dataset(0).deleteBlockPool(pool, false))
          .isInstanceOf(IOException.class);
      assertThat(superblock).exists();
      TestBytes.assertSame(
          "still there", cluster.replicaBytes(0, block), TestBytes.text(SIZE, 106));
      cluster.fs().delete(new org.apache.hadoop.fs.Path("/file"), false);
      HdrfCluster.await("the block to go", () -> cluster.replica(0, block) == null);
      HdrfCluster.await("the files to go", () -> noBlockFiles(directory));
      cluster.mini().shutdownNameNode(0);
      cluster.dataset(0).shutdownBlockPool(pool);
      for (String kept : new String[] {"trash", "previous"}) {
        Path blocks =
            Files.createDirectories(directory.resolve(kept + "/finalized/subdir0/subdir0"));
        Files.write(blocks.resolve("blk_77"), new byte[1]);
        assertThatThrownBy(() -> cluster.dataset(0).deleteBlockPool(pool, false))
            .isInstanceOf(IOException.class)
            .hasMessageContaining(blocks.resolve("blk_77").toString());
        assertThat(superblock).exists();
        assertThat(blocks.resolve("blk_77")).exists();
        Files.delete(blocks.resolve("blk_77"));
        for (Path empty = blocks; !empty.equals(directory); empty = empty.getParent()) {
          Files.delete(empty);
        }
      }
      cluster.dataset(0).deleteBlockPool(pool, false);
      assertThat(directory).doesNotExist();
    }
  }

  /** Stock code does not follow the link either, and fails once all else is gone. */
  @Test
  void aPoolWhoseTrashLiesBehindALinkIsNotDeleted() throws Exception {
    try (HdrfCluster cluster = HdrfCluster.start(configuration(), 1, 1)) {
      byte[] data = TestBytes.text(SIZE, 108);
      cluster.write("/file", data, 1);
      ExtendedBlock block = cluster.block("/file");
      cluster.awaitReduced(0, block);
      String pool = cluster.pool();
      FsVolumeImpl volume = cluster.volumes(0).get(0);
      Path directory = HdrfCluster.poolDirectory(volume, pool);
      Path superblock = cluster.hdrfDirectory(volume).resolve("superblock.0");
      Path other = Files.createTempDirectory(HdrfCluster.testData(), "other");
      Files.createSymbolicLink(directory.resolve("trash"), other);
      Path kept = Files.createDirectories(other.resolve("finalized/subdir0/subdir0"));
      Files.copy(cluster.file(0, block).toPath(), kept.resolve("blk_" + block.getBlockId()));
      cluster.fs().delete(new org.apache.hadoop.fs.Path("/file"), false);
      HdrfCluster.await("the block to go", () -> cluster.replica(0, block) == null);
      HdrfCluster.await("the files to go", () -> noBlockFiles(directory));
      cluster.mini().shutdownNameNode(0);
      cluster.dataset(0).shutdownBlockPool(pool);
      try {
        cluster.dataset(0).deleteBlockPool(pool, false);
      } catch (IOException e) {
        // As for a trash that is no link.
      }
      assertThat(kept.resolve("blk_" + block.getBlockId())).as("a reduced block").exists();
      assertThat(superblock).as("without which it is lost").exists();
    }
  }

  private static boolean noBlockFiles(Path directory) {
    try (var files = Files.walk(directory)) {
      return files.noneMatch(file -> file.getFileName().toString().startsWith("blk_"));
    } catch (IOException | UncheckedIOException e) {
      return false;
    }
  }
}
