/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode;

import static io.hdrf.datanode.MirrorCounts.sum;
import static org.assertj.core.api.Assertions.assertThat;

import io.hdrf.io.TestBytes;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Blocks that the filter excludes are not worked on between DataNodes either. */
@Timeout(180)
class MirrorFilterTest {

  private static final int LENGTH = HdrfCluster.BLOCK_SIZE;

  private HdrfCluster cluster;

  @AfterEach
  void stop() {
    if (cluster != null) {
      cluster.close();
    }
  }

  private static Configuration configuration(String key, String value) {
    Configuration conf = HdrfCluster.configuration();
    // Otherwise whether blocks go encoded depends on how fast the link is.
    conf.set("hdrf.mirror.enabled", "true");
    conf.set(key, value);
    return conf;
  }

  private long wire(String name) {
    return sum(new MirrorCounts(cluster).wire(name));
  }

  /** Text with a word at a place. */
  private static byte[] text(String word, int at, long seed) {
    byte[] data = TestBytes.text(LENGTH, seed);
    byte[] bytes = word.getBytes(StandardCharsets.ISO_8859_1);
    System.arraycopy(bytes, 0, data, at, bytes.length);
    return data;
  }

  private void assertNothingWasEncoded() {
    assertThat(wire("mirrorFramesEncoded")).isZero();
    assertThat(wire("mirrorFramesDecoded")).isZero();
    assertThat(sum(new MirrorCounts(cluster).reducer("framesEncoded"))).isZero();
    assertThat(wire("mirrorFallbackNotWorthKeeping")).isZero();
  }

  private void assertPlain(String path, byte[] data, int replication) throws Exception {
    cluster.awaitReplication(path, replication);
    cluster.awaitReduced();
    assertThat(cluster.plainReplicas(path)).hasSize(replication);
    cluster.assertContent(path, data);
  }

  @Test
  void anExcludedBlockOfThreeReplicasIsNeitherEncodedNorDecoded() throws Exception {
    cluster = HdrfCluster.start(configuration("hdrf.filter.exclude.keywords", "%PDF-"), 3);
    byte[] data = text("%PDF-", 20, 1);
    cluster.write("/excluded", data, 3);
    assertPlain("/excluded", data, 3);
    assertNothingWasEncoded();
    assertThat(wire("mirrorBlocksExcluded")).as("once for each link").isEqualTo(2);
    assertThat(wire("mirrorBytesByChoicePlain")).isPositive();

    byte[] other = TestBytes.text(LENGTH, 2);
    cluster.write("/other", other, 3);
    cluster.awaitReduced("/other");
    assertThat(wire("mirrorFramesEncoded")).isPositive();
    assertThat(wire("mirrorFramesDecoded")).isEqualTo(2 * wire("mirrorFramesEncoded"));
    assertThat(wire("mirrorBlocksExcluded")).isEqualTo(2);
    cluster.assertContent("/other", other);
  }

  @Test
  void theRestOfABlockIsPlainOnceItIsKnownToBeExcluded() throws Exception {
    cluster = HdrfCluster.start(configuration("hdrf.filter.exclude.regex", "x-kept: yes"), 3);
    // The first packet ends there, as it is flushed; 63 KiB have to pass.
    byte[] data = text("x-kept: yes", 30_000, 3);
    try (FSDataOutputStream out =
        cluster.fs().create(new Path("/flushed"), true, 4096, (short) 3, LENGTH)) {
      out.write(data, 0, 10_000);
      out.hflush();
      out.write(data, 10_000, data.length - 10_000);
    }
    assertPlain("/flushed", data, 3);
    assertThat(wire("mirrorBlocksExcluded")).isEqualTo(2);
    assertThat(wire("mirrorBytesByChoicePlain")).isGreaterThan(LENGTH - 3 * 65_536);
  }

  @Test
  void whatIsNotIncludedIsExcluded() throws Exception {
    cluster = HdrfCluster.start(configuration("hdrf.filter.include.keywords", "INFO"), 3);
    byte[] data = TestBytes.text(LENGTH, 4);
    cluster.write("/other", data, 3);
    assertPlain("/other", data, 3);
    assertNothingWasEncoded();
    byte[] log = text("INFO", 50_000, 5);
    cluster.write("/log", log, 3);
    cluster.awaitReduced("/log");
    assertThat(wire("mirrorFramesEncoded")).isPositive();
    cluster.assertContent("/log", log);
  }

  /** What is replicated or appended to later has its beginning on the disk. */
  @Test
  void copiesAndAppendsAreLookedAtToo() throws Exception {
    cluster = HdrfCluster.start(configuration("hdrf.filter.exclude.keywords", "%PDF-"), 3);
    byte[] data = text("%PDF-", 20, 6);
    cluster.write("/excluded", Arrays.copyOf(data, LENGTH / 2), 2);
    assertPlain("/excluded", Arrays.copyOf(data, LENGTH / 2), 2);
    cluster.append("/excluded", Arrays.copyOfRange(data, LENGTH / 2, LENGTH));
    assertPlain("/excluded", data, 2);
    assertNothingWasEncoded();
    assertThat(wire("mirrorBlocksExcluded")).isEqualTo(2);
    cluster.fs().setReplication(new Path("/excluded"), (short) 3);
    assertPlain("/excluded", data, 3);
    assertNothingWasEncoded();
    assertThat(wire("mirrorBlocksExcluded")).isEqualTo(3);
  }

  /** Its length is known when it is copied. */
  @Test
  void aShortBlockIsCopiedPlain() throws Exception {
    cluster =
        HdrfCluster.start(
            configuration("hdrf.reduce.min.block.size", Integer.toString(LENGTH + 1)), 3);
    byte[] data = TestBytes.text(LENGTH, 7);
    cluster.write("/short", data, 1);
    assertPlain("/short", data, 1);
    cluster.fs().setReplication(new Path("/short"), (short) 3);
    assertPlain("/short", data, 3);
    assertNothingWasEncoded();
  }

  /** Chunks are not asked for either. */
  @Test
  void noChunkOfAnExcludedBlockIsAskedFor() throws Exception {
    Configuration conf = ReferencesTest.configuration("dedup,lz4");
    conf.set("hdrf.mirror.enabled", "true");
    conf.set("hdrf.filter.exclude.keywords", "%PDF-");
    cluster = HdrfCluster.start(conf, 3);
    byte[] data = text("%PDF-", 20, 8);
    cluster.write("/excluded", data, 3);
    assertPlain("/excluded", data, 3);
    assertNothingWasEncoded();
    assertThat(wire("mirrorAsks")).isZero();
    byte[] other = TestBytes.text(LENGTH, 9);
    cluster.write("/other", other, 3);
    cluster.awaitReduced("/other");
    assertThat(wire("mirrorAsks")).isPositive();
    cluster.assertContent("/other", other);
  }
}
