/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hdrf.block.ReducedBlock;
import io.hdrf.io.TestBytes;
import io.hdrf.scheme.ThirdPartySchemeJar;
import io.hdrf.spi.io.ChannelFile;
import java.io.File;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.junit.jupiter.api.Test;

/**
 * A jar that is not on the class path, with a library that conflicts with another plug-in's,
 * dropped into the plug-in directory and named in the configuration; three DataNodes in one JVM
 * share it.
 */
class ThirdPartySchemeClusterTest {

  @Test
  void threeDataNodesStoreWithAThirdPartysScheme() throws Exception {
    assertThatThrownBy(() -> Class.forName("com.acme.AcmeLz4Scheme"))
        .isInstanceOf(ClassNotFoundException.class);
    Path plugins = HdrfCluster.plugins();
    ThirdPartySchemeJar.build(plugins);
    byte[] data = TestBytes.text(3 * HdrfCluster.BLOCK_SIZE + 300_000, 111);
    try (HdrfCluster cluster =
        HdrfCluster.start(HdrfCluster.configuration(plugins, ThirdPartySchemeJar.NAME), 3, 1)) {
      cluster.write("/file", data, 3);
      cluster.awaitReduced("/file");
      assertStoredByAcme(cluster);
      TestBytes.assertSame("read back", cluster.read("/file"), data);
      cluster.restartDataNodes();
      cluster.mini().waitActive();
      TestBytes.assertSame("after a restart", cluster.read("/file"), data);
      for (LocatedBlock located : cluster.blocks("/file")) {
        int from = (int) located.getStartOffset();
        byte[] expected =
            java.util.Arrays.copyOfRange(data, from, from + (int) located.getBlockSize());
        for (int datanode = 0; datanode < 3; datanode++) {
          TestBytes.assertSame(
              located + " on " + datanode,
              cluster.replicaBytes(datanode, located.getBlock()),
              expected);
        }
      }
    }
  }

  /** Encoded by the jar's own lz4-java, although the jar beside it has a newer one. */
  private static void assertStoredByAcme(HdrfCluster cluster) throws Exception {
    for (LocatedBlock located : cluster.blocks("/file")) {
      for (int datanode = 0; datanode < 3; datanode++) {
        File file = cluster.file(datanode, located.getBlock());
        try (ReducedBlock block =
            ReducedBlock.openUntrusted(file.toPath(), ChannelFile.open(file.toPath()))) {
          assertThat(block.header().chainIds()).containsExactly(ThirdPartySchemeJar.ID);
          ByteBuffer frame = ByteBuffer.allocateDirect(block.frames().storedLength(0));
          block.readStored(0, frame);
          assertThat(frame.get(0)).isEqualTo(ThirdPartySchemeJar.OTHER_LZ4);
        }
      }
    }
  }
}
