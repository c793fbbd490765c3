/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import io.hdrf.cluster.DataNode;
import io.hdrf.cluster.LocalCluster;
import io.hdrf.cluster.Waiting;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A stopped cluster is started with a new Hadoop and {@code -upgrade}. DataNodes then keep their
 * blocks as hard links in {@code previous}, and one HDRF directory serves both. There is one
 * replica of each block, so that nothing else can replace a lost byte.
 */
class NonRollingUpgradeTest {

  private static final int FILES = 5;
  private static final int FILE_LENGTH = 2_500_000;
  private static final int BLOCKS_OF_FILE = 3;

  /** What {@code previous} is named while it is deleted. */
  private static final String DELETED = "finalized.tmp";

  private LineCluster cluster;

  @AfterEach
  void stop() throws IOException {
    if (cluster != null) {
      cluster.close();
    }
  }

  private DataNode dataNode() {
    return cluster.dataNodes().get(0);
  }

  private int keptBlocks() throws IOException {
    return LineCluster.blocks(dataNode(), "previous").size();
  }

  private Map<String, String> superblocks() throws IOException {
    Map<String, String> found = new TreeMap<>();
    for (java.nio.file.Path pool : LineCluster.pools(dataNode())) {
      for (String name : List.of("superblock.0", "superblock.1")) {
        java.nio.file.Path copy = pool.resolve("hdrf").resolve(name);
        found.put(copy.toString(), Arrays.toString(Files.readAllBytes(copy)));
      }
    }
    return found;
  }

  private void upgrade(String to) throws IOException {
    cluster.stop();
    cluster.startNameNode(to, "-upgrade");
    cluster.startDataNodes(to);
  }

  private static byte[] concatenated(byte[] first, byte[] second) {
    byte[] both = Arrays.copyOf(first, first.length + second.length);
    System.arraycopy(second, 0, both, first.length, second.length);
    return both;
  }

  private void append(Map<Path, byte[]> files, Path file, byte[] more) throws IOException {
    try (OutputStream out = cluster.client().append(file)) {
      out.write(more);
    }
    files.put(file, concatenated(files.get(file), more));
  }

  private void truncate(Map<Path, byte[]> files, Path file, int length) throws IOException {
    DistributedFileSystem client = cluster.client();
    if (!client.truncate(file, length)) {
      Waiting.until(
          LocalCluster.PATIENCE, () -> client.isFileClosed(file), () -> file + " stays open");
    }
    files.put(file, Arrays.copyOf(files.get(file), length));
  }

  private void write(Map<Path, byte[]> files, String name, long seed) throws IOException {
    Path path = new Path(name);
    byte[] data = Traffic.text(FILE_LENGTH, seed);
    try (OutputStream out = cluster.client().create(path)) {
      out.write(data);
    }
    files.put(path, data);
  }

  /** Deletes, truncates, appends to and writes over files. */
  private void change(Map<Path, byte[]> files, long seed) throws IOException {
    Iterator<Path> each = List.copyOf(files.keySet()).iterator();
    Path deleted = each.next();
    cluster.client().delete(deleted, false);
    files.remove(deleted);
    truncate(files, each.next(), FILE_LENGTH - 1000);
    append(files, each.next(), Traffic.text(300_000, seed));
    write(files, each.next().toString(), seed + 1);
    cluster.assertSame(files);
  }

  /** Everything that only the old state refers to is garbage, but for {@code previous}. */
  private void deleteAllAndCollect(Map<Path, byte[]> files, boolean dedup, String line)
      throws IOException {
    write(files, "/meanwhile", 2000);
    cluster.awaitAllReduced();
    Set<String> present = cluster.reducedFiles().keySet();
    for (Path file : files.keySet()) {
      cluster.client().delete(file, false);
    }
    cluster.awaitDeleted(present);
    assertThat(cluster.collect() > 0).as("chunks of this line alone are dropped").isEqualTo(dedup);
    cluster.restart(dataNode(), line);
    cluster.collect();
    cluster.assertSound();
  }

  /** Killed while it deletes {@code previous}, with which it goes on at its next start. */
  @ParameterizedTest
  @MethodSource("io.hdrf.lifecycle.LineCluster#pairs")
  void aKillInTheFinalizationLosesNothing(String from, String to, String chain) throws Exception {
    cluster =
        LineCluster.start(
            "killed-finalization",
            1,
            chain,
            from,
            Map.of("hdrf.reduce.during.upgrade", "true", "dfs.blockreport.intervalMsec", "1000"));
    Map<Path, byte[]> files = Traffic.store(cluster.client(), FILES, FILE_LENGTH);
    cluster.awaitAllReduced();
    upgrade(to);
    change(files, 5000);
    cluster.awaitAllReduced();
    java.nio.file.Path pool = LineCluster.pools(dataNode()).get(0);
    java.nio.file.Path previous = pool.resolve("previous");
    LineCluster.fill(previous);
    int before = LineCluster.filled(previous);
    cluster.client().finalizeUpgrade();
    LineCluster.killWhileDeleting(dataNode(), before, pool.resolve(DELETED));

    cluster.restart(dataNode(), to);
    assertThat(previous).doesNotExist();
    Waiting.until(
        LocalCluster.PATIENCE,
        // It gets another name on the way.
        () -> pool.toFile().list((parent, name) -> name.startsWith(DELETED)).length == 0,
        () -> DELETED + " is not deleted in " + pool);
    cluster.assertSame(files);
    cluster.assertSound();
    assertThat(cluster.collect() > 0).as("what previous kept").isEqualTo(chain.contains("dedup"));
    cluster.restart(dataNode(), to);
    cluster.assertSame(files);
    cluster.assertSound();
    cluster.assertNothingCorrupt();
  }

  @ParameterizedTest
  @MethodSource("io.hdrf.lifecycle.LineCluster#pairs")
  void theOldStateComesBackOrTheNewOneStays(String from, String to, String chain) throws Exception {
    cluster =
        LineCluster.start(
            "non-rolling",
            1,
            chain,
            from,
            Map.of("hdrf.reduce.during.upgrade", "true", "dfs.blockreport.intervalMsec", "1000"));
    Map<Path, byte[]> files = Traffic.store(cluster.client(), FILES, FILE_LENGTH);
    cluster.awaitAllReduced();
    Map<String, Object> reduced = cluster.reducedFiles();
    assertThat(reduced).hasSize(FILES * BLOCKS_OF_FILE);
    Map<String, String> superblocks = superblocks();

    upgrade(to);
    assertThat(keptBlocks()).isEqualTo(reduced.size());
    assertThat(cluster.reducedFiles()).isEqualTo(reduced);
    Map<Path, byte[]> changed = new TreeMap<>(files);
    change(changed, 1000);
    deleteAllAndCollect(changed, chain.contains("dedup"), to);
    assertThat(keptBlocks()).isEqualTo(reduced.size());

    cluster.stop();
    cluster.rollBackNameNode();
    cluster.startNameNode(from);
    cluster.startDataNodes(from, "-rollback");
    assertThat(cluster.reducedFiles()).isEqualTo(reduced);
    assertThat(superblocks()).isEqualTo(superblocks);
    cluster.assertSame(files);
    cluster.assertSound();
    cluster.assertNothingCorrupt();

    write(files, "/again", 3000);
    cluster.awaitAllReduced();
    reduced = cluster.reducedFiles();
    upgrade(to);
    assertThat(cluster.reducedFiles()).isEqualTo(reduced);
    change(files, 4000);
    cluster.client().finalizeUpgrade();
    Waiting.until(
        LocalCluster.PATIENCE, () -> keptBlocks() == 0, () -> "The upgrade is not finalized");
    cluster.awaitAllReduced();
    cluster.collect();
    // One file is deleted, one written over; of two the last block is changed.
    awaitUnchanged(reduced.entrySet(), reduced.size() - 2 * BLOCKS_OF_FILE - 2);
    cluster.restart(dataNode(), to);
    cluster.assertSame(files);
    cluster.assertSound();
    cluster.assertNothingCorrupt();
  }

  /** HDFS deletes the others within some heartbeats. */
  private void awaitUnchanged(Set<Map.Entry<String, Object>> before, int count) throws IOException {
    Waiting.until(
        LocalCluster.PATIENCE,
        () -> cluster.reducedFiles().entrySet().stream().filter(before::contains).count() == count,
        () -> "Not " + count + " files are in place that no client changed");
  }
}
