/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode;

import static org.assertj.core.api.Assertions.assertThat;

import io.hdrf.conf.HdrfKeys;
import io.hdrf.io.TestBytes;
import java.util.Arrays;
import java.util.Random;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A block's whole life under settings that clusters have gathered over the years. */
@Timeout(300)
class OddSettingsTest {

  private static final String CHECKSUMS = "dfs.checksum.type";

  private static Named<Configuration> with(String name, String... keysAndValues) {
    Configuration conf = HdrfCluster.configuration();
    conf.set(HdrfKeys.SCHEMES, "dedup,lz4");
    for (int i = 0; i < keysAndValues.length; i += 2) {
      conf.set(keysAndValues[i], keysAndValues[i + 1]);
    }
    return Named.of(name, conf);
  }

  static Stream<Named<Configuration>> configurations() {
    return Stream.of(
        with(
            "no scanners, few threads",
            "dfs.datanode.handler.count",
            "1",
            "dfs.datanode.max.transfer.threads",
            "8",
            "dfs.datanode.socket.reuse.keepalive",
            "0",
            "dfs.datanode.use.datanode.hostname",
            "true",
            "dfs.client.use.datanode.hostname",
            "true",
            "dfs.block.scanner.volume.bytes.per.second",
            "0",
            "dfs.datanode.directoryscan.interval",
            "-1",
            "dfs.datanode.data.dir.perm",
            "755",
            "dfs.datanode.du.reserved",
            "1000000",
            "fs.getspaceused.classname",
            "org.apache.hadoop.fs.DFCachingGetSpaceUsed"),
        with(
            "few checksums, large packets, synchronised writes, profiling",
            CHECKSUMS,
            "CRC32",
            "dfs.bytes-per-checksum",
            "65536",
            "dfs.client-write-packet-size",
            "16000000",
            "dfs.datanode.synconclose",
            "true",
            "dfs.datanode.sync.behind.writes",
            "true",
            "dfs.datanode.drop.cache.behind.writes",
            "true",
            "dfs.datanode.fileio.profiling.sampling.percentage",
            "100",
            "dfs.datanode.peer.stats.enabled",
            "true"),
        with(
            "odd checksums, small packets, throttles",
            "dfs.bytes-per-checksum",
            "1200",
            "dfs.blocksize",
            "1200000",
            "dfs.client-write-packet-size",
            "100",
            "dfs.datanode.data.transfer.bandwidthPerSec",
            "3000000",
            "dfs.datanode.data.write.bandwidthPerSec",
            "3000000"),
        with("no checksums", CHECKSUMS, "NULL"));
  }

  @ParameterizedTest
  @MethodSource("configurations")
  void aBlocksLife(Configuration conf) throws Exception {
    byte[] data = TestBytes.text(2 * HdrfCluster.BLOCK_SIZE + 77_777, 1);
    Path path = new Path("/text");
    try (HdrfCluster cluster = HdrfCluster.start(conf, 3, 2)) {
      cluster.write("/text", data, 3);
      cluster.awaitReduced();
      if (conf.get(CHECKSUMS, "").equals("NULL")) {
        assertThat(cluster.plainReplicas("/text")).hasSameSizeAs(cluster.replicas("/text"));
      } else {
        cluster.awaitReduced("/text");
      }
      cluster.assertContent("/text", data);
      readRanges(cluster, path, data);

      cluster.fs().setReplication(path, (short) 1);
      cluster.awaitReplication("/text", 1);
      cluster.fs().setReplication(path, (short) 3);
      cluster.awaitReplication("/text", 3);
      cluster.awaitReduced();
      cluster.assertContent("/text", data);

      byte[] twice = Arrays.copyOf(data, 2 * data.length);
      System.arraycopy(data, 0, twice, data.length, data.length);
      try (FSDataOutputStream out = cluster.fs().append(path)) {
        out.write(data, 0, 100_001);
        out.hflush();
        out.write(data, 100_001, data.length - 100_001);
        out.hsync();
      }
      cluster.assertContent("/text", twice);
      cluster.awaitReduced();
      cluster.restartDataNodes();
      cluster.mini().waitActive();
      cluster.assertContent("/text", twice);

      int shorter = data.length + 123_457;
      cluster.fs().truncate(path, shorter);
      cluster.awaitClosed("/text");
      cluster.awaitReduced();
      cluster.assertContent("/text", Arrays.copyOf(twice, shorter));
    }
  }

  private static void readRanges(HdrfCluster cluster, Path path, byte[] data) throws Exception {
    Random random = new Random(2);
    try (FSDataInputStream in = cluster.fs().open(path)) {
      for (int i = 0; i < 30; i++) {
        int position = random.nextInt(data.length);
        int most = 1 + random.nextInt(i % 8 == 0 ? 900_000 : 3000);
        byte[] found = new byte[Math.min(data.length - position, most)];
        in.readFully(position, found);
        TestBytes.assertSame(
            "the range from " + position,
            found,
            Arrays.copyOfRange(data, position, position + found.length));
      }
    }
  }
}
