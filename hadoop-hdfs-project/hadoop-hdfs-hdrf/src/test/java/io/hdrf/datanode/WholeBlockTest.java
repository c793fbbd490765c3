/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode;

import static org.assertj.core.api.Assertions.assertThat;

import io.hdrf.admin.AdminClient;
import io.hdrf.admin.JobInfo;
import io.hdrf.admin.JobInfo.Figure;
import io.hdrf.admin.JobKind;
import io.hdrf.datanode.counted.CountedBlockScheme;
import io.hdrf.io.TestBytes;
import io.hdrf.sample.WholeBlockScheme;
import io.hdrf.spi.scheme.TestSeed;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DFSConfigKeys;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Blocks that a scheme encodes as one array each, on real DataNodes. */
@Timeout(300)
class WholeBlockTest {

  private static final int BLOCK = 4 << 20;
  private static final int PIECE = 64 << 10;
  private static final String CACHE_SIZE = "hdrf.read.cache.size";

  private final Random random = TestSeed.random(WholeBlockTest.class.getName());
  private HdrfCluster cluster;

  private static Configuration configuration(java.nio.file.Path plugins, String chain) {
    Configuration conf = HdrfCluster.configuration(plugins, chain);
    conf.setLong(DFSConfigKeys.DFS_BLOCK_SIZE_KEY, BLOCK);
    // The block scanner would decode, and count, too.
    conf.setLong("dfs.block.scanner.volume.bytes.per.second", 0);
    conf.setInt(CACHE_SIZE, 2 * BLOCK);
    return conf;
  }

  private void startCounted(Configuration conf) throws IOException {
    cluster = HdrfCluster.start(conf, 1);
  }

  private static Configuration counted() throws IOException {
    return configuration(HdrfCluster.plugins(CountedBlockScheme.class), "counted");
  }

  @AfterEach
  void stop() {
    if (cluster != null) {
      cluster.close();
    }
  }

  private byte[] writeReduced(String path, int length) throws Exception {
    byte[] data = TestBytes.text(length, path.hashCode());
    cluster.write(path, data, cluster.mini().getDataNodes().size());
    cluster.awaitReduced(path);
    return data;
  }

  /** Reads by position with a client of its own, as HBase does: each read opens the block. */
  private Void preads(String path, byte[] data, int count) throws IOException {
    Random own = new Random(random.nextLong());
    byte[] piece = new byte[PIECE];
    try (FileSystem client = FileSystem.newInstance(cluster.fs().getUri(), cluster.conf());
        FSDataInputStream in = client.open(new Path(path))) {
      for (int i = 0; i < count; i++) {
        int from = own.nextInt(data.length - PIECE);
        in.readFully(from, piece);
        TestBytes.assertSame(
            path + " from " + from, piece, Arrays.copyOfRange(data, from, from + PIECE));
      }
    }
    return null;
  }

  private static void atOnce(List<Callable<Void>> works) throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(works.size());
    try {
      for (Future<Void> work : threads.invokeAll(works)) {
        work.get();
      }
    } finally {
      threads.shutdownNow();
    }
  }

  private Void verify() throws Exception {
    int port = cluster.datanode(0).getIpcPort();
    try (AdminClient admin =
        AdminClient.connect(
            new InetSocketAddress(InetAddress.getLoopbackAddress(), port), cluster.conf())) {
      admin.startJob(JobKind.VERIFY, 0, 1);
      List<JobInfo> jobs = admin.jobs(JobKind.VERIFY);
      while (jobs.stream().anyMatch(job -> job.state() == JobInfo.State.RUNNING)) {
        Thread.sleep(5);
        jobs = admin.jobs(JobKind.VERIFY);
      }
      assertThat(jobs).allMatch(job -> job.state() == JobInfo.State.DONE);
      assertThat(jobs).allMatch(job -> job.figure(Figure.BLOCKS_DAMAGED) == 0);
    }
    return null;
  }

  @Test
  void twoClientsOfOneBlockHaveItDecodedOnce() throws Exception {
    startCounted(counted());
    byte[] data = writeReduced("/file", BLOCK);
    int before = CountedBlockScheme.decoded().get();
    atOnce(List.of(() -> preads("/file", data, 50), () -> preads("/file", data, 50)));
    assertThat(CountedBlockScheme.decoded().get() - before).isEqualTo(1);
  }

  /** What an operator has who sets nothing for such a scheme; it works, and is slow. */
  @Test
  void aBlockBeyondHalfTheCacheIsDecodedAtEachRead() throws Exception {
    Configuration conf = counted();
    conf.setInt(CACHE_SIZE, 2 * BLOCK - 1);
    startCounted(conf);
    byte[] data = writeReduced("/file", BLOCK);
    int before = CountedBlockScheme.decoded().get();
    preads("/file", data, 5);
    assertThat(CountedBlockScheme.decoded().get() - before).isEqualTo(5);
  }

  /** Far more readers than turns, of more blocks than the cache holds, and a verification. */
  @Test
  void readsAndVerificationTakeTurns() throws Exception {
    startCounted(counted());
    int files = 8;
    List<Callable<Void>> works = new ArrayList<>();
    for (int i = 0; i < files; i++) {
      String path = "/file" + i;
      byte[] data = writeReduced(path, BLOCK);
      works.add(() -> preads(path, data, 10));
      works.add(
          () -> {
            cluster.assertContent(path, data);
            return null;
          });
    }
    works.add(this::verify);
    CountedBlockScheme.mostAtOnce().set(0);
    atOnce(works);
    assertThat(CountedBlockScheme.mostAtOnce()).hasValue(CountedBlockScheme.LIMIT);
  }

  @Test
  void theSampleSchemeServesTwoDataNodes() throws Exception {
    cluster =
        HdrfCluster.start(
            configuration(HdrfCluster.plugins(WholeBlockScheme.class), "whole-block,lz4"), 2);
    byte[] data = writeReduced("/file", 2 * BLOCK + 100_000);
    cluster.assertContent("/file", data);
    preads("/file", data, 20);
    verify();
    byte[] longer = Arrays.copyOf(data, data.length + 5000);
    try (FSDataOutputStream out = cluster.fs().append(new Path("/file"))) {
      out.write(longer, data.length, 5000);
    }
    preads("/file", longer, 5);
    cluster.awaitReduced("/file");
    cluster.assertContent("/file", longer);
    cluster.restartDataNodes();
    cluster.mini().waitActive();
    preads("/file", longer, 5);
  }
}
