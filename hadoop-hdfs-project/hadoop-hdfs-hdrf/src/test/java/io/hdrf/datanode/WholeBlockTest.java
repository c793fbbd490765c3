/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode;

import static org.assertj.core.api.Assertions.assertThat;

import io.hdrf.io.TestBytes;
import io.hdrf.reduce.DecodingTurns;
import io.hdrf.sample.WholeBlockScheme;
import io.hdrf.spi.scheme.TestSeed;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DFSConfigKeys;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Blocks that a scheme encodes as one array each, on a real DataNode. */
@Timeout(300)
class WholeBlockTest {

  private static final int BLOCK = DecodingTurns.MAX_SHORT_FRAME + (1 << 20);
  private static final String MAX_BLOCKS = "hdrf.whole-block.max.blocks";

  private final Random random = TestSeed.random(WholeBlockTest.class.getName());
  private Configuration conf;
  private HdrfCluster cluster;

  @BeforeEach
  void configure() throws IOException {
    conf = HdrfCluster.configuration(HdrfCluster.plugins(WholeBlockScheme.class), "whole-block");
    conf.setLong(DFSConfigKeys.DFS_BLOCK_SIZE_KEY, BLOCK);
    // It would read, and count, too.
    conf.setLong("dfs.block.scanner.volume.bytes.per.second", 0);
  }

  @AfterEach
  void stop() {
    if (cluster != null) {
      cluster.close();
    }
  }

  private void start() throws IOException {
    cluster = HdrfCluster.start(conf, 1);
  }

  private byte[] writeReduced(String path, int length) throws Exception {
    byte[] data = TestBytes.text(length, path.hashCode());
    cluster.write(path, data, 1);
    cluster.awaitAllReduced(path);
    return data;
  }

  private long counter(String name) {
    return cluster.service(0).counters().values().get(name);
  }

  private long temporaryBytes() {
    return cluster.lengths(0, "/hdrf/tmp/");
  }

  private void pread(String path, byte[] data, int count) throws IOException {
    Random own = new Random(random.nextLong());
    byte[] piece = new byte[64 << 10];
    try (FSDataInputStream in = cluster.fs().open(new Path(path))) {
      for (int i = 0; i < count; i++) {
        int from = own.nextInt(data.length - piece.length);
        in.readFully(from, piece);
        TestBytes.assertSame(
            path + " from " + from, piece, Arrays.copyOfRange(data, from, from + piece.length));
      }
    }
  }

  @Test
  void aBlockIsDecodedOnceForManyPositionalReads() throws Exception {
    start();
    byte[] data = writeReduced("/file", BLOCK);
    pread("/file", data, 60);
    assertThat(counter("framesDecoded")).isEqualTo(1);
    assertThat(counter("decodedFileHits")).isGreaterThanOrEqualTo(59);
    assertThat(temporaryBytes()).isEqualTo(BLOCK);

    // What is read from end to end does not stay, and is the same.
    cluster.assertContent("/file", data);
    assertThat(temporaryBytes()).isZero();
    pread("/file", data, 1);
    cluster.mini().restartDataNodes();
    cluster.mini().waitActive();
    assertThat(temporaryBytes()).isZero();
    cluster.assertContent("/file", data);
  }

  @Test
  void whatWasDecodedGoesWithTheBlock() throws Exception {
    start();
    byte[] data = writeReduced("/appended", BLOCK - 1000);
    pread("/appended", data, 3);
    assertThat(temporaryBytes()).isEqualTo(data.length);
    byte[] longer = Arrays.copyOf(data, data.length + 500);
    try (FSDataOutputStream out = cluster.fs().append(new Path("/appended"))) {
      out.write(longer, data.length, 500);
    }
    HdrfCluster.await("the old form to go", () -> temporaryBytes() == 0);
    cluster.awaitAllReduced("/appended");
    pread("/appended", longer, 3);
    cluster.assertContent("/appended", longer);

    pread("/appended", longer, 3);
    assertThat(temporaryBytes()).isEqualTo(longer.length);
    cluster.fs().delete(new Path("/appended"), false);
    HdrfCluster.await("the block to go", () -> temporaryBytes() == 0);
  }

  /** Memory for whole blocks, for however many readers, is bounded as it is for the Reducer. */
  @Test
  void readersOfManyBlocksTakeTurns() throws Exception {
    conf.setInt(MAX_BLOCKS, 1);
    conf.set("hdrf.read.decoded.size", Integer.toString(2 * BLOCK));
    start();
    int files = 6;
    List<byte[]> data = new ArrayList<>();
    for (int i = 0; i < files; i++) {
      data.add(writeReduced("/file" + i, BLOCK));
    }
    AtomicInteger most = new AtomicInteger();
    ExecutorService threads = Executors.newFixedThreadPool(files + 1);
    try {
      List<Future<?>> readers = new ArrayList<>();
      for (int i = 0; i < files; i++) {
        int file = i;
        readers.add(
            threads.submit(
                () -> {
                  TestBytes.assertSame("/file", cluster.read("/file" + file), data.get(file));
                  pread("/file" + file, data.get(file), 5);
                  return null;
                }));
      }
      Future<?> watch =
          threads.submit(
              () -> {
                while (!readers.stream().allMatch(Future::isDone)) {
                  most.accumulateAndGet(
                      cluster.service(0).decoding().inProcess().getOrDefault("whole-block", 0),
                      Math::max);
                  Thread.sleep(1);
                }
                return null;
              });
      for (Future<?> reader : readers) {
        reader.get();
      }
      watch.get();
    } finally {
      threads.shutdownNow();
    }
    assertThat(most).hasValue(1);
    assertThat(temporaryBytes()).isLessThanOrEqualTo(2L * BLOCK);
  }
}
