/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.hdrf.io.TestBytes;
import io.hdrf.reduce.SkipReason;
import io.hdrf.spi.scheme.TestSeed;
import java.io.InputStream;
import java.net.URI;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.CreateFlag;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Options.ChecksumOpt;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.impl.HdrfDatasets;
import org.apache.hadoop.util.DataChecksum;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Reduced blocks are read like plain ones. */
@Timeout(180)
class ReadTest {

  private static final int BLOCK = HdrfCluster.BLOCK_SIZE;
  private static final int LENGTH = 3 * BLOCK + 345_678;

  private static HdrfCluster cluster;
  private static byte[] data;

  private final Random random = TestSeed.random(ReadTest.class.getName());

  @BeforeAll
  static void start() throws Exception {
    cluster = HdrfCluster.start(HdrfCluster.configuration(), 3);
    data = TestBytes.text(LENGTH, 1);
    cluster.write("/text", data, 3);
    cluster.awaitReduced("/text");
  }

  @AfterAll
  static void stop() {
    cluster.close();
  }

  private static void assertRange(byte[] found, int from) {
    TestBytes.assertSame(
        "the range from " + from, found, Arrays.copyOfRange(data, from, from + found.length));
  }

  @Test
  void everyReplicaIsReducedAndReadsTheSame() throws Exception {
    assertThat(cluster.replicas("/text")).hasSize(12).allMatch(BlockFiles::isReduced);
    cluster.assertContent("/text", data);
  }

  /** Evicted from memory to disk and reduced between HDRF's look and HDFS's. */
  @Test
  void aReplicaThatLeavesMemoryMeanwhileIsNotServedAsItIsStored() throws Exception {
    ExtendedBlock block = cluster.block("/text");
    try (InputStream in = HdrfDatasets.openWhileItLeavesMemory(cluster.datanode(0), block)) {
      TestBytes.assertSame(
          "block", in.readAllBytes(), Arrays.copyOf(data, (int) block.getNumBytes()));
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 511, 512, 513, 4096, 65_537, 4 << 20})
  void sequentialReadsInPiecesOfAnySize(int piece) throws Exception {
    int end = piece == 1 ? 20_000 : LENGTH;
    byte[] found = new byte[end];
    try (FSDataInputStream in = cluster.fs().open(new Path("/text"))) {
      for (int position = 0; position < end; ) {
        int count = in.read(found, position, Math.min(piece, end - position));
        assertThat(count).isPositive();
        position += count;
      }
      if (end == LENGTH) {
        assertThat(in.read()).isEqualTo(-1);
      }
    }
    assertRange(found, 0);
  }

  @Test
  void seeksForwardAndBackward() throws Exception {
    try (FSDataInputStream in = cluster.fs().open(new Path("/text"))) {
      for (int i = 0; i < 200; i++) {
        int position = random.nextInt(LENGTH);
        byte[] found =
            new byte[Math.min(LENGTH - position, 1 + random.nextInt(i % 10 == 0 ? 700_000 : 900))];
        if (random.nextBoolean()) {
          in.seek(position);
        } else if (in.getPos() <= position) {
          in.skip(position - in.getPos());
        } else {
          in.seekToNewSource(position);
          in.seek(position);
        }
        in.readFully(found);
        assertRange(found, position);
        assertThat(in.getPos()).isEqualTo(position + found.length);
      }
    }
  }

  @Test
  void concurrentPositionalReads() throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(8);
    try (FSDataInputStream in = cluster.fs().open(new Path("/text"))) {
      List<Future<?>> tasks = new ArrayList<>();
      for (int t = 0; t < 8; t++) {
        Random own = new Random(random.nextLong());
        tasks.add(
            threads.submit(
                () -> {
                  for (int i = 0; i < 100; i++) {
                    int position = own.nextInt(LENGTH);
                    int most = own.nextInt(10) == 0 ? 1_500_000 : 5_000;
                    byte[] found = new byte[Math.min(LENGTH - position, 1 + own.nextInt(most))];
                    in.readFully(position, found);
                    assertRange(found, position);
                  }
                  return null;
                }));
      }
      for (Future<?> task : tasks) {
        task.get();
      }
    } finally {
      threads.shutdownNow();
    }
  }

  /** Like a line-reading job: each task seeks a byte before its split and reads past its end. */
  @Test
  void splitsThatOverlapBlockBoundaries() throws Exception {
    int split = 400_000;
    for (int begin = 0; begin < LENGTH; begin += split) {
      try (FSDataInputStream in = cluster.fs().open(new Path("/text"))) {
        int from = Math.max(0, begin - 1);
        in.seek(from);
        byte[] found = new byte[Math.min(LENGTH, begin + split + 3_000) - from];
        in.readFully(found);
        assertRange(found, from);
      }
    }
  }

  /** Like a columnar reader: the footer first, then some columns, forward, with gaps. */
  @Test
  void footerFirstThenRangesWithGaps() throws Exception {
    try (FSDataInputStream in = cluster.fs().open(new Path("/text"))) {
      byte[] footer = new byte[8];
      in.readFully(LENGTH - 8L, footer);
      assertRange(footer, LENGTH - 8);
      in.setReadahead(64L << 10);
      for (int position = 4; position < LENGTH - 100_000; position += 90_000 + 7) {
        in.seek(position);
        byte[] column = new byte[random.nextInt(60_000)];
        in.readFully(column);
        assertRange(column, position);
      }
    }
  }

  @Test
  void byWebHdfs() throws Exception {
    URI uri = URI.create(cluster.mini().getHttpUri(0).replace("http:", "webhdfs:"));
    try (FileSystem web = FileSystem.newInstance(uri, cluster.conf())) {
      try (FSDataInputStream in = web.open(new Path("/text"))) {
        TestBytes.assertSame("/text by WebHDFS", in.readAllBytes(), data);
        int position = BLOCK - 1234;
        in.seek(position);
        byte[] found = new byte[5000];
        in.readFully(found);
        assertRange(found, position);
      }
      assertThat(web.getFileChecksum(new Path("/text")))
          .isEqualTo(cluster.fs().getFileChecksum(new Path("/text")));
    }
  }

  /** A reader keeps its connection to the plain file, and continues in the reduced one. */
  @Test
  void aReaderThatBeganBeforeTheSwap() throws Exception {
    byte[] text = TestBytes.text(4 * BLOCK, 5);
    cluster.write("/swapped", text, 1);
    byte[] found = new byte[text.length];
    try (FSDataInputStream in = cluster.fs().open(new Path("/swapped"))) {
      in.readFully(found, 0, 100_000);
      cluster.awaitReduced("/swapped");
      in.readFully(found, 100_000, found.length - 100_000);
    }
    TestBytes.assertSame("/swapped", found, text);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 511, 512, 513, 4096, 16_383})
  void shortFilesStayPlain(int length) throws Exception {
    long small = cluster.service(0).counters().skippedFor(SkipReason.SMALL);
    String path = "/short" + length;
    byte[] bytes = TestBytes.text(length, length);
    cluster.write(path, bytes, 3);
    cluster.awaitReduced();
    cluster.assertContent(path, bytes);
    assertThat(cluster.replicas(path))
        .hasSize(length == 0 ? 0 : 3)
        .noneMatch(BlockFiles::isReduced);
    if (length > 0) {
      assertThat(cluster.service(0).counters().skippedFor(SkipReason.SMALL)).isGreaterThan(small);
    }
  }

  @Test
  void noiseStaysPlain() throws Exception {
    assumeThat(cluster.conf().get("hdrf.schemes")).as("dedup stores every block").isEqualTo("lz4");
    long before = cluster.service(0).counters().skippedFor(SkipReason.INCOMPRESSIBLE);
    byte[] noise = TestBytes.noise(3 * BLOCK, 6);
    try (FSDataOutputStream out =
        cluster.fs().create(new Path("/noise"), true, 4096, (short) 3, 4L * BLOCK)) {
      out.write(noise);
    }
    cluster.write("/noise-short", Arrays.copyOf(noise, 50_000), 3);
    cluster.awaitReduced();
    cluster.assertContent("/noise", noise);
    cluster.assertContent("/noise-short", Arrays.copyOf(noise, 50_000));
    assertThat(cluster.plainReplicas("/noise")).hasSize(3);
    assertThat(cluster.plainReplicas("/noise-short")).hasSize(3);
    // A scan may offer one again before the first look has its result.
    assertThat(cluster.service(0).counters().skippedFor(SkipReason.INCOMPRESSIBLE))
        .isBetween(before + 2, before + 4);
  }

  @ParameterizedTest
  @CsvSource({
    "CRC32, 512, 1048576",
    "CRC32C, 512, 1048576",
    "CRC32C, 1, 65536",
    "CRC32, 777, 795648",
    "CRC32C, 4096, 1048576",
    "CRC32C, 1048576, 1048576",
    "CRC32, 65536, 1048576",
  })
  void anyKindOfChecksum(String type, int bytesPerChecksum, long blockSize) throws Exception {
    Path path = new Path("/checksum-" + type + "-" + bytesPerChecksum);
    int length = bytesPerChecksum == 1 ? 100_001 : (int) (2 * blockSize + blockSize / 3);
    byte[] text = TestBytes.text(length + 60_000, bytesPerChecksum);
    byte[] begin = Arrays.copyOf(text, length);
    try (FSDataOutputStream out =
        cluster
            .fs()
            .create(
                path,
                FsPermission.getFileDefault(),
                EnumSet.of(CreateFlag.CREATE),
                4096,
                (short) 3,
                blockSize,
                null,
                new ChecksumOpt(DataChecksum.Type.valueOf(type), bytesPerChecksum))) {
      out.write(begin);
    }
    cluster.awaitReduced(path.toString());
    cluster.assertContent(path.toString(), begin);
    try (FSDataInputStream in = cluster.fs().open(path)) {
      for (int i = 0; i < 20; i++) {
        int position = random.nextInt(length);
        byte[] found = new byte[Math.min(length - position, 1 + random.nextInt(30_000))];
        in.readFully(position, found);
        TestBytes.assertSame(
            path + " at " + position,
            found,
            Arrays.copyOfRange(begin, position, position + found.length));
      }
    }
    // HDFS requires the same kind of checksum for an append.
    Configuration appender = new Configuration(cluster.conf());
    appender.set("dfs.checksum.type", type);
    appender.setInt("dfs.bytes-per-checksum", bytesPerChecksum);
    try (FileSystem fs = FileSystem.newInstance(cluster.fs().getUri(), appender);
        FSDataOutputStream out = fs.append(path)) {
      out.write(text, length, text.length - length);
    }
    cluster.assertContent(path.toString(), text);
    cluster.awaitReduced(path.toString());
    cluster.assertContent(path.toString(), text);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 16, 64, 256})
  void blocksFromOneToManyMebibytes(int mebibytes) throws Exception {
    Path path = new Path("/blocks-of-" + mebibytes);
    long blockSize = (long) mebibytes << 20;
    long length = blockSize + blockSize / 4;
    byte[] piece = TestBytes.text(1 << 20, mebibytes);
    try (FSDataOutputStream out = cluster.fs().create(path, true, 4096, (short) 1, blockSize)) {
      for (long position = 0; position < length; position += piece.length) {
        stamp(piece, position);
        out.write(piece, 0, (int) Math.min(piece.length, length - position));
      }
    }
    cluster.awaitReduced(path.toString());
    byte[] found = new byte[piece.length];
    try (FSDataInputStream in = cluster.fs().open(path)) {
      for (long position = 0; position < length; position += piece.length) {
        int count = (int) Math.min(piece.length, length - position);
        in.readFully(found, 0, count);
        stamp(piece, position);
        assertThat(Arrays.equals(found, 0, count, piece, 0, count)).as("at " + position).isTrue();
      }
      assertThat(in.read()).isEqualTo(-1);
      for (int i = 0; i < 30; i++) {
        long position = (long) (random.nextDouble() * length);
        assertThat(readOne(in, position)).isEqualTo(expectedByte(piece, position));
      }
    }
    cluster.fs().delete(path, false);
  }

  /** Makes each piece another one, so that pieces in the wrong place are noticed. */
  private static void stamp(byte[] piece, long position) {
    for (int i = 0; i < 8; i++) {
      piece[500_000 + i] = (byte) (position >>> (8 * i));
      piece[i] = (byte) (position >>> (8 * i));
    }
  }

  private static byte readOne(FSDataInputStream in, long position) throws Exception {
    byte[] one = new byte[1];
    in.readFully(position, one);
    return one[0];
  }

  private static byte expectedByte(byte[] piece, long position) {
    stamp(piece, position - position % piece.length);
    return piece[(int) (position % piece.length)];
  }
}
