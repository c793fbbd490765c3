/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode;

import static org.assertj.core.api.Assertions.assertThat;

import io.hdrf.io.TestBytes;
import io.hdrf.spi.scheme.TestSeed;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.CreateFlag;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DFSOutputStream;
import org.apache.hadoop.hdfs.DFSTestUtil;
import org.apache.hadoop.hdfs.MiniDFSCluster;
import org.apache.hadoop.hdfs.client.HdfsDataInputStream;
import org.apache.hadoop.hdfs.client.HdfsDataOutputStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Appends to reduced blocks. */
@Timeout(180)
class AppendTest {

  private static final int BLOCK = HdrfCluster.BLOCK_SIZE;

  private static HdrfCluster cluster;

  private final Random random = TestSeed.random(AppendTest.class.getName());

  @BeforeAll
  static void start() throws Exception {
    Configuration conf = HdrfCluster.configuration();
    // A pipeline continues with the remaining DataNodes.
    conf.setBoolean("dfs.client.block.write.replace-datanode-on-failure.best-effort", true);
    cluster = HdrfCluster.start(conf, 3);
  }

  @AfterAll
  static void stop() {
    cluster.close();
  }

  private byte[] text(int length) {
    return TestBytes.text(length, random.nextLong());
  }

  private static byte[] concat(byte[]... parts) {
    int length = Arrays.stream(parts).mapToInt(part -> part.length).sum();
    byte[] all = new byte[length];
    int position = 0;
    for (byte[] part : parts) {
      System.arraycopy(part, 0, all, position, part.length);
      position += part.length;
    }
    return all;
  }

  @ParameterizedTest
  @ValueSource(ints = {500_001, 512_000, BLOCK - 1, BLOCK, BLOCK + 1, 2 * BLOCK + 511})
  void appendingToAReducedFile(int length) throws Exception {
    String path = "/append" + length;
    byte[] expected = text(length);
    cluster.write(path, expected, 3);
    for (int more : new int[] {1, 700, 300_000}) {
      cluster.awaitReduced();
      byte[] appended = text(more);
      cluster.append(path, appended);
      expected = concat(expected, appended);
      cluster.assertContent(path, expected);
    }
    cluster.awaitReduced();
    cluster.assertContent(path, expected);
  }

  @Test
  void appendingInANewBlockLeavesTheOthersReduced() throws Exception {
    byte[] expected = text(BLOCK + 300_000);
    byte[] appended = text(200_000);
    cluster.write("/new-block", expected, 3);
    cluster.awaitReduced("/new-block");
    long inflated = inflated();
    try (FSDataOutputStream out =
        cluster
            .fs()
            .append(
                new Path("/new-block"),
                EnumSet.of(CreateFlag.APPEND, CreateFlag.NEW_BLOCK),
                4096,
                null)) {
      out.write(appended);
    }
    cluster.assertContent("/new-block", concat(expected, appended));
    assertThat(cluster.blocks("/new-block")).hasSize(3);
    assertThat(inflated()).isEqualTo(inflated);
  }

  private static long inflated() {
    long sum = 0;
    for (int i = 0; i < 3; i++) {
      sum += cluster.service(i).counters().values().get("blocksInflated");
    }
    return sum;
  }

  /** What was flushed is read by others while the writer goes on; here from a reduced beginning. */
  @Test
  void flushedBytesAreVisibleToAConcurrentReader() throws Exception {
    byte[] expected = text(2 * BLOCK + 200_000);
    int begin = 400_123;
    cluster.write("/flushed", Arrays.copyOf(expected, begin), 3);
    cluster.awaitReduced("/flushed");
    AtomicInteger visible = new AtomicInteger(begin);
    AtomicReference<Throwable> failure = new AtomicReference<>();
    AtomicInteger readings = new AtomicInteger();
    Thread reader =
        new Thread(
            () -> {
              try {
                while (visible.get() < expected.length) {
                  readVisible("/flushed", expected, visible.get());
                  readings.incrementAndGet();
                }
              } catch (Throwable e) {
                failure.set(e);
              }
            });
    reader.start();
    try (FSDataOutputStream out = cluster.fs().append(new Path("/flushed"))) {
      int position = begin;
      for (int i = 0; position < expected.length; i++) {
        int count = Math.min(1 + random.nextInt(120_000), expected.length - position);
        out.write(expected, position, count);
        position += count;
        switch (i % 3) {
          case 0:
            out.hflush();
            break;
          case 1:
            out.hsync();
            break;
          default:
            ((HdfsDataOutputStream) out)
                .hsync(EnumSet.of(HdfsDataOutputStream.SyncFlag.UPDATE_LENGTH));
        }
        if (position < expected.length) {
          readVisible("/flushed", expected, position);
          visible.set(position);
        }
      }
    } finally {
      visible.set(expected.length);
      reader.join();
    }
    assertThat(failure.get()).isNull();
    assertThat(readings.get()).isPositive();
    cluster.awaitReduced("/flushed");
    cluster.assertContent("/flushed", expected);
  }

  private static void readVisible(String path, byte[] expected, int visible) throws Exception {
    try (FSDataInputStream in = cluster.fs().open(new Path(path))) {
      assertThat(((HdfsDataInputStream) in).getVisibleLength()).isGreaterThanOrEqualTo(visible);
      byte[] found = new byte[visible];
      in.readFully(found);
      TestBytes.assertSame(path, found, Arrays.copyOf(expected, visible));
    }
  }

  @Test
  void aReaderThatBeganBeforeTheAppendReadsWhatThereWas() throws Exception {
    byte[] expected = text(900_000);
    cluster.write("/reader", expected, 1);
    cluster.awaitReduced("/reader");
    byte[] found = new byte[expected.length];
    try (FSDataInputStream in = cluster.fs().open(new Path("/reader"))) {
      in.readFully(found, 0, 10_000);
      cluster.append("/reader", text(50_000));
      in.readFully(found, 10_000, found.length - 10_000);
    }
    TestBytes.assertSame("/reader", found, expected);
  }

  /** The last DataNode of the pipeline goes; recovery works on what was inflated. */
  @Test
  void aPipelineThatBreaksWhileAReducedBlockIsAppendedTo() throws Exception {
    byte[] expected = text(300_000);
    byte[] appended = text(2 * BLOCK);
    cluster.write("/broken", expected, 3);
    cluster.awaitReduced("/broken");
    FSDataOutputStream out = cluster.fs().append(new Path("/broken"));
    out.write(appended, 0, 100_000);
    out.hflush();
    MiniDFSCluster.DataNodeProperties stopped = cluster.mini().stopDataNode(2);
    try {
      out.write(appended, 100_000, appended.length - 100_000);
      out.close();
      TestBytes.assertSame("/broken", cluster.read("/broken"), concat(expected, appended));
    } finally {
      cluster.restart(stopped);
      cluster.mini().waitActive();
    }
    cluster.awaitReduced("/broken");
    cluster.assertContent("/broken", concat(expected, appended));
  }

  @Test
  void aWriterThatDiesAfterAppendingToAReducedBlock() throws Exception {
    byte[] expected = text(300_000);
    byte[] appended = text(150_000);
    cluster.write("/died", expected, 3);
    cluster.awaitReduced("/died");
    FSDataOutputStream out = cluster.fs().append(new Path("/died"));
    out.write(appended);
    out.hflush();
    DFSTestUtil.abortStream((DFSOutputStream) out.getWrappedStream());
    cluster.recoverLease("/died");
    cluster.assertContent("/died", concat(expected, appended));
    cluster.awaitReduced("/died");
    cluster.assertContent("/died", concat(expected, appended));
  }

  @Test
  void concatenatedFiles() throws Exception {
    byte[] first = text(BLOCK + 100_000);
    byte[] second = text(700_123);
    byte[] third = text(2 * BLOCK);
    cluster.write("/concat", first, 3);
    cluster.write("/concat2", second, 3);
    cluster.write("/concat3", third, 3);
    cluster.awaitReduced("/concat");
    cluster.awaitReduced("/concat2");
    cluster
        .fs()
        .concat(new Path("/concat"), new Path[] {new Path("/concat2"), new Path("/concat3")});
    byte[] expected = concat(first, second, third);
    cluster.assertContent("/concat", expected);
    byte[] appended = text(BLOCK + 70_000);
    cluster.append("/concat", appended);
    cluster.awaitReduced("/concat");
    cluster.assertContent("/concat", concat(expected, appended));
  }

  @Test
  void snapshotsKeepWhatTheySaw() throws Exception {
    Path dir = new Path("/snapshots");
    cluster.fs().mkdirs(dir);
    cluster.fs().allowSnapshot(dir);
    byte[] first = text(BLOCK + 300_000);
    cluster.write("/snapshots/f", first, 3);
    cluster.awaitReduced("/snapshots/f");
    cluster.fs().createSnapshot(dir, "s1");

    byte[] second = concat(first, text(BLOCK));
    cluster.append("/snapshots/f", Arrays.copyOfRange(second, first.length, second.length));
    cluster.awaitReduced("/snapshots/f");
    cluster.fs().createSnapshot(dir, "s2");

    // The block belongs to a snapshot too: it is copied, not cut.
    int length = BLOCK + 77_777;
    cluster.fs().truncate(new Path("/snapshots/f"), length);
    cluster.awaitClosed("/snapshots/f");
    byte[] third = Arrays.copyOf(second, length);
    assertSnapshots(first, second, third);
    cluster.awaitReduced("/snapshots/f");
    assertSnapshots(first, second, third);

    byte[] fourth = concat(third, text(600_000));
    cluster.append("/snapshots/f", Arrays.copyOfRange(fourth, third.length, fourth.length));
    cluster.awaitReduced();
    assertSnapshots(first, second, fourth);

    cluster.fs().delete(new Path("/snapshots/f"), false);
    TestBytes.assertSame("s1", cluster.read("/snapshots/.snapshot/s1/f"), first);
    cluster.fs().deleteSnapshot(dir, "s2");
    TestBytes.assertSame("s1", cluster.read("/snapshots/.snapshot/s1/f"), first);
  }

  private static void assertSnapshots(byte[] first, byte[] second, byte[] now) throws Exception {
    TestBytes.assertSame("s1", cluster.read("/snapshots/.snapshot/s1/f"), first);
    TestBytes.assertSame("s2", cluster.read("/snapshots/.snapshot/s2/f"), second);
    cluster.assertContent("/snapshots/f", now);
  }
}
