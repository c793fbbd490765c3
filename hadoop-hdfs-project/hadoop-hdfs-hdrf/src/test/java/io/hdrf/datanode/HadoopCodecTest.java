/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode;

import static org.assertj.core.api.Assertions.assertThat;

import io.hdrf.block.ReducedBlock;
import io.hdrf.io.LogCapture;
import io.hdrf.io.TestBytes;
import io.hdrf.spi.io.ChannelFile;
import java.io.File;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.DFSConfigKeys;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.io.compress.BZip2Codec;
import org.apache.hadoop.io.compress.GzipCodec;
import org.apache.log4j.Level;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Blocks compressed by Hadoop's codecs, on real DataNodes. */
class HadoopCodecTest {

  private static final String CLASS = "hdrf.hadoop-codec.class";
  private static final int LENGTH = 3 * HdrfCluster.BLOCK_SIZE / 2;

  private HdrfCluster cluster;

  @AfterEach
  void stop() {
    if (cluster != null) {
      cluster.close();
    }
  }

  private static Configuration configuration(Class<?> codec) {
    Configuration conf = HdrfCluster.configuration();
    conf.set("hdrf.schemes", "hadoop-codec");
    conf.set(CLASS, codec.getName());
    return conf;
  }

  /** Does not find {@link GoneCodec}. */
  private static final class Forgetful extends ClassLoader {
    Forgetful() {
      super(HadoopCodecTest.class.getClassLoader());
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
      if (name.equals(GoneCodec.class.getName())) {
        throw new ClassNotFoundException(name);
      }
      return super.loadClass(name, resolve);
    }
  }

  private static String codecOf(File replica) throws Exception {
    Path path = replica.toPath();
    try (ReducedBlock block = ReducedBlock.openUntrusted(path, ChannelFile.open(path))) {
      ByteBuffer stored = ByteBuffer.allocate(block.frames().storedLength(0));
      block.readStored(0, stored);
      return new String(stored.array(), 1, stored.array()[0], StandardCharsets.US_ASCII);
    }
  }

  @Test
  void blocksStayReadableWhenTheCodecChanges() throws Exception {
    cluster = HdrfCluster.start(configuration(GzipCodec.class), 2);
    byte[] first = TestBytes.text(LENGTH, 1);
    cluster.write("/first", first, 2);
    cluster.awaitReduced("/first");
    for (int i = 0; i < 2; i++) {
      assertThat(cluster.service(i).counters().values().get("blocksAdopted"))
          .as("blocks stored in frames that another DataNode made")
          .isZero();
    }
    cluster.restartAs(configuration(BZip2Codec.class));
    byte[] second = TestBytes.text(LENGTH, 2);
    cluster.write("/second", second, 2);
    cluster.awaitReduced("/second");
    assertThat(codecOf(cluster.replicas("/first").get(0))).isEqualTo(GzipCodec.class.getName());
    assertThat(codecOf(cluster.replicas("/second").get(0))).isEqualTo(BZip2Codec.class.getName());
    cluster.assertContent("/first", first);
    cluster.assertContent("/second", second);
    // Replicated as plain data or in other frames: the third DataNode stores it in its own way.
    cluster.mini().startDataNodes(cluster.conf(), 1, true, null, null);
    cluster.mini().waitActive();
    cluster.fs().setReplication(new org.apache.hadoop.fs.Path("/first"), (short) 3);
    cluster.awaitReplication("/first", 3);
    cluster.awaitReduced("/first");
    cluster.assertContent("/first", first);
  }

  /** As for the jar of a scheme, the message says what to do and how many blocks depend on it. */
  @Test
  void aVolumeDoesNotStartWithoutACodecThatItsBlocksNeed() throws Exception {
    cluster = HdrfCluster.start(twoVolumes(GoneCodec.class), 1, 2);
    byte[] data = TestBytes.text(LENGTH / 2, 3);
    cluster.write("/gone", data, 1);
    cluster.awaitReduced("/gone");
    cluster.restartAs(twoVolumes(GzipCodec.class));
    for (int i = 0; i < 4; i++) {
      cluster.write("/gzip" + i, data, 1);
      cluster.awaitReduced("/gzip" + i);
    }

    try (LogCapture errors = new LogCapture(Level.ERROR)) {
      cluster.restartAs(withoutTheClass());
      HdrfCluster.await("the error", () -> errors.all().contains(GoneCodec.class.getName()));
      assertThat(errors.all())
          .contains("has 1 blocks that need " + GoneCodec.class.getName())
          .contains("the scheme \"hadoop-codec\"")
          .contains(CLASS + " = " + GoneCodec.class.getName())
          .contains("put its jar on the DataNode's class path");
    }

    cluster.restartAs(twoVolumes(GzipCodec.class));
    cluster.assertContent("/gone", data);
    File gone = cluster.replicas("/gone").get(0);
    cluster.fs().delete(new org.apache.hadoop.fs.Path("/gone"), false);
    HdrfCluster.await("the block to go", () -> !gone.exists());
    // A codec that no block needs may be missing.
    cluster.restartAs(withoutTheClass());
    for (int i = 0; i < 4; i++) {
      cluster.assertContent("/gzip" + i, data);
    }
  }

  private static Configuration twoVolumes(Class<?> codec) {
    Configuration conf = configuration(codec);
    conf.setInt(DFSConfigKeys.DFS_DATANODE_FAILED_VOLUMES_TOLERATED_KEY, 1);
    // The cluster is up although blocks are missing.
    conf.setFloat(DFSConfigKeys.DFS_NAMENODE_SAFEMODE_THRESHOLD_PCT_KEY, 0);
    return conf;
  }

  private static Configuration withoutTheClass() {
    Configuration conf = twoVolumes(GzipCodec.class);
    conf.setClassLoader(new Forgetful());
    return conf;
  }

  @Test
  void aCodecThatIsNotThereStopsTheDataNode() throws Exception {
    try (HdrfCluster empty =
            HdrfCluster.start(HdrfCluster.configuration(), builder -> builder.numDataNodes(0));
        LogCapture errors = new LogCapture(Level.ERROR)) {
      Configuration conf = new Configuration(empty.mini().getConfiguration(0));
      conf.set("hdrf.schemes", "hadoop-codec");
      conf.set(CLASS, "com.acme.NoCodec");
      empty.mini().startDataNodes(conf, 1, true, null, null);
      DataNode datanode = empty.datanode(0);
      HdrfCluster.await("the DataNode to exit", () -> !datanode.isDatanodeUp());
      HdrfCluster.await(
          "the error",
          () -> errors.all().contains(CLASS + " is \"com.acme.NoCodec\", but must be"));
    }
  }
}
