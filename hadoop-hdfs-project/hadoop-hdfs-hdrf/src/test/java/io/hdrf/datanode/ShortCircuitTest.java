/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode;

import static org.assertj.core.api.Assertions.assertThat;

import io.hdrf.conf.HdrfKeys;
import io.hdrf.datanode.faulty.FaultyScheme;
import io.hdrf.io.LogCapture;
import io.hdrf.io.TestBytes;
import java.io.File;
import java.io.IOException;
import java.util.Arrays;
import java.util.Random;
import java.util.UUID;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DFSConfigKeys;
import org.apache.hadoop.hdfs.client.HdfsClientConfigKeys;
import org.apache.hadoop.hdfs.client.HdfsDataInputStream;
import org.apache.hadoop.hdfs.protocol.CacheDirectiveInfo;
import org.apache.hadoop.hdfs.protocol.CachePoolInfo;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.hdfs.server.datanode.DataNodeProbe;
import org.apache.hadoop.io.nativeio.NativeIO;
import org.apache.hadoop.metrics2.AbstractMetric;
import org.apache.hadoop.metrics2.MetricsRecord;
import org.apache.hadoop.metrics2.impl.MetricsCollectorImpl;
import org.apache.hadoop.metrics2.lib.DefaultMetricsSystem;
import org.apache.hadoop.net.unix.DomainSocket;
import org.apache.hadoop.net.unix.TemporarySocketDirectory;
import org.apache.log4j.Level;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Short-circuit readers, over a UNIX domain socket and with Hadoop's native library. */
@Tag("libhadoop")
class ShortCircuitTest {

  private static final int DATANODES = 3;
  private static final int SIZE = 2_500_000;
  private static final int PREADS = 300;

  /** Seconds for which a client asks a DataNode that declined for no descriptor. */
  private static final int PAUSE = 1;

  /** Lines of the client's log for a request that is declined, however it is. */
  private static final int WARNINGS = 2;

  private static TemporarySocketDirectory sockets;
  private static HdrfCluster cluster;

  @BeforeAll
  static void start() throws Exception {
    assertThat(DomainSocket.getLoadingFailureReason()).isNull();
    DomainSocket.disableBindPathValidation();
    NativeIO.POSIX.setCacheManipulator(new NativeIO.POSIX.NoMlockCacheManipulator());
    sockets = new TemporarySocketDirectory();
    cluster = HdrfCluster.start(configuration(), DATANODES);
  }

  @AfterEach
  void encodeAtOnce() {
    System.clearProperty(FaultyScheme.ENCODE_DELAY);
  }

  @AfterAll
  static void stop() throws Exception {
    cluster.close();
    sockets.close();
    NativeIO.POSIX.setCacheManipulator(new NativeIO.POSIX.CacheManipulator());
  }

  private static Configuration configuration() throws IOException {
    Configuration conf =
        HdrfCluster.configuration(HdrfCluster.plugins(FaultyScheme.class), FaultyScheme.NAME);
    conf.setBoolean(HdfsClientConfigKeys.Read.ShortCircuit.KEY, true);
    conf.set(
        DFSConfigKeys.DFS_DOMAIN_SOCKET_PATH_KEY,
        new File(sockets.getDir(), "datanode._PORT.sock").getAbsolutePath());
    conf.setLong(HdfsClientConfigKeys.DFS_DOMAIN_SOCKET_DISABLE_INTERVAL_SECOND_KEY, PAUSE);
    conf.setLong(DFSConfigKeys.DFS_DATANODE_MAX_LOCKED_MEMORY_KEY, 64 << 20);
    conf.setLong(DFSConfigKeys.DFS_CACHEREPORT_INTERVAL_MSEC_KEY, 200);
    conf.setLong(DFSConfigKeys.DFS_NAMENODE_PATH_BASED_CACHE_REFRESH_INTERVAL_MS, 200);
    conf.set("dfs.block.local-path-access.user", System.getProperty("user.name"));
    return conf;
  }

  /** A client that shares no descriptors and no pauses with others. */
  private static FileSystem client(Configuration conf) throws IOException {
    Configuration own = new Configuration(conf);
    own.set(HdfsClientConfigKeys.DFS_CLIENT_CONTEXT, UUID.randomUUID().toString());
    return FileSystem.newInstance(cluster.fs().getUri(), own);
  }

  private static HdfsDataInputStream open(FileSystem client, String path) throws IOException {
    return (HdfsDataInputStream) client.open(new Path(path));
  }

  private static byte[] readAll(FileSystem client, String path) throws IOException {
    try (HdfsDataInputStream in = open(client, path)) {
      return in.readAllBytes();
    }
  }

  /**
   * Returns how many of a file's bytes come from descriptors, when it is read from beginning to
   * end.
   */
  private static long shortCircuitBytes(FileSystem client, String path, byte[] expected)
      throws IOException {
    try (HdfsDataInputStream in = open(client, path)) {
      TestBytes.assertSame(path, in.readAllBytes(), expected);
      assertThat(in.getReadStatistics().getTotalLocalBytesRead()).isEqualTo(expected.length);
      return in.getReadStatistics().getTotalShortCircuitBytesRead();
    }
  }

  private static int segments() {
    return cluster.mini().getDataNodes().stream().mapToInt(DataNodeProbe::segments).sum();
  }

  /**
   * Returns how many reads the DataNodes have served, from the counters: JMX caches its values for
   * seconds.
   */
  private static long blocksRead() {
    long count = 0;
    for (DataNode datanode : cluster.mini().getDataNodes()) {
      MetricsCollectorImpl now = new MetricsCollectorImpl();
      DefaultMetricsSystem.instance().getSource(datanode.getMetrics().name()).getMetrics(now, true);
      Iterable<? extends MetricsRecord> records = now.getRecords();
      for (MetricsRecord record : records) {
        for (AbstractMetric metric : record.metrics()) {
          count += metric.name().equals("BlocksRead") ? metric.value().longValue() : 0;
        }
      }
    }
    return count;
  }

  private static void writeReduced(String path, byte[] data, int replication) throws Exception {
    cluster.write(path, data, replication);
    cluster.awaitReduced(path);
  }

  @ParameterizedTest
  @CsvSource({"1, false", "3, false", "1, true", "3, true"})
  void reducedBlocksAreReadByTcp(int replication, boolean anew) throws Exception {
    long seed = System.nanoTime();
    System.out.println("Seed " + seed);
    Random random = new Random(seed);
    byte[] data = TestBytes.text(SIZE, 1);
    String path = "/reduced" + replication + anew;
    writeReduced(path, data, replication);
    Configuration conf = configuration();
    // Otherwise the pause ends in between, and is not what is tested.
    conf.setLong(HdfsClientConfigKeys.DFS_DOMAIN_SOCKET_DISABLE_INTERVAL_SECOND_KEY, 600);
    int segmentsBefore = segments();
    long readBefore = blocksRead();
    try (LogCapture log = clientLog();
        FileSystem client = client(conf)) {
      try (HdfsDataInputStream in = open(client, path)) {
        TestBytes.assertSame(path, in.readAllBytes(), data);
        byte[] piece = new byte[1000];
        HdfsDataInputStream reader = in;
        for (int i = 0; i < PREADS; i++) {
          int at = random.nextInt(SIZE - piece.length);
          if (anew) {
            reader = open(client, path);
          }
          reader.readFully(at, piece);
          TestBytes.assertSame("at " + at, piece, Arrays.copyOfRange(data, at, at + piece.length));
          if (anew) {
            reader.close();
          }
        }
        assertThat(in.getReadStatistics().getTotalShortCircuitBytesRead()).isZero();
        assertThat(in.getReadStatistics().getRemoteBytesRead()).isZero();
      }
      assertThat(log.withException()).isEmpty();
      assertThat(log.messages()).hasSizeLessThanOrEqualTo(WARNINGS * DATANODES);
    }
    assertThat(segments() - segmentsBefore).isLessThanOrEqualTo(DATANODES);
    // Each read was served at its first attempt; a pread may take in the end of a block. The last
    // ones may not be counted yet.
    assertThat(blocksRead() - readBefore).isBetween(PREADS / 2L, 3L + 2 * PREADS);
  }

  @Test
  void descriptorsOfPlainBlocksArePassed() throws Exception {
    byte[] noise = TestBytes.noise(10_000, 2);
    cluster.write("/plain", noise, 3);
    byte[] data = TestBytes.text(SIZE, 3);
    writeReduced("/declined", data, 3);
    try (LogCapture log = clientLog();
        FileSystem client = client(configuration())) {
      assertThat(shortCircuitBytes(client, "/plain", noise)).isEqualTo(noise.length);
      assertThat(log.messages()).isEmpty();
      assertThat(shortCircuitBytes(client, "/declined", data)).isZero();
      HdrfCluster.await(
          "the pause to end",
          () -> {
            try {
              return shortCircuitBytes(client, "/plain", noise) == noise.length;
            } catch (IOException e) {
              throw new java.io.UncheckedIOException(e);
            }
          });
      assertThat(log.withException()).isEmpty();
    }
  }

  /** By the operator's choice, with a warning for each block. */
  @Test
  void oneBlockAloneCanBeDeclined() throws Exception {
    byte[] noise = TestBytes.noise(10_000, 4);
    byte[] data = TestBytes.text(SIZE, 5);
    cluster.write("/plain-neighbour", noise, 1);
    writeReduced("/alone", data, 1);
    Configuration alone = configuration();
    alone.set(HdrfKeys.READ_SHORT_CIRCUIT_DECLINE, "block");
    alone.setLong(HdfsClientConfigKeys.DFS_DOMAIN_SOCKET_DISABLE_INTERVAL_SECOND_KEY, 600);
    cluster.restartAs(alone);
    try (LogCapture log = clientLog();
        FileSystem client = client(alone)) {
      assertThat(shortCircuitBytes(client, "/alone", data)).isZero();
      assertThat(shortCircuitBytes(client, "/plain-neighbour", noise)).isEqualTo(noise.length);
      assertThat(log.withException()).isEmpty();
    } finally {
      cluster.restartAs(configuration());
    }
  }

  /** A holder of a descriptor continues with it, and gets no further outdated one. */
  @Test
  void readersOutliveSwapAndAppend() throws Exception {
    byte[] data = TestBytes.text(700_000, 6);
    System.setProperty(FaultyScheme.ENCODE_DELAY, "2000");
    cluster.write("/swapped", data, 1);
    try (LogCapture log = clientLog();
        FileSystem client = client(configuration())) {
      try (HdfsDataInputStream in = open(client, "/swapped")) {
        byte[] begin = in.readNBytes(1000);
        assertThat(in.getReadStatistics().getTotalShortCircuitBytesRead()).isPositive();
        System.clearProperty(FaultyScheme.ENCODE_DELAY);
        cluster.awaitReduced("/swapped");
        byte[] rest = in.readAllBytes();
        TestBytes.assertSame("begin", begin, Arrays.copyOf(data, 1000));
        TestBytes.assertSame("rest", rest, Arrays.copyOfRange(data, 1000, data.length));
        byte[] piece = new byte[5000];
        in.readFully(300_000, piece);
        TestBytes.assertSame("pread", piece, Arrays.copyOfRange(data, 300_000, 305_000));
      }
      byte[] more = TestBytes.text(50_000, 7);
      cluster.append("/swapped", more);
      byte[] all = Arrays.copyOf(data, data.length + more.length);
      System.arraycopy(more, 0, all, data.length, more.length);
      TestBytes.assertSame("appended", readAll(client, "/swapped"), all);
      cluster.awaitReduced("/swapped");
      TestBytes.assertSame("reduced again", readAll(client, "/swapped"), all);
      assertThat(log.withException()).isEmpty();
    }
  }

  /** A cached block lies plain, so its descriptor is passed. */
  @Test
  void cachedBlocksAreReadFromTheirFile() throws Exception {
    byte[] data = TestBytes.text(700_000, 8);
    writeReduced("/cached", data, 1);
    cluster.fs().addCachePool(new CachePoolInfo("pool"));
    cluster
        .fs()
        .addCacheDirective(
            new CacheDirectiveInfo.Builder().setPath(new Path("/cached")).setPool("pool").build());
    HdrfCluster.await(
        "the block to be cached",
        () -> {
          try {
            return cluster.blocks("/cached").get(0).getCachedLocations().length > 0;
          } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
          }
        });
    try (LogCapture log = clientLog();
        FileSystem client = client(configuration())) {
      assertThat(shortCircuitBytes(client, "/cached", data)).isEqualTo(data.length);
      assertThat(log.messages()).isEmpty();
    }
  }

  /** Its path is not given out; the client gives up such reads, with one warning, and uses TCP. */
  @Test
  void theLegacyReaderFallsBack() throws Exception {
    byte[] data = TestBytes.text(SIZE, 9);
    writeReduced("/legacy", data, 3);
    Configuration conf = configuration();
    conf.setBoolean(HdfsClientConfigKeys.DFS_CLIENT_USE_LEGACY_BLOCKREADERLOCAL, true);
    conf.setBoolean(HdfsClientConfigKeys.DFS_CLIENT_DOMAIN_SOCKET_DATA_TRAFFIC, false);
    try (LogCapture log = clientLog();
        FileSystem client = client(conf)) {
      assertThat(shortCircuitBytes(client, "/legacy", data)).isZero();
      TestBytes.assertSame("again", readAll(client, "/legacy"), data);
      assertThat(log.messages()).hasSize(1);
    }
  }

  /** Data that need not go by TCP may go over the domain socket, decoded. */
  @Test
  void blocksTravelOverTheDomainSocket() throws Exception {
    byte[] data = TestBytes.text(SIZE, 10);
    writeReduced("/domain", data, 3);
    Configuration conf = configuration();
    conf.setBoolean(HdfsClientConfigKeys.DFS_CLIENT_DOMAIN_SOCKET_DATA_TRAFFIC, true);
    try (LogCapture log = clientLog();
        FileSystem client = client(conf)) {
      assertThat(shortCircuitBytes(client, "/domain", data)).isZero();
      assertThat(log.withException()).isEmpty();
    }
  }

  /** The DataNodes keep no descriptor of what they declined. */
  @Test
  void nothingStaysOpen() throws Exception {
    byte[] data = TestBytes.text(700_000, 11);
    writeReduced("/closed", data, 1);
    long id = cluster.blocks("/closed").get(0).getBlock().getBlockId();
    for (int i = 0; i < 20; i++) {
      try (FileSystem client = client(configuration())) {
        TestBytes.assertSame("read " + i, readAll(client, "/closed"), data);
      }
    }
    HdrfCluster.await(
        "the block's file to be closed",
        () -> {
          try {
            return BlockFiles.open("blk_" + id) == 0;
          } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
          }
        });
    for (DataNode datanode : cluster.mini().getDataNodes()) {
      assertThat(datanode.isDatanodeUp()).isTrue();
    }
  }

  /** Captures warnings and errors of the client's classes while it is open. */
  private static LogCapture clientLog() {
    return new LogCapture(
        Level.WARN,
        ".hdfs.DFSClient",
        ".hdfs.DFSInputStream",
        ".hdfs.client.",
        ".hdfs.shortcircuit.");
  }
}
