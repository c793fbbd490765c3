/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hdrf.client.HdrfReplicaAccessorBuilder;
import io.hdrf.conf.HdrfKeys;
import io.hdrf.datanode.faulty.FaultyScheme;
import io.hdrf.io.LogCapture;
import io.hdrf.io.TestBytes;
import io.hdrf.spi.scheme.TestSeed;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.lang.reflect.Field;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DFSClient;
import org.apache.hadoop.hdfs.DFSConfigKeys;
import org.apache.hadoop.hdfs.ReplicaAccessor;
import org.apache.hadoop.hdfs.client.HdfsClientConfigKeys;
import org.apache.hadoop.hdfs.client.HdfsDataInputStream;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.security.token.block.BlockTokenIdentifier;
import org.apache.hadoop.net.unix.DomainSocket;
import org.apache.hadoop.net.unix.TemporarySocketDirectory;
import org.apache.hadoop.security.token.Token;
import org.apache.log4j.Level;
import org.apache.log4j.spi.LoggingEvent;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Clients with HDRF's own reader, on the host of the only DataNode. */
@Tag("libhadoop")
@Timeout(180)
class LocalReadTest {

  private static final int SIZE = 2_500_000;
  private static final long EXPIRY_MILLIS = 2_000;

  private TemporarySocketDirectory sockets;
  private HdrfCluster cluster;

  @BeforeAll
  static void allowSockets() {
    assertThat(DomainSocket.getLoadingFailureReason()).isNull();
    DomainSocket.disableBindPathValidation();
  }

  @BeforeEach
  void makeSockets() {
    sockets = new TemporarySocketDirectory();
  }

  @AfterEach
  void stop() throws IOException {
    if (cluster != null) {
      cluster.close();
    }
    sockets.close();
  }

  private Configuration configuration(String chain) {
    return configuration(HdrfCluster.configuration(), chain);
  }

  private Configuration configuration(Configuration conf, String chain) {
    conf.set("hdrf.schemes", chain);
    conf.setBoolean("hdrf.read.short-circuit.pass", true);
    conf.setBoolean(HdfsClientConfigKeys.Read.ShortCircuit.KEY, true);
    conf.set(
        DFSConfigKeys.DFS_DOMAIN_SOCKET_PATH_KEY,
        new File(sockets.getDir(), "datanode._PORT.sock").getAbsolutePath());
    conf.setBoolean(DFSConfigKeys.DFS_BLOCK_ACCESS_TOKEN_ENABLE_KEY, true);
    conf.set(
        "dfs.client.replica.accessor.builder.classes", HdrfReplicaAccessorBuilder.class.getName());
    conf.setLong("dfs.client.read.shortcircuit.streams.cache.expiry.ms", EXPIRY_MILLIS);
    return conf;
  }

  private void start(Configuration conf) throws IOException {
    start(conf, 1);
  }

  private void start(Configuration conf, int datanodes) throws IOException {
    cluster = HdrfCluster.start(conf, datanodes);
  }

  /** For a client on the host of the first DataNode. */
  private Configuration onItsHost(Configuration conf) {
    conf.set("dfs.datanode.address", "127.0.0.1:" + cluster.datanode(0).getXferPort());
    return conf;
  }

  private void writeReduced(String path, byte[] data) throws Exception {
    cluster.write(path, data, 1);
    cluster.awaitReduced(path);
  }

  /** A client that shares no descriptors and no pauses of stock HDFS's own with others. */
  private FileSystem client(Configuration conf) throws IOException {
    Configuration own = onItsHost(new Configuration(conf));
    own.set(HdfsClientConfigKeys.DFS_CLIENT_CONTEXT, UUID.randomUUID().toString());
    return FileSystem.newInstance(cluster.fs().getUri(), own);
  }

  private static HdfsDataInputStream open(FileSystem client, String path) throws IOException {
    return (HdfsDataInputStream) client.open(new Path(path));
  }

  private static LogCapture clientLog() {
    return new LogCapture(
        Level.INFO,
        "io.hdrf.client",
        ".hdfs.DFSClient",
        ".hdfs.DFSInputStream",
        ".hdfs.client.",
        ".hdfs.shortcircuit.") {
      /** Clients of earlier tests, which can't be closed, miss their DataNode. */
      @Override
      protected synchronized void append(LoggingEvent event) {
        if (!event.getThreadName().contains("SlotReleaser")) {
          super.append(event);
        }
      }
    };
  }

  /** Reads all, then random pieces, and returns how many bytes were decoded in this process. */
  private long readAll(FileSystem client, String path, byte[] expected, Random random)
      throws IOException {
    try (HdfsDataInputStream in = open(client, path)) {
      TestBytes.assertSame(path, in.readAllBytes(), expected);
      byte[] piece = new byte[70_000];
      for (int i = 0; i < 100; i++) {
        int at = random.nextInt(expected.length);
        int length = Math.min(1 + random.nextInt(piece.length), expected.length - at);
        in.readFully(at, piece, 0, length);
        TestBytes.assertSame(
            path + " at " + at,
            Arrays.copyOf(piece, length),
            Arrays.copyOfRange(expected, at, at + length));
        in.seek(at);
        in.readFully(piece, 0, length);
        TestBytes.assertSame(
            path + " from " + at,
            Arrays.copyOf(piece, length),
            Arrays.copyOfRange(expected, at, at + length));
      }
      assertThat(in.getReadStatistics().getRemoteBytesRead()).isZero();
      assertThat(in.getReadStatistics().getTotalLocalBytesRead())
          .isEqualTo(in.getReadStatistics().getTotalBytesRead());
      return in.getReadStatistics().getTotalShortCircuitBytesRead()
              == in.getReadStatistics().getTotalBytesRead()
          ? in.getReadStatistics().getTotalBytesRead()
          : -in.getReadStatistics().getTotalShortCircuitBytesRead();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"lz4", "shuffle,lz4"})
  void framesAreDecodedByTheClient(String chain) throws Exception {
    Random random = TestSeed.random(chain);
    start(configuration(chain));
    byte[] data = TestBytes.text(SIZE, 1);
    writeReduced("/reduced", data);
    for (boolean skip : new boolean[] {false, true}) {
      Configuration conf = configuration(chain);
      conf.setBoolean(HdfsClientConfigKeys.Read.ShortCircuit.SKIP_CHECKSUM_KEY, skip);
      try (LogCapture log = clientLog();
          FileSystem client = client(conf)) {
        assertThat(readAll(client, "/reduced", data, random)).isGreaterThan(SIZE);
        assertThat(log.messages()).isEmpty();
      }
    }
  }

  /** Its containers hold what others own, so no descriptor is passed. */
  @Test
  void chunksAreDecodedByTheDataNode() throws Exception {
    Random random = TestSeed.random("dedup");
    start(configuration("dedup,lz4"));
    byte[] data = TestBytes.text(SIZE, 2);
    writeReduced("/reduced", data);
    assertReadByTcp(configuration("dedup,lz4"), data, random, 0);
  }

  /** By the operator's choice: the client goes on reading plain blocks from their files. */
  @Test
  void singleBlocksCanBeDeclined() throws Exception {
    Configuration conf = configuration("lz4");
    conf.unset("hdrf.read.short-circuit.pass");
    conf.set(HdrfKeys.READ_SHORT_CIRCUIT_DECLINE, "block");
    conf.setLong(HdfsClientConfigKeys.DFS_DOMAIN_SOCKET_DISABLE_INTERVAL_SECOND_KEY, 600);
    start(conf);
    byte[] data = TestBytes.text(700_000, 16);
    writeReduced("/reduced", data);
    byte[] noise = TestBytes.noise(700_000, 17);
    cluster.write("/plain", noise, 1);
    try (FileSystem client = client(conf)) {
      assertThat(readAll(client, "/reduced", data, TestSeed.random("reduced"))).isZero();
      assertThat(readAll(client, "/plain", noise, TestSeed.random("plain"))).isPositive();
    }
  }

  /** Their headers are seen by whoever reads them so. */
  @Test
  void nothingIsPassedUnlessTheOperatorAllowsIt() throws Exception {
    Random random = TestSeed.random("default");
    Configuration conf = configuration("lz4");
    conf.unset("hdrf.read.short-circuit.pass");
    start(conf);
    byte[] data = TestBytes.text(SIZE, 14);
    writeReduced("/reduced", data);
    assertReadByTcp(conf, data, random, 0);
  }

  /** An interrupt closes the channel that all readers of the replica share. */
  @Test
  void anInterruptedReaderTakesTheBlockFromNobody() throws Exception {
    start(configuration("lz4"));
    byte[] data = TestBytes.text(700_000, 15);
    writeReduced("/interrupted", data);
    try (FileSystem client = client(configuration("lz4"))) {
      try (HdfsDataInputStream in = open(client, "/interrupted")) {
        in.readNBytes(1000);
        Thread.currentThread().interrupt();
        assertThatThrownBy(
                () -> {
                  in.readAllBytes();
                  throw new IOException("not interrupted in time");
                })
            .isInstanceOf(IOException.class);
      }
      // Whether or not somebody has taken notice of it.
      Thread.interrupted();
      assertThat(readAll(client, "/interrupted", data, TestSeed.random("after"))).isPositive();
    }
  }

  /** A client may have other plug-ins than the DataNode, or none. */
  @ParameterizedTest
  @ValueSource(strings = {"", "/no/such/directory"})
  void theDataNodeDecodesWhatTheClientCanNot(String plugins) throws Exception {
    Random random = TestSeed.random(plugins);
    start(configuration("lz4"));
    byte[] data = TestBytes.text(SIZE, 3);
    writeReduced("/reduced", data);
    Configuration conf = configuration("lz4");
    conf.set("hdrf.plugins.dir", plugins);
    // The stock reader asks for a descriptor, and warns that it gets none.
    assertReadByTcp(conf, data, random, 2);
  }

  private void assertReadByTcp(Configuration conf, byte[] data, Random random, int warnings)
      throws IOException {
    conf.setLong(HdfsClientConfigKeys.DFS_DOMAIN_SOCKET_DISABLE_INTERVAL_SECOND_KEY, 600);
    try (LogCapture log = clientLog();
        FileSystem client = client(conf)) {
      assertThat(readAll(client, "/reduced", data, random)).isZero();
      assertThat(log.messages()).hasSizeLessThanOrEqualTo(warnings);
      assertThat(log.withException()).isEmpty();
    }
  }

  @Test
  void plainBlocksAreReadByTheStockReader() throws Exception {
    start(configuration("lz4"));
    byte[] noise = TestBytes.noise(1_500_000, 4);
    cluster.write("/plain", noise, 1);
    cluster.awaitReduced();
    try (LogCapture log = clientLog();
        FileSystem client = client(configuration("lz4"))) {
      assertThat(readAll(client, "/plain", noise, TestSeed.random("plain")))
          .isGreaterThan(noise.length);
      assertThat(log.messages()).isEmpty();
    }
  }

  /** It passes the descriptor of a plain file that looks like a reduced block of its own name. */
  @Test
  void aStockDataNodeIsNotBelievedToHaveReducedBlocks() throws Exception {
    start(configuration("lz4"));
    byte[] data = TestBytes.text(700_000, 5);
    writeReduced("/reduced", data);
    byte[] stored = Files.readAllBytes(cluster.replicas("/reduced").get(0).toPath());
    long id = cluster.blocks("/reduced").get(0).getBlock().getBlockId();
    cluster.close();
    start(configuration(HdrfCluster.stockConfiguration(), "lz4"));
    cluster.write("/imitation", stored, 1);
    assertThat(cluster.blocks("/imitation").get(0).getBlock().getBlockId()).isEqualTo(id);
    Configuration conf = configuration(HdrfCluster.stockConfiguration(), "lz4");
    try (LogCapture log = clientLog();
        FileSystem client = client(conf)) {
      readAll(client, "/imitation", stored, TestSeed.random("imitation"));
      assertThat(log.messages()).isEmpty();
    }
  }

  private ReplicaAccessor accessor(ExtendedBlock block, Token<?> token) throws IOException {
    return accessor(block, token, configuration("lz4"));
  }

  private ReplicaAccessor accessor(ExtendedBlock block, Token<?> token, Configuration conf)
      throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    token.write(new DataOutputStream(bytes));
    return new HdrfReplicaAccessorBuilder()
        .setFileName("/name")
        .setBlock(block.getBlockId(), block.getBlockPoolId())
        .setGenerationStamp(block.getGenerationStamp())
        .setVisibleLength(block.getNumBytes())
        .setBlockAccessToken(bytes.toByteArray())
        .setClientName("client")
        .setAllowShortCircuitReads(true)
        .setVerifyChecksum(true)
        .setConfiguration(onItsHost(conf))
        .build();
  }

  @Test
  void theBlockTokenDecides() throws Exception {
    start(configuration("lz4"));
    byte[] data = TestBytes.text(700_000, 6);
    writeReduced("/mine", data);
    writeReduced("/others", data);
    ExtendedBlock block = cluster.blocks("/mine").get(0).getBlock();
    Token<BlockTokenIdentifier> token = cluster.blocks("/mine").get(0).getBlockToken();
    assertThat(accessor(block, new Token<BlockTokenIdentifier>())).isNull();
    assertThat(accessor(block, cluster.blocks("/others").get(0).getBlockToken())).isNull();
    ReplicaAccessor accessor = accessor(block, token);
    assertThat(accessor).isNotNull();
    try {
      ByteBuffer read = ByteBuffer.allocate(1000);
      assertThat(accessor.read(500, read)).isEqualTo(1000);
      TestBytes.assertSame("mine", read.array(), Arrays.copyOfRange(data, 500, 1500));
      assertThat(accessor.read(block.getNumBytes(), read.array(), 0, 1)).isEqualTo(-1);
    } finally {
      accessor.close();
    }
  }

  /** Clients ask for every block that they read, wherever it is. */
  @Test
  void theDataNodeLogsNothingOfBlocksThatAreElsewhere() throws Exception {
    start(configuration("lz4"));
    writeReduced("/reduced", TestBytes.text(700_000, 7));
    ExtendedBlock block = cluster.blocks("/reduced").get(0).getBlock();
    Token<BlockTokenIdentifier> token = cluster.blocks("/reduced").get(0).getBlockToken();
    ExtendedBlock newer = new ExtendedBlock(block);
    newer.setGenerationStamp(block.getGenerationStamp() + 1);
    try (LogCapture log = new LogCapture(Level.WARN, ".hdfs.server.", "io.hdrf.")) {
      assertThat(accessor(newer, token)).isNull();
      assertThat(log.messages()).isEmpty();
    }
  }

  private static void flip(File file, long position) throws IOException {
    try (RandomAccessFile bytes = new RandomAccessFile(file, "rw")) {
      bytes.seek(position);
      int old = bytes.read();
      bytes.seek(position);
      bytes.write(old ^ 1);
    }
  }

  private File local(String path) throws IOException {
    return cluster.file(0, cluster.blocks(path).get(0).getBlock());
  }

  /** The client keeps files open of blocks that have the same number in the clusters before. */
  private String pathOfThisCluster(String path) throws IOException {
    return local(path).toPath().toRealPath().toString();
  }

  private void writeTwice(String path, byte[] data) throws Exception {
    cluster.write(path, data, 2);
    cluster.awaitReplication(path, 2);
    cluster.awaitReduced(path);
  }

  private int reported(String path) throws IOException {
    LocatedBlock block = cluster.blocks(path).get(0);
    return block.isCorrupt() ? 2 : 2 - block.getLocations().length;
  }

  private void awaitReported(String path, int replicas) throws InterruptedException {
    HdrfCluster.await(
        "damage to be reported",
        () -> {
          try {
            return reported(path) == replicas;
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        });
  }

  /** Stock code goes on with another reader, and fails over to the other DataNode. */
  @ParameterizedTest
  @ValueSource(longs = {100_000, 20})
  void aDamagedReplicaIsReadElsewhere(long position) throws Exception {
    start(configuration("lz4"), 2);
    byte[] data = TestBytes.text(700_000, 8);
    writeTwice("/damaged", data);
    flip(local("/damaged"), position);
    try (FileSystem client = client(configuration("lz4"))) {
      try (HdfsDataInputStream in = open(client, "/damaged")) {
        TestBytes.assertSame("damaged", in.readAllBytes(), data);
        byte[] piece = new byte[300_000];
        in.readFully(50_000, piece);
        TestBytes.assertSame("pread", piece, Arrays.copyOfRange(data, 50_000, 350_000));
      }
      assertThat(cluster.blocks("/damaged").get(0).isCorrupt()).isFalse();
      try (HdfsDataInputStream in = open(client, "/damaged")) {
        TestBytes.assertSame("again", in.readAllBytes(), data);
      }
    }
  }

  /** The client takes a checksum's failure for one of the DataNode that it had chosen. */
  @Test
  void noSoundReplicaIsBlamed() throws Exception {
    start(configuration("lz4"), 2);
    byte[] data = TestBytes.text(700_000, 9);
    writeTwice("/blamed", data);
    LocatedBlock block = cluster.blocks("/blamed").get(0);
    File file = local("/blamed");
    flip(
        new File(
            file.getParent(),
            file.getName() + "_" + block.getBlock().getGenerationStamp() + ".meta"),
        7 + 4 * 600);
    DatanodeInfo first =
        Arrays.stream(block.getLocations())
            .filter(info -> info.getDatanodeUuid().equals(cluster.datanode(0).getDatanodeUuid()))
            .findFirst()
            .orElseThrow();
    cluster
        .fs()
        .getClient()
        .getNamenode()
        .reportBadBlocks(
            new LocatedBlock[] {new LocatedBlock(block.getBlock(), new DatanodeInfo[] {first})});
    awaitReported("/blamed", 1);
    try (FileSystem client = client(configuration("lz4"));
        HdfsDataInputStream in = open(client, "/blamed")) {
      TestBytes.assertSame("blamed", in.readAllBytes(), data);
    }
    assertThat(reported("/blamed")).isEqualTo(1);
  }

  /** A client knows the header of its block, and may write other data under the same id. */
  @Test
  void theStoredFormWrittenBackIsRefused() throws Exception {
    start(configuration("lz4"));
    byte[] data = TestBytes.text(700_000, 13);
    data[0] = (byte) 0x89;
    writeReduced("/imitated", data);
    byte[] stored = Files.readAllBytes(local("/imitated").toPath());
    assertThat(stored[0]).isEqualTo(data[0]);
    Configuration conf = configuration("lz4");
    // Enough for the NameNode to hear of a replica that was accepted.
    conf.setInt("dfs.client.block.write.locateFollowingBlock.initial.delay.ms", 400);
    conf.setInt("dfs.client.block.write.locateFollowingBlock.retries", 1);
    try (FileSystem client = client(conf)) {
      client.truncate(new Path("/imitated"), 1);
      cluster.awaitClosed("/imitated");
      assertThatThrownBy(
              () -> {
                try (FSDataOutputStream out = client.append(new Path("/imitated"))) {
                  out.write(stored, 1, stored.length - 1);
                }
              })
          .isInstanceOf(IOException.class);
    }
    assertThat(cluster.fs().getFileStatus(new Path("/imitated")).getLen())
        .isLessThan(stored.length);
  }

  /** An open reader goes on with what it has; a new one gets what is there now. */
  @Test
  void readersOutliveAppendAndInflation() throws Exception {
    start(configuration("lz4"));
    byte[] data = TestBytes.text(700_000, 9);
    writeReduced("/appended", data);
    try (LogCapture log = clientLog();
        FileSystem client = client(configuration("lz4"));
        HdfsDataInputStream before = open(client, "/appended")) {
      byte[] begin = before.readNBytes(1000);
      byte[] more = TestBytes.text(100_000, 10);
      cluster.append("/appended", more);
      byte[] all = Arrays.copyOf(data, data.length + more.length);
      System.arraycopy(more, 0, all, data.length, more.length);
      TestBytes.assertSame("begin", begin, Arrays.copyOf(data, 1000));
      TestBytes.assertSame(
          "rest", before.readAllBytes(), Arrays.copyOfRange(data, 1000, data.length));
      readAll(client, "/appended", all, TestSeed.random("appended"));
      cluster.awaitReduced("/appended");
      readAll(client, "/appended", all, TestSeed.random("again"));
      assertThat(log.withException()).isEmpty();
    }
  }

  @Test
  void descriptorsOfDeletedBlocksAreClosed() throws Exception {
    start(configuration("lz4"));
    byte[] data = TestBytes.text(700_000, 11);
    writeReduced("/deleted", data);
    String file = pathOfThisCluster("/deleted");
    try (FileSystem client = client(configuration("lz4"));
        HdfsDataInputStream in = open(client, "/deleted")) {
      TestBytes.assertSame("deleted", in.readAllBytes(), data);
      assertThat(BlockFiles.open(file)).isPositive();
    }
    cluster.fs().delete(new Path("/deleted"), false);
    HdrfCluster.await(
        "the block's file to be closed",
        () -> {
          try {
            return BlockFiles.open(file) == 0;
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        });
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "dfs.client.read.shortcircuit.streams.cache.size",
        "dfs.client.read.shortcircuit.streams.cache.expiry.ms"
      })
  void descriptorsAreClosedWhereABlockCanNotBeOpened(String key) throws Exception {
    start(configuration("lz4"));
    writeReduced("/reduced", TestBytes.text(700_000, 18));
    ExtendedBlock block = cluster.blocks("/reduced").get(0).getBlock();
    Configuration wrong = configuration("lz4");
    wrong.set(key, "many");
    assertThat(accessor(block, cluster.blocks("/reduced").get(0).getBlockToken(), wrong)).isNull();
    String file = pathOfThisCluster("/reduced");
    // The DataNode closes its own soon. No long wait: the garbage collector closes lost ones, too.
    for (int i = 0; i < 100 && BlockFiles.open(file) > 0; i++) {
      Thread.sleep(20);
    }
    assertThat(BlockFiles.open(file)).isZero();
  }

  /** The HDFS client names the threads on which it reads so. */
  private static final String HEDGED = "hedgedRead-";

  /** Once one client of a process hedges, all do. */
  private static void endHedging() throws ReflectiveOperationException {
    Field pool = DFSClient.class.getDeclaredField("HEDGED_READ_THREAD_POOL");
    pool.setAccessible(true);
    ((ExecutorService) pool.get(null)).shutdown();
    pool.set(null, null);
  }

  /** The client does not say that it means another DataNode. */
  @ParameterizedTest
  @ValueSource(strings = {FaultyScheme.OPEN_WAITS, FaultyScheme.DECODE_WAITS})
  void aHedgedReadDoesNotWaitForTheDiskOfThisHost(String hangs) throws Exception {
    java.nio.file.Path plugins = HdrfCluster.plugins(FaultyScheme.class);
    Configuration conf =
        configuration(HdrfCluster.configuration(plugins, FaultyScheme.NAME), FaultyScheme.NAME);
    start(conf, 2);
    byte[] data = TestBytes.text(700_000, 19);
    writeTwice("/hedged", data);
    Configuration hedging = new Configuration(conf);
    hedging.setInt(HdfsClientConfigKeys.HedgedRead.THREADPOOL_SIZE_KEY, 4);
    // The second read, if it finds the first one on its way for half of this, goes elsewhere.
    hedging.setLong(HdfsClientConfigKeys.HedgedRead.THRESHOLD_MILLIS_KEY, 4_000);
    ExecutorService thread = Executors.newSingleThreadExecutor();
    System.setProperty(hangs, HEDGED);
    try (FileSystem client = client(hedging);
        HdfsDataInputStream in = open(client, "/hedged")) {
      byte[] piece = new byte[1000];
      Future<?> read =
          thread.submit(
              () -> {
                in.readFully(300_000, piece);
                return null;
              });
      read.get(60, TimeUnit.SECONDS);
      TestBytes.assertSame("piece", piece, Arrays.copyOfRange(data, 300_000, 301_000));
      assertThat(in.getReadStatistics().getTotalShortCircuitBytesRead()).isZero();
      // Once the disk answers, its replicas are read again, and not just by who waits now.
      System.clearProperty(hangs);
      HdrfCluster.await(
          "a local read",
          () -> {
            try {
              in.readFully(300_000, piece);
            } catch (IOException e) {
              throw new UncheckedIOException(e);
            }
            return in.getReadStatistics().getTotalShortCircuitBytesRead() > piece.length;
          });
    } finally {
      System.clearProperty(hangs);
      thread.shutdownNow();
      endHedging();
    }
  }

  @Test
  void manyThreadsReadAtOnce() throws Exception {
    start(configuration("lz4"));
    byte[] data = TestBytes.text(SIZE, 12);
    writeReduced("/shared", data);
    ExecutorService threads = Executors.newFixedThreadPool(8);
    try (FileSystem client = client(configuration("lz4"))) {
      List<Future<Long>> reads = new ArrayList<>();
      for (int i = 0; i < 16; i++) {
        Random random = TestSeed.random("thread " + i);
        reads.add(threads.submit(() -> readAll(client, "/shared", data, random)));
      }
      for (Future<Long> read : reads) {
        assertThat(read.get()).isGreaterThan(SIZE);
      }
    } finally {
      threads.shutdownNow();
    }
  }
}
