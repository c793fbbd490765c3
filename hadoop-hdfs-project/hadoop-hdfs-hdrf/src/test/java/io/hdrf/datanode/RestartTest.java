/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode;

import static org.assertj.core.api.Assertions.assertThat;

import io.hdrf.conf.HdrfKeys;
import io.hdrf.datanode.gate.GateScheme;
import io.hdrf.io.TestBytes;
import io.hdrf.reduce.Reducer;
import io.hdrf.reduce.SkipReason;
import java.io.File;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.MiniDFSCluster;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** DataNodes come back, with the same configuration or another one. */
@Timeout(180)
class RestartTest {

  private static final int BLOCK = HdrfCluster.BLOCK_SIZE;

  private HdrfCluster cluster;

  @AfterEach
  void stop() {
    System.clearProperty(GateScheme.CLOSED);
    cluster.close();
  }

  private static void awaitWaiting() throws InterruptedException {
    HdrfCluster.await("a block to be in work", () -> Boolean.getBoolean(GateScheme.WAITED));
  }

  @Test
  void aDataNodeRestartedBeforeDuringAndAfterReduction() throws Exception {
    Configuration conf = HdrfCluster.configuration();
    conf.set(HdrfKeys.PLUGINS_DIR, HdrfCluster.plugins(GateScheme.class).toString());
    conf.set(HdrfKeys.SCHEMES, "gate");
    conf.setInt("hdrf.reduce.threads", 1);
    cluster = HdrfCluster.start(conf, 1);
    byte[] after = TestBytes.text(BLOCK + 200_000, 1);
    cluster.write("/after", after, 1);
    cluster.awaitReduced("/after");

    System.clearProperty(GateScheme.WAITED);
    System.setProperty(GateScheme.CLOSED, "true");
    byte[] during = TestBytes.text(BLOCK, 2);
    cluster.write("/during", during, 1);
    awaitWaiting();
    byte[] before = TestBytes.text(3 * BLOCK, 3);
    cluster.write("/before", before, 1);
    List<File> temporaries = temporaries();
    assertThat(temporaries).hasSize(1);
    // What is in work and in the queue is read meanwhile.
    cluster.assertContent("/during", during);
    cluster.assertContent("/before", before);

    // Not before the Reducer is told to stop: it would go on with what is in the queue.
    Reducer reducer = cluster.service(0).reducer();
    Thread opener =
        new Thread(
            () -> {
              try {
                while (reducer.queueLength() > 0) {
                  Thread.sleep(5);
                }
              } catch (InterruptedException e) {
                return;
              }
              System.clearProperty(GateScheme.CLOSED);
            });
    opener.start();
    MiniDFSCluster.DataNodeProperties stopped = cluster.mini().stopDataNode(0);
    opener.join();
    System.setProperty(GateScheme.CLOSED, "true");
    // As after a crash.
    File leftover = new File(temporaries.get(0).getParentFile(), "blk_1073741826.1");
    Files.write(leftover.toPath(), new byte[1000]);
    cluster.restart(stopped);
    cluster.mini().waitActive();
    assertThat(leftover).doesNotExist();
    cluster.assertContent("/after", after);
    cluster.assertContent("/during", during);
    cluster.assertContent("/before", before);
    assertThat(cluster.plainReplicas("/before")).hasSize(3);

    System.clearProperty(GateScheme.CLOSED);
    for (String path : new String[] {"/before", "/during", "/after"}) {
      cluster.awaitReduced(path);
    }
    cluster.assertContent("/after", after);
    cluster.assertContent("/during", during);
    cluster.assertContent("/before", before);
    cluster.awaitReduced();
    assertThat(temporaries()).isEmpty();
  }

  private List<File> temporaries() {
    List<File> found = new ArrayList<>();
    String pool = cluster.mini().getNamesystem().getBlockPoolId();
    for (int volume = 0; volume < 1; volume++) {
      File storage = cluster.mini().getInstanceStorageDir(0, volume);
      File[] files = new File(storage, "current/" + pool + "/hdrf/tmp").listFiles();
      found.addAll(List.of(files));
    }
    return found;
  }

  @Test
  void theNameNodeRestarts() throws Exception {
    cluster = HdrfCluster.start(HdrfCluster.configuration(), 2);
    byte[] data = TestBytes.text(2 * BLOCK + 70_007, 4);
    cluster.write("/text", data, 2);
    cluster.awaitReduced("/text");
    cluster.mini().restartNameNode();
    cluster.mini().waitActive();
    cluster.awaitReplication("/text", 2);
    cluster.assertContent("/text", data);
    cluster.mini().triggerBlockReports();
    cluster.restartDataNodes();
    cluster.mini().waitActive();
    cluster.awaitReplication("/text", 2);
    assertThat(cluster.plainReplicas("/text")).isEmpty();
    assertThat(cluster.mini().getNamesystem().getCorruptReplicaBlocks()).isZero();
    cluster.assertContent("/text", data);
  }

  /** A cluster that had never heard of HDRF, then one with it, then one with its schemes off. */
  @Test
  void fromStockHdfsToHdrfToNoScheme() throws Exception {
    cluster = HdrfCluster.start(HdrfCluster.stockConfiguration(), 2);
    byte[] old = TestBytes.text(3 * BLOCK + 123_456, 5);
    cluster.write("/old", old, 2);
    TestBytes.assertSame("/old", cluster.read("/old"), old);
    assertThat(cluster.plainReplicas("/old")).hasSize(8);

    cluster.restartAs(HdrfCluster.configuration());
    cluster.awaitReduced("/old");
    cluster.assertContent("/old", old);
    byte[] young = TestBytes.text(2 * BLOCK + 55_555, 6);
    cluster.write("/young", young, 2);
    cluster.awaitReduced("/young");

    Configuration off = HdrfCluster.configuration();
    off.unset(HdrfKeys.SCHEMES);
    cluster.restartAs(off);
    assertThat(cluster.plainReplicas("/old")).isEmpty();
    cluster.assertContent("/old", old);
    cluster.assertContent("/young", young);
    byte[] plain = TestBytes.text(BLOCK, 7);
    cluster.write("/plain", plain, 2);
    cluster.append("/young", plain);
    cluster.awaitReduced();
    assertThat(cluster.plainReplicas("/plain")).hasSize(2);
    byte[] all = java.util.Arrays.copyOf(young, young.length + plain.length);
    System.arraycopy(plain, 0, all, young.length, plain.length);
    cluster.assertContent("/young", all);
    cluster.assertContent("/plain", plain);

    cluster.restartAs(HdrfCluster.configuration());
    cluster.awaitReduced("/plain");
    cluster.awaitReduced("/young");
    cluster.assertContent("/young", all);
    cluster.assertContent("/plain", plain);
    cluster.assertContent("/old", old);
  }

  @Test
  void aFullQueueLosesNothing() throws Exception {
    Configuration conf = HdrfCluster.configuration();
    conf.set(HdrfKeys.PLUGINS_DIR, HdrfCluster.plugins(GateScheme.class).toString());
    conf.set(HdrfKeys.SCHEMES, "gate");
    conf.setInt("hdrf.reduce.queue.length", 1);
    conf.setInt("hdrf.reduce.threads", 1);
    // Only a queue that has room again wakes the scan.
    conf.setInt("hdrf.reduce.scan.interval", 3600);
    cluster = HdrfCluster.start(conf, 1);
    System.clearProperty(GateScheme.WAITED);
    System.setProperty(GateScheme.CLOSED, "true");
    byte[] data = TestBytes.text(20 * BLOCK + 300_000, 8);
    cluster.write("/many", data, 1);
    cluster.assertContent("/many", data);
    awaitWaiting();
    assertThat(cluster.plainReplicas("/many")).hasSize(21);
    assertThat(cluster.service(0).counters().skippedFor(SkipReason.QUEUE_FULL))
        .isGreaterThanOrEqualTo(19);
    System.clearProperty(GateScheme.CLOSED);
    cluster.awaitReduced("/many");
    cluster.assertContent("/many", data);
  }
}
