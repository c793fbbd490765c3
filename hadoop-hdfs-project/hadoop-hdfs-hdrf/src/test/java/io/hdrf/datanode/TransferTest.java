/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode;

import io.hdrf.io.TestBytes;
import java.util.Arrays;
import java.util.Random;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Reduced blocks on all ways from the DataNode to clients and to other DataNodes. */
@Timeout(120)
class TransferTest {

  private static Configuration with(String... keysAndValues) {
    Configuration conf = HdrfCluster.configuration();
    for (int i = 0; i < keysAndValues.length; i += 2) {
      conf.set(keysAndValues[i], keysAndValues[i + 1]);
    }
    return conf;
  }

  static Stream<Named<Configuration>> configurations() {
    return Stream.of(
        Named.of(
            "encrypted",
            with(
                "dfs.encrypt.data.transfer",
                "true",
                "dfs.encrypt.data.transfer.algorithm",
                "rc4",
                "dfs.block.access.token.enable",
                "true")),
        Named.of("without transferTo", with("dfs.datanode.transferTo.allowed", "false")),
        Named.of(
            "without reading ahead and caching",
            with(
                "hdrf.read.ahead.threads",
                "0",
                "hdrf.read.cache.size",
                "0",
                "dfs.datanode.drop.cache.behind.reads",
                "true",
                "dfs.datanode.readahead.bytes",
                "0")));
  }

  @ParameterizedTest
  @MethodSource("configurations")
  void reads(Configuration conf) throws Exception {
    byte[] data = TestBytes.text(3 * HdrfCluster.BLOCK_SIZE + 77_777, 1);
    try (HdrfCluster cluster = HdrfCluster.start(conf, 2)) {
      cluster.write("/text", data, 1);
      cluster.awaitReduced("/text");
      cluster.assertContent("/text", data);
      Random random = new Random(2);
      try (FSDataInputStream in = cluster.fs().open(new Path("/text"))) {
        for (int i = 0; i < 60; i++) {
          int position = random.nextInt(data.length);
          byte[] found =
              new byte
                  [Math.min(
                      data.length - position, 1 + random.nextInt(i % 8 == 0 ? 900_000 : 3000))];
          in.readFully(position, found);
          TestBytes.assertSame(
              "the range from " + position,
              found,
              Arrays.copyOfRange(data, position, position + found.length));
        }
      }
      cluster.fs().setReplication(new Path("/text"), (short) 2);
      cluster.awaitReplication("/text", 2);
      cluster.awaitReduced("/text");
      cluster.assertContent("/text", data);
      cluster.append("/text", data);
      byte[] twice = Arrays.copyOf(data, 2 * data.length);
      System.arraycopy(data, 0, twice, data.length, data.length);
      cluster.assertContent("/text", twice);
    }
  }
}
