/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hdrf.conf.HdrfKeys;
import io.hdrf.datanode.faulty.FaultyScheme;
import io.hdrf.io.LogCapture;
import io.hdrf.io.TestBytes;
import io.hdrf.spi.BadSettingException;
import io.hdrf.spi.scheme.SchemeNotFoundException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.DFSConfigKeys;
import org.apache.hadoop.hdfs.MiniDFSCluster.DataNodeProperties;
import org.apache.hadoop.hdfs.StoppedDataNode;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.impl.FsVolumeImpl;
import org.apache.log4j.Level;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Rules 2, 7 and 20: the requirements of a volume's start, and its clean-up. */
class VolumeStartTest {

  private static Path plugins;
  private static HdrfCluster cluster;
  private static byte[] data;
  private static ExtendedBlock block;

  /** Two volumes, of which one may fail, and a reduced block on one of them. */
  @BeforeAll
  static void start() throws Exception {
    plugins = HdrfCluster.plugins(FaultyScheme.class);
    Configuration conf = HdrfCluster.configuration(plugins, FaultyScheme.NAME);
    conf.setInt(DFSConfigKeys.DFS_DATANODE_FAILED_VOLUMES_TOLERATED_KEY, 1);
    cluster = HdrfCluster.start(conf, 1, 2);
    data = TestBytes.text(600_000, 21);
    cluster.write("/data", data, 1);
    block = cluster.block("/data");
    cluster.awaitReduced(0, block);
  }

  @AfterAll
  static void stop() {
    cluster.close();
  }

  private static DataNodeProperties stopDataNode() {
    return cluster.mini().stopDataNode(0);
  }

  private static void startDataNode(DataNodeProperties stopped) throws Exception {
    cluster.restart(stopped);
    cluster.mini().waitActive();
  }

  private static void assertReadable() throws Exception {
    assertThat(cluster.isReduced(0, block)).isTrue();
    TestBytes.assertSame("the file", cluster.read("/data"), data);
  }

  /** Starts a DataNode whose volume must fail; the other volume works. */
  private static String startWithFailingVolume(DataNodeProperties stopped) throws Exception {
    try (LogCapture errors = new LogCapture(Level.ERROR)) {
      startDataNode(stopped);
      HdrfCluster.await(
          "one volume to remain",
          () -> {
            try {
              return cluster.volumes(0).size() == 1;
            } catch (IOException e) {
              return false;
            }
          });
      assertThat(cluster.replica(0, block)).isNull();
      // Too short to be reduced, so that this volume needs nothing to start.
      byte[] other = {1, 2, 3};
      cluster.write("/other", other, 1);
      TestBytes.assertSame("the other volume's file", cluster.read("/other"), other);
      return errors.all();
    }
  }

  /** Rule 2: one copy of the superblock is enough, and the other is made again. */
  @Test
  void oneCopyOfTheSuperblockHealsTheOther() throws Exception {
    Path directory = cluster.hdrfDirectory(cluster.volume(0, block));
    for (String name : new String[] {"superblock.0", "superblock.1"}) {
      DataNodeProperties stopped = stopDataNode();
      Files.delete(directory.resolve(name));
      startDataNode(stopped);
      assertReadable();
      assertThat(directory.resolve("superblock.0"))
          .hasSameBinaryContentAs(directory.resolve("superblock.1"));
    }
  }

  /** Rule 2: without its secret a volume does not start; the others do. */
  @Test
  void aVolumeWithoutItsSecretDoesNotStart() throws Exception {
    FsVolumeImpl volume = cluster.volume(0, block);
    Path directory = cluster.hdrfDirectory(volume);
    Path aside = directory.resolveSibling("aside");
    DataNodeProperties stopped = stopDataNode();
    Files.move(directory, aside);
    String errors = startWithFailingVolume(stopped);
    assertThat(errors)
        .contains(volume.toString())
        .contains("is a reduced block, but the volume's superblock is missing");
    assertThat(directory.resolve("superblock.0")).doesNotExist();
    stopped = stopDataNode();
    if (Files.exists(directory)) {
      Files.delete(directory);
    }
    Files.move(aside, directory);
    startDataNode(stopped);
    assertReadable();
  }

  /** Rule 2: two damaged copies are no reason to make a new secret. */
  @Test
  void aVolumeWithTwoDamagedCopiesDoesNotStart() throws Exception {
    Path directory = cluster.hdrfDirectory(cluster.volume(0, block));
    DataNodeProperties stopped = stopDataNode();
    for (String name : new String[] {"superblock.0", "superblock.1"}) {
      Damage.flip(directory.resolve(name).toFile(), 40, 1);
    }
    assertThat(startWithFailingVolume(stopped)).contains("there is no valid copy");
    stopped = stopDataNode();
    for (String name : new String[] {"superblock.0", "superblock.1"}) {
      Damage.flip(directory.resolve(name).toFile(), 40, 1);
    }
    startDataNode(stopped);
    assertReadable();
  }

  /** Rule 7: a volume whose blocks need a scheme that is not there does not start. */
  @Test
  void aVolumeWhoseSchemeIsMissingDoesNotStart() throws Exception {
    Path others = HdrfCluster.plugins();
    DataNodeProperties stopped = stopDataNode();
    Configuration conf = new Configuration(StoppedDataNode.configuration(stopped));
    StoppedDataNode.configuration(stopped).set(HdrfKeys.PLUGINS_DIR, others.toString());
    StoppedDataNode.configuration(stopped).set(HdrfKeys.SCHEMES, "lz4");
    assertThat(startWithFailingVolume(stopped))
        .contains("has 1 blocks that need the scheme \"faulty\" (id 65301)")
        .contains("put its jar into hdrf.plugins.dir (" + others + ")")
        .contains("lz4 (id");
    stopped = stopDataNode();
    StoppedDataNode.configuration(stopped)
        .set(HdrfKeys.PLUGINS_DIR, conf.get(HdrfKeys.PLUGINS_DIR));
    StoppedDataNode.configuration(stopped).set(HdrfKeys.SCHEMES, conf.get(HdrfKeys.SCHEMES));
    startDataNode(stopped);
    assertReadable();
  }

  /** If the chain names the scheme, nothing starts, and the message says the same. */
  @Test
  void aDataNodeWhoseConfiguredSchemeIsMissingTellsHowManyBlocksNeedIt() throws Exception {
    Path others = HdrfCluster.plugins();
    DataNodeProperties stopped = stopDataNode();
    Configuration conf = new Configuration(StoppedDataNode.configuration(stopped));
    String blocks = "this DataNode has 1 blocks that need the scheme \"faulty\" (id 65301)";
    conf.set(HdrfKeys.PLUGINS_DIR, others.toString());
    assertThatThrownBy(() -> new HdrfSetup(conf))
        .isInstanceOf(SchemeNotFoundException.class)
        .hasMessageContaining("there is no scheme \"faulty\"; installed in " + others)
        .hasMessageEndingWith(blocks);
    conf.unset(HdrfKeys.PLUGINS_DIR);
    assertThatThrownBy(() -> new HdrfSetup(conf))
        .isInstanceOf(BadSettingException.class)
        .hasMessageContaining(HdrfKeys.PLUGINS_DIR)
        .hasMessageEndingWith(blocks);
    conf.set(HdrfKeys.PLUGINS_DIR, others.toString());
    conf.set(HdrfKeys.SCHEMES, "lz4,misspelt");
    conf.set(DFSConfigKeys.DFS_DATANODE_DATA_DIR_KEY, "/no/such/place");
    assertThatThrownBy(() -> new HdrfSetup(conf))
        .hasMessageContaining("there is no scheme \"misspelt\"")
        .hasMessageNotContaining("blocks");
    startDataNode(stopped);
    assertReadable();
  }

  /** With no volume left a DataNode stops, instead of reporting its blocks missing. */
  @Test
  void aDataNodeWithoutVolumesExits() throws Exception {
    Path directory = cluster.hdrfDirectory(cluster.volume(0, block));
    DataNodeProperties stopped = stopDataNode();
    StoppedDataNode.configuration(stopped)
        .setInt(DFSConfigKeys.DFS_DATANODE_FAILED_VOLUMES_TOLERATED_KEY, 0);
    for (String name : new String[] {"superblock.0", "superblock.1"}) {
      Damage.flip(directory.resolve(name).toFile(), 40, 1);
    }
    cluster.restart(stopped);
    DataNode failing = cluster.datanode(0);
    HdrfCluster.await("the DataNode to exit", () -> !failing.isDatanodeUp());
    stopped = stopDataNode();
    for (String name : new String[] {"superblock.0", "superblock.1"}) {
      Damage.flip(directory.resolve(name).toFile(), 40, 1);
    }
    StoppedDataNode.configuration(stopped)
        .setInt(DFSConfigKeys.DFS_DATANODE_FAILED_VOLUMES_TOLERATED_KEY, 1);
    startDataNode(stopped);
    assertReadable();
  }

  /** Rule 20: temporary files have a directory of their own, which a start clears. */
  @Test
  void leftoversAreRemoved() throws Exception {
    Path temporary = cluster.hdrfDirectory(cluster.volume(0, block)).resolve("tmp");
    assertThat(temporary).isEmptyDirectory();
    DataNodeProperties stopped = stopDataNode();
    Files.write(temporary.resolve("blk_" + block.getBlockId() + ".1"), data);
    startDataNode(stopped);
    assertThat(temporary).isEmptyDirectory();
    assertReadable();
  }
}
