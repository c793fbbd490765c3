/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hdrf.conf.HdrfKeys;
import io.hdrf.io.TestBytes;
import io.hdrf.metadata.CheckResult;
import io.hdrf.metadata.StoreStatus;
import io.hdrf.metadata.VolumeRecords;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;

/** Records of blocks that change just before an orderly end. */
class StoppedRecordsTest {

  private static Configuration configuration(int flushMillis) {
    Configuration conf = HdrfCluster.configuration();
    conf.set(HdrfKeys.PLUGINS_DIR, System.getProperty("hdrf.test.plugins.with.store"));
    conf.setInt("hdrf.metadata.flush.interval", flushMillis);
    conf.setInt("hdrf.metadata.check.interval", 60_000);
    return conf;
  }

  @Test
  void changesThatWaitWhenThePoolGoesAreNotForgotten() throws Exception {
    byte[] text = TestBytes.text(200_000, 1);
    try (HdrfCluster cluster = HdrfCluster.start(configuration(20_000), 1)) {
      HdrfCluster.await("records in step", () -> isInStep(records(cluster)));
      cluster.write("/text", text, 1);
      cluster.awaitReduced("/text");
      assertThat(records(cluster).pending()).isPositive();
      cluster.restartAs(configuration(20));
      HdrfCluster.await(
          "records in step", () -> isInStep(records(cluster)) && records(cluster).pending() == 0);
      CheckResult found = records(cluster).check(false);
      assertThat(found.examples()).isEmpty();
      assertThat(found.blocks()).isOne();
      TestBytes.assertSame("/text", cluster.read("/text"), text);
    }
  }

  /** They are known no more, which is not to be taken for there being none. */
  @Test
  void whenThePoolLeavesItsBlocksAreNotCompared() throws Exception {
    try (HdrfCluster cluster = HdrfCluster.start(configuration(20), 1)) {
      cluster.write("/text", TestBytes.text(200_000, 1), 1);
      cluster.awaitReduced("/text");
      HdrfCluster.await("records in step", () -> isInStep(records(cluster)));
      VolumeRecords records = records(cluster);
      cluster.service(0).changes().stopJobs(cluster.pool());
      assertThatThrownBy(() -> records.check(false)).hasMessageContaining("leaves");
    }
  }

  private static VolumeRecords records(HdrfCluster cluster) {
    return cluster.service(0).records().volumes().get(0);
  }

  private static boolean isInStep(VolumeRecords volume) {
    return volume.status().state() == StoreStatus.State.IN_STEP;
  }
}
