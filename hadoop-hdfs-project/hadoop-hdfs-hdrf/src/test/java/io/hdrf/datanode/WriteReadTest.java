/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode;

import static org.assertj.core.api.Assertions.assertThat;

import io.hdrf.io.TestBytes;
import java.util.Random;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class WriteReadTest {

  private static HdrfCluster cluster;

  @BeforeAll
  static void start() throws Exception {
    cluster = HdrfCluster.start(HdrfCluster.configuration(), 3);
  }

  @AfterAll
  static void stop() {
    cluster.close();
  }

  @Test
  void textIsReducedOnEveryReplicaAndReadBackTheSame() throws Exception {
    byte[] data = TestBytes.text(3 * HdrfCluster.BLOCK_SIZE + 412_345, 1);
    cluster.write("/text", data, 3);
    cluster.awaitReduced("/text");
    assertThat(cluster.replicas("/text")).hasSize(12);
    assertThat(cluster.read("/text")).isEqualTo(data);
  }

  @Test
  void positionalReadsGiveTheRightBytes() throws Exception {
    byte[] data = TestBytes.text(2 * HdrfCluster.BLOCK_SIZE, 2);
    cluster.write("/positions", data, 1);
    cluster.awaitReduced("/positions");
    Random random = new Random(3);
    try (FSDataInputStream in = cluster.fs().open(new Path("/positions"))) {
      for (int i = 0; i < 300; i++) {
        int position = random.nextInt(data.length - 1);
        byte[] found = new byte[1 + random.nextInt(Math.min(300_000, data.length - position))];
        in.readFully(position, found);
        assertThat(found)
            .isEqualTo(java.util.Arrays.copyOfRange(data, position, position + found.length));
      }
    }
  }

  @Test
  void appendToAReducedBlock() throws Exception {
    byte[] data = TestBytes.text(HdrfCluster.BLOCK_SIZE + 300_000, 4);
    byte[] begin = java.util.Arrays.copyOf(data, 500_001);
    cluster.write("/append", begin, 3);
    cluster.awaitReduced("/append");
    try (FSDataOutputStream out = cluster.fs().append(new Path("/append"))) {
      out.write(data, begin.length, data.length - begin.length);
    }
    assertThat(cluster.read("/append")).isEqualTo(data);
    cluster.awaitReduced("/append");
    assertThat(cluster.read("/append")).isEqualTo(data);
  }
}
