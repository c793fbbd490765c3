/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode;

import static org.assertj.core.api.Assertions.assertThat;

import io.hdrf.block.ReducedBlock;
import io.hdrf.io.TestBytes;
import io.hdrf.spi.io.ChannelFile;
import java.io.File;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Random;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A scheme that keeps the length, before a compressor, on real DataNodes. */
@Timeout(180)
class ShuffleTest {

  private static final int SHUFFLE = 5;
  private static final int LZ4 = 1;
  private static final int BOTH = 0b11;
  private static final int LENGTH = 3 * HdrfCluster.BLOCK_SIZE / 2;

  private HdrfCluster cluster;

  @AfterEach
  void stop() {
    if (cluster != null) {
      cluster.close();
    }
  }

  private static Configuration configuration(String elementSize) {
    Configuration conf = HdrfCluster.configuration();
    conf.set("hdrf.schemes", "shuffle,lz4");
    conf.set("hdrf.shuffle.element.size", elementSize);
    conf.set("hdrf.mirror.enabled", "true");
    return conf;
  }

  /** A column that grows slowly; its end is no whole number. */
  private static byte[] numbers(long seed) {
    ByteBuffer numbers = ByteBuffer.allocate(LENGTH + 5).order(ByteOrder.LITTLE_ENDIAN);
    Random random = new Random(seed);
    long number = 1_700_000_000_000L;
    while (numbers.remaining() >= Long.BYTES) {
      number += random.nextInt(200);
      numbers.putLong(number);
    }
    return numbers.array();
  }

  private void assertStages(String path, int stages) throws Exception {
    for (File replica : cluster.replicas(path)) {
      try (ReducedBlock block =
          ReducedBlock.openUntrusted(replica.toPath(), ChannelFile.open(replica.toPath()))) {
        assertThat(block.header().chainIds()).containsExactly(SHUFFLE, LZ4);
        for (int frame = 0; frame < block.frames().frameCount() - 1; frame++) {
          assertThat(block.frames().stages(frame)).as("frame %d", frame).isEqualTo(stages);
        }
        assertThat(block.physicalLength()).isLessThan(block.logicalLength() * 2 / 3);
      }
    }
  }

  @Test
  void numbersAreStoredSentAndReadWithIt() throws Exception {
    cluster = HdrfCluster.start(configuration("8"), 3);
    byte[] data = numbers(1);
    byte[] text = TestBytes.text(LENGTH, 2);
    cluster.write("/numbers", data, 2);
    cluster.write("/text", text, 2);
    cluster.awaitReduced("/numbers");
    cluster.awaitReduced("/text");
    assertStages("/numbers", BOTH);
    assertStages("/text", 1 << 1);
    cluster.assertSameFrames("/numbers", 2);
    assertThat(MirrorCounts.sum(new MirrorCounts(cluster).reducer("blocksAdopted"))).isEqualTo(8);
    cluster.restartAs(configuration("3"));
    cluster.assertContent("/numbers", data);
    cluster.assertContent("/text", text);
    // A replica that is not yet reported would be copied onto itself, which is tried again late.
    cluster.awaitReplication("/numbers", 2);
    cluster.fs().setReplication(new Path("/numbers"), (short) 3);
    cluster.awaitReplication("/numbers", 3);
    cluster.awaitReduced("/numbers");
    cluster.assertSameFrames("/numbers", 3);
    byte[] more = Arrays.copyOf(data, 100_000);
    cluster.append("/numbers", more);
    byte[] longer = Arrays.copyOf(data, data.length + more.length);
    System.arraycopy(more, 0, longer, data.length, more.length);
    cluster.awaitReduced("/numbers");
    cluster.assertContent("/numbers", longer);
  }
}
