/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode;

import static org.assertj.core.api.Assertions.assertThat;

import io.hdrf.io.TestBytes;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Truncations of reduced files at every kind of boundary. Each takes the DataNodes some heartbeats,
 * so many go on at once.
 */
@Timeout(180)
class TruncateTest {

  private static final int BLOCK = HdrfCluster.BLOCK_SIZE;
  private static final int LENGTH = 2 * BLOCK + 412_345;

  private static final int[] LENGTHS = {
    // inside the last block: its last byte, inside a chunk, at a chunk's boundary and beside it
    LENGTH - 1,
    2 * BLOCK + 512 * 700 + 13,
    2 * BLOCK + 512 * 700,
    2 * BLOCK + 512 * 700 + 1,
    2 * BLOCK + 512 * 700 - 1,
    // a frame's boundary, and so little that nothing is left to reduce
    2 * BLOCK + (256 << 10),
    2 * BLOCK + 100,
    2 * BLOCK + 1,
    // at a block's boundary and beside it
    2 * BLOCK,
    2 * BLOCK - 1,
    BLOCK + 1,
    BLOCK,
    // inside the first block
    512 * 1000,
    777_777,
    1,
    0,
  };

  private static HdrfCluster cluster;

  @BeforeAll
  static void start() throws Exception {
    cluster = HdrfCluster.start(HdrfCluster.configuration(), 3);
  }

  @AfterAll
  static void stop() {
    cluster.close();
  }

  private static String write(String path, byte[] data, int replication) throws Exception {
    cluster.write(path, data, replication);
    return path;
  }

  @Test
  void atEveryKindOfBoundary() throws Exception {
    Map<String, byte[]> expected = truncateAll("/cut-", LENGTHS);
    for (Map.Entry<String, byte[]> file : expected.entrySet()) {
      cluster.assertContent(file.getKey(), file.getValue());
    }
    cluster.awaitReduced();
    for (Map.Entry<String, byte[]> file : expected.entrySet()) {
      cluster.assertContent(file.getKey(), file.getValue());
      byte[] more = TestBytes.text(100_000, 7);
      cluster.append(file.getKey(), more);
      byte[] all = Arrays.copyOf(file.getValue(), file.getValue().length + more.length);
      System.arraycopy(more, 0, all, file.getValue().length, more.length);
      file.setValue(all);
    }
    cluster.awaitReduced();
    for (Map.Entry<String, byte[]> file : expected.entrySet()) {
      cluster.assertContent(file.getKey(), file.getValue());
    }
    assertThat(cluster.plainReplicas("/cut-" + 777_777)).isEmpty();
  }

  @Test
  void blocksOfASnapshotAreCopied() throws Exception {
    Path dir = new Path("/snap");
    cluster.fs().mkdirs(dir);
    cluster.fs().allowSnapshot(dir);
    int[] lengths = {LENGTH - 1, 2 * BLOCK + 512 * 700, 2 * BLOCK, BLOCK + 77, 333_333, 1, 0};
    byte[] data = TestBytes.text(LENGTH, 8);
    for (int length : lengths) {
      cluster.awaitReduced(write("/snap/f" + length, data, 3));
    }
    cluster.fs().createSnapshot(dir, "s");
    for (int length : lengths) {
      cluster.fs().truncate(new Path("/snap/f" + length), length);
    }
    for (int length : lengths) {
      cluster.awaitClosed("/snap/f" + length);
    }
    for (int round = 0; round < 2; round++) {
      for (int length : lengths) {
        cluster.assertContent("/snap/f" + length, Arrays.copyOf(data, length));
        TestBytes.assertSame("s", cluster.read("/snap/.snapshot/s/f" + length), data);
      }
      cluster.awaitReduced();
    }
    cluster.fs().deleteSnapshot(dir, "s");
    for (int length : lengths) {
      cluster.assertContent("/snap/f" + length, Arrays.copyOf(data, length));
    }
  }

  /** The blocks that a truncation cuts are plain for it, all others stay as they are. */
  @Test
  void onlyTheCutBlockIsInflated() throws Exception {
    byte[] data = TestBytes.text(LENGTH, 9);
    cluster.awaitReduced(write("/one", data, 1));
    long before = inflated();
    assertThat(cluster.fs().truncate(new Path("/one"), BLOCK)).isTrue();
    assertThat(inflated()).isEqualTo(before);
    assertThat(cluster.fs().truncate(new Path("/one"), BLOCK / 2)).isFalse();
    cluster.awaitClosed("/one");
    assertThat(inflated()).isEqualTo(before + 1);
    cluster.assertContent("/one", Arrays.copyOf(data, BLOCK / 2));
  }

  @Test
  void aReaderThatBeganBefore() throws Exception {
    byte[] data = TestBytes.text(LENGTH, 10);
    cluster.awaitReduced(write("/read", data, 1));
    int length = 2 * BLOCK + 200_000;
    byte[] found = new byte[length];
    try (FSDataInputStream in = cluster.fs().open(new Path("/read"))) {
      in.readFully(found, 0, 50_000);
      cluster.fs().truncate(new Path("/read"), length);
      cluster.awaitClosed("/read");
      in.readFully(found, 50_000, length - 50_000);
    }
    TestBytes.assertSame("/read", found, Arrays.copyOf(data, length));
  }

  private static long inflated() {
    long sum = 0;
    for (int i = 0; i < 3; i++) {
      sum += cluster.service(i).counters().values().get("blocksInflated");
    }
    return sum;
  }

  private static Map<String, byte[]> truncateAll(String prefix, int... lengths) throws Exception {
    Map<String, byte[]> expected = new LinkedHashMap<>();
    for (int length : lengths) {
      byte[] data = TestBytes.text(LENGTH, length);
      expected.put(write(prefix + length, data, 3), Arrays.copyOf(data, length));
    }
    for (String path : expected.keySet()) {
      cluster.awaitReduced(path);
    }
    for (Map.Entry<String, byte[]> file : expected.entrySet()) {
      cluster.fs().truncate(new Path(file.getKey()), file.getValue().length);
    }
    for (String path : expected.keySet()) {
      cluster.awaitClosed(path);
    }
    return expected;
  }
}
