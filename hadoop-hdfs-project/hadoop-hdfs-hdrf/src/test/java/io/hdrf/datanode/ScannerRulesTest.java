/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hdrf.datanode.faulty.FaultyScheme;
import io.hdrf.io.TestBytes;
import java.io.FileInputStream;
import java.io.FileNotFoundException;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.DFSConfigKeys;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.server.datanode.DataNodeProbe;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Rule 7: damage is reported, unavailability is not. */
class ScannerRulesTest {

  private static final int SIZE = 600_000;

  private static HdrfCluster cluster;

  @BeforeAll
  static void start() throws Exception {
    Configuration conf =
        HdrfCluster.configuration(HdrfCluster.plugins(FaultyScheme.class), FaultyScheme.NAME);
    conf.setLong(DFSConfigKeys.DFS_BLOCK_SCANNER_VOLUME_BYTES_PER_SECOND, 1 << 30);
    cluster = HdrfCluster.start(conf, 1, 1);
  }

  @AfterEach
  void everythingWorks() {
    System.clearProperty(FaultyScheme.DECODE_FAILURE);
  }

  @AfterAll
  static void stop() {
    cluster.close();
  }

  private static ExtendedBlock reducedBlock(String path, long seed) throws Exception {
    cluster.write(path, TestBytes.text(SIZE, seed), 1);
    ExtendedBlock block = cluster.block(path);
    cluster.awaitReduced(0, block);
    return block;
  }

  private static long corruptBlocks() {
    return cluster.mini().getNamesystem().getCorruptReplicaBlocks();
  }

  private static void scanUntilRead(ExtendedBlock block) throws Exception {
    long reads = cluster.service(0).counters().values().get("reads");
    DataNodeProbe.scan(cluster.datanode(0), block);
    HdrfCluster.await(
        "the scanner", () -> cluster.service(0).counters().values().get("reads") > reads);
    Thread.sleep(500);
    cluster.mini().triggerHeartbeats();
  }

  @ParameterizedTest
  @ValueSource(strings = {"io", "state", "memory"})
  void whatCanNotBeDecodedNowIsNotReported(String failure) throws Exception {
    ExtendedBlock block = reducedBlock("/" + failure, failure.hashCode());
    System.setProperty(FaultyScheme.DECODE_FAILURE, failure);
    assertThatThrownBy(() -> cluster.replicaBytes(0, block))
        .isInstanceOf(FileNotFoundException.class)
        .message()
        .isNotEmpty();
    long before = corruptBlocks();
    scanUntilRead(block);
    assertThat(corruptBlocks()).isEqualTo(before);
    System.clearProperty(FaultyScheme.DECODE_FAILURE);
    TestBytes.assertSame(
        "the file", cluster.read("/" + failure), TestBytes.text(SIZE, failure.hashCode()));
  }

  @Test
  void tooManyOpenFilesAreNotDamage() throws Exception {
    ExtendedBlock block = reducedBlock("/handles", 61);
    java.io.File file = cluster.file(0, block);
    thrownByOpening(block); // loads every class it takes
    List<FileInputStream> all = new ArrayList<>();
    String limit = openFilesLimit();
    Throwable none;
    Throwable one;
    try {
      limitOpenFiles(BlockFiles.open("") + 50 + ":");
      int tries = 0;
      do {
        try {
          while (true) {
            all.add(new FileInputStream("/dev/null"));
          }
        } catch (FileNotFoundException e) {
          assertThat(e).hasMessageContaining("Too many open files");
        }
        none = thrownByOpening(block);
        all.remove(all.size() - 1).close();
        one = thrownByOpening(block);
        // Other threads of the cluster close files, too.
      } while ((none == null || one == null) && ++tries < 100);
    } finally {
      for (FileInputStream stream : all) {
        stream.close();
      }
      limitOpenFiles(limit + ":");
    }
    assertThat(none).isInstanceOf(FileNotFoundException.class);
    // One descriptor is enough for the block's file, and one is wanting for the null device.
    assertThat(one).isInstanceOf(FileNotFoundException.class);
    assertThat(BlockFiles.open(file.getName())).isZero();
    TestBytes.assertSame("the file", cluster.read("/handles"), TestBytes.text(SIZE, 61));
  }

  private static String openFilesLimit() throws Exception {
    return Files.readString(Paths.get("/proc/self/limits"))
        .lines()
        .filter(line -> line.startsWith("Max open files"))
        .findFirst()
        .orElseThrow()
        .split("\\s+", -1)[3];
  }

  /** Sets this process's soft limit. */
  private static void limitOpenFiles(String limit) throws Exception {
    Process prlimit =
        new ProcessBuilder(
                "prlimit", "--pid", "" + ProcessHandle.current().pid(), "--nofile=" + limit)
            .inheritIO()
            .start();
    assertThat(prlimit.waitFor()).isZero();
  }

  private static Throwable thrownByOpening(ExtendedBlock block) {
    try {
      cluster.dataset(0).getBlockInputStream(block, 0).close();
      return null;
    } catch (Throwable e) {
      return e;
    }
  }

  @Test
  void damageIsReported() throws Exception {
    ExtendedBlock block = reducedBlock("/damaged", 62);
    long before = corruptBlocks();
    Damage.flip(cluster.file(0, block), BlockFiles.physicalLength(cluster.file(0, block)) / 2, 4);
    DataNodeProbe.scan(cluster.datanode(0), block);
    HdrfCluster.await("the report", () -> corruptBlocks() == before + 1);
    cluster.fs().delete(new org.apache.hadoop.fs.Path("/damaged"), false);
    HdrfCluster.await("the block to be forgotten", () -> corruptBlocks() == before);
  }
}
