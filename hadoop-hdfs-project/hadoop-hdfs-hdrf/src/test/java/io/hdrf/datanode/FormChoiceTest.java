/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode;

import static io.hdrf.datanode.MirrorCounts.sum;
import static org.assertj.core.api.Assertions.assertThat;

import io.hdrf.io.TestBytes;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DFSConfigKeys;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Blocks with {@code dedup} between DataNodes that decide by themselves how they go. */
@Timeout(300)
class FormChoiceTest {

  private static final int MAX_FILES = 60;
  private static final int ENCRYPTED_FILES = 10;

  private HdrfCluster cluster;

  @AfterEach
  void stop() {
    if (cluster != null) {
      cluster.close();
    }
  }

  private long wire(String name) {
    return sum(new MirrorCounts(cluster).wire(name));
  }

  /**
   * They begin in records, and are those of stock HDFS where these keep up. Where a cipher holds up
   * the writes, either form may be the faster one.
   */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aFastLinkGetsTheStreamsOfStock(boolean encrypted) throws Exception {
    Configuration conf = ReferencesTest.configuration("dedup,lz4");
    conf.set("hdrf.mirror.enabled", "auto");
    conf.setBoolean(DFSConfigKeys.DFS_ENCRYPT_DATA_TRANSFER_KEY, encrypted);
    conf.set(DFSConfigKeys.DFS_DATA_ENCRYPTION_ALGORITHM_KEY, "rc4");
    conf.setBoolean(DFSConfigKeys.DFS_BLOCK_ACCESS_TOKEN_ENABLE_KEY, encrypted);
    cluster = HdrfCluster.start(conf, 2);
    byte[] data = TestBytes.text(8 * HdrfCluster.BLOCK_SIZE, 1);
    long records = 0;
    int files = 0;
    do {
      assertThat(files).isLessThan(MAX_FILES);
      records = wire("mirrorBytesPlainSent");
      cluster.write("/" + files, data, 2);
      files++;
    } while (encrypted ? files < ENCRYPTED_FILES : wire("mirrorBytesPlainSent") > records);
    assertThat(wire("mirrorBytesByChoicePlain")).isPositive();
    cluster.write("/one", data, 1);
    cluster.fs().setReplication(new Path("/one"), (short) 2);
    cluster.awaitReplication("/one", 2);
    for (int i = 0; i < files; i++) {
      cluster.assertContent("/" + i, data);
    }
    cluster.awaitReduced("/one");
    cluster.assertContent("/one", data);
    for (String name : new String[] {"BrokenSequence", "ReferencesBroke", "PeerUnknown"}) {
      assertThat(wire("mirrorFallback" + name)).as(name).isZero();
    }
  }
}
