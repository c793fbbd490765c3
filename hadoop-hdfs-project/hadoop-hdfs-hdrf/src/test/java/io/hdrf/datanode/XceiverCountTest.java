/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode;

import static org.assertj.core.api.Assertions.assertThat;

import io.hdrf.conf.HdrfKeys;
import io.hdrf.io.TestBytes;
import io.hdrf.spi.thread.HdrfThreads;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * The DataNode counts the threads of a group as its transfers, refuses more than {@code
 * dfs.datanode.max.transfer.threads} of them, and reports them as its load: none of HDRF's threads
 * may be among them, whatever started it.
 */
@Timeout(180)
class XceiverCountTest {

  private static final String COUNTED = "dataXceiverServer";

  /** Names of HDRF's threads that ran at any time, and where. */
  private final Set<String> counted = new TreeSet<>();

  private final Set<String> own = new TreeSet<>();

  /** HDRF's pools keep their threads for a while, so that looking now and then sees all kinds. */
  private void look() {
    Thread[] threads = new Thread[10_000];
    ThreadGroup root = Thread.currentThread().getThreadGroup();
    while (root.getParent() != null) {
      root = root.getParent();
    }
    int count = root.enumerate(threads);
    for (Thread thread : Arrays.copyOf(threads, count)) {
      String name = thread.getName();
      if (name.startsWith("hdrf-")) {
        boolean isCounted = false;
        for (ThreadGroup at = thread.getThreadGroup(); at != null; at = at.getParent()) {
          isCounted |= at.getName().equals(COUNTED);
        }
        (isCounted ? counted : own).add(name.replaceFirst("-([0-9]|[0-9a-f]{8}-).*", ""));
        if (thread.getThreadGroup() != null) {
          assertThat(thread.getThreadGroup().getName())
              .as(name)
              .isIn(COUNTED, HdrfThreads.GROUP_NAME);
        }
      }
    }
  }

  /** The threads of stock code: the server, and for each open stream a receiver and more. */
  private static List<Integer> counts(HdrfCluster cluster) {
    List<Integer> counts = new ArrayList<>();
    for (DataNode datanode : cluster.mini().getDataNodes()) {
      counts.add(datanode.getXceiverCount());
    }
    return counts;
  }

  /** What is done while a file is written. */
  private interface Step {
    void run() throws Exception;
  }

  private void run(HdrfCluster cluster, Step whileWriting) throws Exception {
    byte[] data = TestBytes.text(3 * HdrfCluster.BLOCK_SIZE, 7);
    try (FSDataOutputStream out = cluster.fs().create(new Path("/file"), (short) 3)) {
      // Of the first block: those that served one before may still be ending.
      out.write(data, 0, HdrfCluster.BLOCK_SIZE / 2);
      out.hflush();
      look();
      // All have answered, so the pipeline stands.
      whileWriting.run();
      out.write(data, HdrfCluster.BLOCK_SIZE / 2, data.length - HdrfCluster.BLOCK_SIZE / 2);
    }
    look();
    if (cluster.conf().get("dfs.datanode.fsdataset.factory") != null) {
      cluster.awaitReduced("/file");
    }
    TestBytes.assertSame("the file", cluster.read("/file"), data);
    look();
    cluster.write("/one", data, 1);
    if (cluster.conf().get("dfs.datanode.fsdataset.factory") != null) {
      cluster.awaitReduced("/one");
    }
    cluster.fs().setReplication(new Path("/one"), (short) 2);
    cluster.awaitReplication("/one", 2);
    look();
  }

  /** What is counted differs between lines of Hadoop. */
  @Test
  void noThreadOfHdrfsIsCounted() throws Exception {
    List<Integer> stock = new ArrayList<>();
    List<Integer> idle;
    try (HdrfCluster cluster = HdrfCluster.start(HdrfCluster.stockConfiguration(), 3)) {
      idle = counts(cluster);
      run(cluster, () -> stock.addAll(counts(cluster)));
    }
    assertThat(stock).isNotEqualTo(idle);
    Configuration conf = HdrfCluster.configuration();
    conf.set(HdrfKeys.SCHEMES, "lz4");
    try (HdrfCluster cluster = HdrfCluster.start(conf, 3)) {
      // A DataNode that was just asked whether it has HDRF may still count that connection.
      run(
          cluster,
          () ->
              HdrfCluster.await(
                  "nothing to be counted but what stock code counts",
                  () -> counts(cluster).equals(stock)));
      assertThat(own).contains("hdrf-reducer", "hdrf-decode-ahead");
      assertThat(counted).isEmpty();
      // The streams are closed; HDRF's threads still wait for more work.
      HdrfCluster.await(
          "nothing to be counted but what is at rest", () -> counts(cluster).equals(idle));
    }
  }

  /** Questions about chunks come as connections of their own, which stock code counts. */
  @Test
  void norAreThoseThatAskForChunks() throws Exception {
    try (HdrfCluster cluster = HdrfCluster.start(ReferencesTest.configuration("dedup,lz4"), 3)) {
      run(cluster, () -> {});
      assertThat(own).contains("hdrf-reducer", "hdrf-decode-ahead", "hdrf-mirror");
      assertThat(counted).isEmpty();
    }
  }
}
