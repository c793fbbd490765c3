/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import io.hdrf.cluster.DataNode;
import io.hdrf.cluster.LocalCluster;
import io.hdrf.cluster.Waiting;
import java.io.IOException;
import java.io.OutputStream;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.hadoop.fs.FileUtil;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.protocol.HdfsConstants.RollingUpgradeAction;
import org.apache.hadoop.hdfs.protocol.HdfsConstants.SafeModeAction;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A cluster goes from one line of Hadoop to another, daemon by daemon, while clients read and
 * write: blocks stay reduced, and nothing is made plain for it.
 */
class HadoopUpgradeTest {

  private static final String BY_REFERENCE = "MirrorChunksByReference";
  private static final int FILES = 6;
  private static final int FILE_LENGTH = 2_500_000;
  private static final int BLOCK = 1 << 20;

  private LineCluster cluster;
  private Map<Path, byte[]> files;
  private Traffic traffic;

  @AfterEach
  void stop() throws Exception {
    try {
      if (traffic != null) {
        // After a failed test it still runs, and the next test would share its connections.
        traffic.stop();
      }
    } finally {
      if (cluster != null) {
        cluster.close();
      }
    }
  }

  private void start(int dataNodes, String chain, String line, Map<String, String> settings)
      throws IOException {
    cluster = LineCluster.start("upgrade", dataNodes, chain, line, settings);
    files = Traffic.store(cluster.client(), FILES, FILE_LENGTH);
    cluster.awaitAllReduced();
  }

  private void prepare(String to) throws IOException {
    DistributedFileSystem client = cluster.client();
    client.setSafeMode(SafeModeAction.SAFEMODE_ENTER);
    client.rollingUpgrade(RollingUpgradeAction.PREPARE);
    cluster.restartNameNode(to, "-rollingUpgrade", "started");
  }

  private void startTraffic(long seed) {
    traffic = new Traffic(cluster::newClient, files, seed);
    traffic.start();
  }

  private void restart(DataNode dataNode, String line) throws IOException {
    cluster.restart(dataNode, line);
    long reads = traffic.reads();
    Waiting.until(
        LocalCluster.PATIENCE,
        () -> traffic.reads() > reads + 1,
        () -> "The reader stands still at " + line);
  }

  private void endTraffic(String what) throws Exception {
    Set<String> errors = traffic.stop();
    System.out.println(what + ": " + traffic.reads() + " files read, errors " + errors);
    // The client's connection to the NameNode before; no other failure of a reader is HDFS's.
    assertThat(errors)
        .noneMatch(error -> error.contains("differs"))
        .filteredOn(error -> error.startsWith("reader"))
        .isSubsetOf("reader: EOFException");
    cluster.assertSame(traffic.written());
  }

  private boolean isSmallerThanPlain(DataNode dataNode, String way) throws IOException {
    long wire = cluster.sum(dataNode, "MirrorBytesWire" + way);
    return wire > 0 && wire < cluster.sum(dataNode, "MirrorBytesPlain" + way);
  }

  /**
   * Waits until blocks have gone both ways between lines, in fewer bytes than plain.
   *
   * @param alone the only DataNode of its line, just started: whatever it sends goes to the other
   *     line
   */
  private void assertMirrored(DataNode alone) throws IOException {
    Waiting.until(
        LocalCluster.PATIENCE,
        () -> isSmallerThanPlain(alone, "Sent") && isSmallerThanPlain(alone, "Received"),
        () -> alone.name() + " does not mirror both ways");
  }

  /** Writes again what two DataNodes have, until each has sent the other chunks by reference. */
  private void assertReferred() throws IOException {
    Map<DataNode, Long> before = new HashMap<>();
    for (DataNode dataNode : cluster.dataNodes()) {
      before.put(dataNode, cluster.sum(dataNode, BY_REFERENCE));
    }
    Path copy = new Path("/copy");
    byte[] data = files.values().iterator().next();
    Waiting.until(
        LocalCluster.PATIENCE,
        () -> {
          try (OutputStream out = cluster.client().create(copy)) {
            out.write(data);
          }
          Traffic.assertSame(cluster.client(), copy, data);
          boolean all = true;
          for (DataNode dataNode : cluster.dataNodes()) {
            all &= cluster.sum(dataNode, BY_REFERENCE) > before.get(dataNode);
          }
          return all;
        },
        () -> "Chunks do not go by reference both ways");
    cluster.client().delete(copy, false);
  }

  /** All daemons go on to the next line; the first DataNode goes back once in between. */
  private void roll(String from, String to) throws Exception {
    prepare(to);
    startTraffic(to.hashCode());
    DataNode first = cluster.dataNodes().get(0);
    restart(first, to);
    restart(first, from);
    restart(first, to);
    assertMirrored(first);
    for (DataNode dataNode : cluster.dataNodes().subList(1, cluster.dataNodes().size())) {
      restart(dataNode, to);
    }
    endTraffic(from + " to " + to);
  }

  @ParameterizedTest
  @ValueSource(strings = {"lz4", "dedup,zstd"})
  void blocksStayReducedFromLineToLine(String chain) throws Exception {
    List<String> lines = LineCluster.lines();
    start(3, chain, lines.get(0), Map.of());
    Map<String, Object> reduced = cluster.reducedFiles();
    assertThat(reduced).hasSizeGreaterThan(3 * FILES);
    for (int i = 1; i < lines.size(); i++) {
      roll(lines.get(i - 1), lines.get(i));
      cluster.client().rollingUpgrade(RollingUpgradeAction.FINALIZE);
      cluster.awaitAllReduced();
      cluster.assertSame(files);
      assertThat(cluster.reducedFiles()).containsAllEntriesOf(reduced);
      cluster.assertNothingCorrupt();
    }
  }

  /** What was deleted meanwhile comes back reduced, from the trash. */
  @ParameterizedTest
  @ValueSource(strings = {"lz4", "dedup,zstd"})
  void anUpgradeIsRolledBack(String chain) throws Exception {
    List<String> lines = LineCluster.lines();
    String from = lines.get(0);
    start(3, chain, from, Map.of());
    Map<String, Object> reduced = cluster.reducedFiles();
    roll(from, lines.get(1));
    for (String directory : List.of("/input", "/traffic")) {
      cluster.client().delete(new Path(directory), true);
    }
    cluster.awaitDeleted(reduced.keySet());
    cluster.collect();
    cluster.stop();
    cluster.startNameNode(from, "-rollingUpgrade", "rollback");
    cluster.startDataNodes(from, "-rollback");
    cluster.assertSame(files);
    assertThat(cluster.reducedFiles()).containsAllEntriesOf(reduced);
    cluster.assertSound();
    cluster.assertNothingCorrupt();
  }

  /**
   * Killed while it deletes the trash. There is one replica, so that nothing else can replace a
   * lost byte.
   */
  @ParameterizedTest
  @MethodSource("io.hdrf.lifecycle.LineCluster#pairs")
  void aKillInTheFinalizationLosesNothing(String from, String to, String chain) throws Exception {
    start(1, chain, from, Map.of());
    DataNode dataNode = cluster.dataNodes().get(0);
    prepare(to);
    cluster.restart(dataNode, to);
    files = new LinkedHashMap<>(files);
    Path deleted = files.keySet().iterator().next();
    cluster.client().delete(deleted, false);
    files.remove(deleted);
    Waiting.until(
        LocalCluster.PATIENCE,
        () -> LineCluster.blocks(dataNode, "trash").size() == FILE_LENGTH / BLOCK + 1,
        () -> "The file is not in the trash");
    files.putAll(Traffic.store(cluster.client(), "/new", FILES, FILE_LENGTH));
    Map<String, Object> reduced = cluster.reducedFiles();
    java.nio.file.Path pool = LineCluster.pools(dataNode).get(0);
    java.nio.file.Path trash = pool.resolve("trash");
    LineCluster.fill(trash);
    int before = LineCluster.filled(trash);
    cluster.client().rollingUpgrade(RollingUpgradeAction.FINALIZE);
    LineCluster.killWhileDeleting(dataNode, before, trash);

    // HDFS never goes on with it, see "Upgrades of HDFS" in docs/operations.md.
    cluster.restart(dataNode, to);
    cluster.assertSame(files);
    // What was written meanwhile stayed plain until the end of the upgrade.
    cluster.awaitAllReduced();
    assertThat(cluster.reducedFiles()).containsAllEntriesOf(reduced);
    long dropped = cluster.collect();
    assertThat(trash).exists();
    FileUtil.fullyDelete(trash.toFile());
    dropped += cluster.collect();
    assertThat(dropped > 0).as("what the trash kept").isEqualTo(chain.contains("dedup"));
    cluster.restart(dataNode, to);
    cluster.assertSame(files);
    cluster.assertSound();
    cluster.assertNothingCorrupt();
  }

  /**
   * In an open upgrade all daemons go back to the old software, DataNodes first, and keep what was
   * written meanwhile. The old one reads what the new one reduced and mirrored.
   */
  @ParameterizedTest
  @MethodSource("io.hdrf.lifecycle.LineCluster#pairs")
  void anUpgradeIsTakenBack(String from, String to, String chain) throws Exception {
    start(2, chain, from, Map.of("hdrf.reduce.during.upgrade", "true"));
    prepare(to);
    DataNode first = cluster.dataNodes().get(0);
    DataNode second = cluster.dataNodes().get(1);
    cluster.restart(first, to);
    if (chain.contains("dedup")) {
      // Now: where a stream breaks, blocks go without references for a minute.
      assertReferred();
    }
    cluster.restart(second, to);
    files = new LinkedHashMap<>(files);
    files.putAll(Traffic.store(cluster.client(), "/new", FILES, FILE_LENGTH));
    cluster.awaitAllReduced();
    assertThat(
            cluster.sum(first, "MirrorBytesWireSent") + cluster.sum(second, "MirrorBytesWireSent"))
        .isPositive();
    Map<String, Object> reduced = cluster.reducedFiles();
    startTraffic(from.hashCode());
    restart(first, from);
    assertMirrored(first);
    restart(second, from);
    endTraffic(to + " back to " + from);
    cluster.restartNameNode(from);
    cluster.client().rollingUpgrade(RollingUpgradeAction.FINALIZE);
    cluster.awaitAllReduced();
    cluster.assertSame(files);
    assertThat(cluster.reducedFiles()).containsAllEntriesOf(reduced);
    cluster.assertSound();
    cluster.assertNothingCorrupt();
    for (DataNode dataNode : cluster.dataNodes()) {
      assertThat(cluster.sum(dataNode, "BlocksInflated")).as("made plain").isZero();
    }
  }
}
