/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.crash;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.hdrf.cluster.ClusterConfig;
import io.hdrf.cluster.DataNode;
import io.hdrf.cluster.HadoopRuntime;
import io.hdrf.cluster.LocalCluster;
import io.hdrf.cluster.RedisServer;
import io.hdrf.cluster.Waiting;
import io.hdrf.io.LiveFiles;
import io.hdrf.spi.scheme.TestSeed;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.FileUtil;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Loses the metadata stores of DataNode processes and with them the index of chunks in every way
 * there is, while a client writes and another reads. Each time: no client error, no wrong byte, no
 * lost block, and soon every record agrees with its block again.
 *
 * <p>{@code -Dhdrf.loss.rounds=N} repeats all of it N times, with pauses of a minute where the
 * short run, the default, has some seconds. {@code -Dhdrf.loss.steps=FROZEN,FULL} runs those steps
 * only.
 */
class StoreLossTest {

  private static final int ROUNDS = Integer.getInteger("hdrf.loss.rounds", 0);
  private static final boolean LONG = ROUNDS > 0;
  private static final String STEPS = System.getProperty("hdrf.loss.steps", "");

  private static final int DATANODES = 3;
  private static final String BLOCK_SIZE = "1048576";

  /** In milliseconds. */
  private static final long REDIS_TIMEOUT = 500;

  private static final Duration OUTAGE = Duration.ofSeconds(LONG ? 30 : 3);
  private static final Duration FREEZE = Duration.ofSeconds(LONG ? 60 : 4);
  private static final Duration BETWEEN = Duration.ofSeconds(LONG ? 2 : 1);
  private static final Duration PATIENCE = LocalCluster.PATIENCE;

  /** Counters that must stay at zero. */
  private static final List<String> ALARMS =
      List.of("CorruptBlocks", "SkippedMismatch", "SkippedVerificationFailed");

  private enum RedisLoss {
    KILLED,
    EMPTIED,
    STALE,
    FROZEN,
    FULL,
    UNREACHABLE
  }

  private enum FileLoss {
    DATA_DAMAGED,
    SOME_REMOVED,
    ALL_DAMAGED,
    ALL_REMOVED
  }

  /** A change of a cluster under load. */
  private interface Step {
    void run() throws Exception;
  }

  private final Path directory = Path.of(System.getProperty("hdrf.loss.directory"));
  private final List<RedisServer> servers = new ArrayList<>();
  private Random random;
  private LocalCluster cluster;
  private Load load;

  @BeforeEach
  void clear() throws IOException {
    random = TestSeed.random("loss");
    LocalCluster.killLeftovers(directory);
    FileUtil.fullyDelete(directory.toFile());
  }

  @AfterEach
  void kill() throws IOException {
    try {
      if (load != null) {
        load.close();
      }
    } finally {
      LocalCluster.killLeftovers(directory);
    }
  }

  private static ClusterConfig config(Path directory) {
    return ClusterConfig.in(directory)
        .withDataNodes(DATANODES)
        .withReplication(DATANODES)
        .withSchemes("dedup,zstd")
        .withHeaps("256m", "256m")
        .with("hdrf.reduce.scan.interval", "1")
        .with("hdrf.metadata.flush.interval", "200")
        .with("hdrf.metadata.check.interval", "1000")
        .with("dfs.blocksize", BLOCK_SIZE)
        .with("dfs.heartbeat.interval", "1")
        .with("dfs.namenode.heartbeat.recheck-interval", "1000")
        .with("dfs.namenode.redundancy.interval.seconds", "1")
        .with("dfs.namenode.reconstruction.pending.timeout-sec", "3")
        .with("dfs.blockreport.intervalMsec", "5000")
        .with("ipc.client.connect.max.retries", "3")
        .with("ipc.client.connect.retry.interval", "200");
  }

  private void start(ClusterConfig config) throws IOException {
    Path plugins = Path.of(System.getProperty("hdrf.test.plugins.with.stores"));
    cluster = LocalCluster.create(config, HadoopRuntime.ofThisJvm(Optional.of(plugins)));
    cluster.start();
    load = new Load(client(), random.nextLong());
    load.start();
    settle("the first files");
  }

  private Configuration clientConf() {
    Configuration conf = new Configuration();
    conf.addResource(
        new org.apache.hadoop.fs.Path(cluster.conf().resolve("hdfs-site.xml").toUri()));
    // There is no fourth DataNode.
    conf.set("dfs.client.block.write.replace-datanode-on-failure.policy", "NEVER");
    return conf;
  }

  private DistributedFileSystem client() throws IOException {
    return (DistributedFileSystem) FileSystem.newInstance(URI.create(cluster.uri()), clientConf());
  }

  private static <E extends Enum<E>> List<E> chosen(E[] all, List<E> whenShort) {
    if (STEPS.isEmpty()) {
      return LONG ? List.of(all) : whenShort;
    }
    List<String> names = List.of(STEPS.split(","));
    return Arrays.stream(all).filter(step -> names.contains(step.name())).toList();
  }

  /**
   * All in memory: chunks are cut by RAM and RAML, each of them is in the filters and in Redis, and
   * blocks travel reduced.
   */
  private static ClusterConfig inMemory(Path directory) {
    ClusterConfig config =
        config(directory)
            .with("hdrf.dedup.index.sample", "1")
            .with("hdrf.mirror.enabled", "true")
            .with("hdrf.metadata.store", "redis")
            .with("hdrf.metadata.redis.timeout", Long.toString(REDIS_TIMEOUT));
    for (int i = 0; i < DATANODES; i++) {
      config = config.withDataNodeProperty(i, "hdrf.dedup.chunker", i % 2 == 0 ? "ram" : "raml");
    }
    return config;
  }

  @Test
  void redisIsLost() throws Exception {
    List<RedisLoss> losses = chosen(RedisLoss.values(), List.of(RedisLoss.values()));
    if (losses.isEmpty()) {
      return;
    }
    ClusterConfig config = inMemory(directory);
    for (int i = 0; i < DATANODES; i++) {
      RedisServer server = new RedisServer(directory.resolve("redis-" + i));
      server.start();
      servers.add(server);
      config = config.withDataNodeProperty(i, "hdrf.metadata.redis.address", server.address());
    }
    start(config);
    for (int round = 0; round < Math.max(1, ROUNDS); round++) {
      for (RedisLoss loss : losses) {
        String counter =
            loss == RedisLoss.EMPTIED || loss == RedisLoss.STALE
                ? "MetadataRebuilds"
                : "MetadataFailures";
        List<Long> before = counters(counter);
        underLoad("Redis " + loss, () -> lose(loss));
        List<Long> after = counters(counter);
        for (int i = 0; i < DATANODES; i++) {
          assertThat(after.get(i))
              .as(loss + ": " + counter + " of DataNode " + i)
              .isGreaterThan(before.get(i));
        }
      }
    }
  }

  /** Waits for a write and a read that end meanwhile. */
  private void awaitWork() throws IOException {
    long written = load.written();
    long read = load.filesRead();
    sleep(BETWEEN);
    Waiting.until(
        PATIENCE,
        () -> load.written() > written && load.filesRead() > read,
        () -> "nothing is written and read");
  }

  private void lose(RedisLoss loss) throws IOException {
    switch (loss) {
      case KILLED -> {
        for (RedisServer server : servers) {
          server.cli("save");
          server.kill();
        }
        awaitWork();
        startServers();
      }
      case EMPTIED -> {
        for (RedisServer server : servers) {
          server.kill();
          server.empty();
        }
        awaitWork();
        startServers();
      }
      case STALE -> {
        for (RedisServer server : servers) {
          server.cli("save");
          Files.copy(dump(server), older(server), StandardCopyOption.REPLACE_EXISTING);
        }
        long before = load.written();
        Waiting.until(PATIENCE, () -> load.written() > before + 3, () -> "nothing is written");
        sleep(BETWEEN);
        for (RedisServer server : servers) {
          server.kill();
          Files.copy(older(server), dump(server), StandardCopyOption.REPLACE_EXISTING);
        }
        startServers();
      }
      case FROZEN -> {
        for (RedisServer server : servers) {
          server.suspend();
        }
        sleep(FREEZE);
        for (RedisServer server : servers) {
          server.resume();
        }
      }
      case FULL -> {
        for (RedisServer server : servers) {
          server.cli("config", "set", "maxmemory-policy", "noeviction");
          server.cli("config", "set", "maxmemory", "100kb");
        }
        sleep(OUTAGE);
        for (RedisServer server : servers) {
          server.cli("config", "set", "maxmemory", "0");
        }
      }
      case UNREACHABLE -> {
        for (RedisServer server : servers) {
          server.stop();
        }
        sleep(OUTAGE);
        startServers();
      }
    }
  }

  /**
   * All DataNodes have one server, and a Sentinel that makes its replica the next one. What the
   * replica had not got by then is made again from the blocks.
   */
  @Test
  void redisFailsOver() throws Exception {
    RedisServer first = new RedisServer(directory.resolve("redis-first"));
    first.start();
    RedisServer second =
        new RedisServer(directory.resolve("redis-second"))
            .with("replicaof", "127.0.0.1", Integer.toString(first.port()));
    second.start();
    RedisServer sentinel = RedisServer.sentinel(directory.resolve("sentinel"), "main", first);
    sentinel.start();
    Waiting.until(
        PATIENCE,
        () -> sentinel.cli("sentinel", "replicas", "main").contains(second.address()),
        () -> "the Sentinel knows no replica");
    start(
        inMemory(directory)
            .with("hdrf.metadata.redis.sentinel.master", "main")
            .with("hdrf.metadata.redis.sentinel.addresses", sentinel.address()));
    underLoad(
        "Redis fails over",
        () -> {
          first.kill();
          Waiting.until(
              PATIENCE,
              () -> second.cli("info", "replication").contains("role:master"),
              () -> "the replica stays one");
          sleep(BETWEEN);
        });
    assertThat(counters("MetadataFailures")).allSatisfy(count -> assertThat(count).isPositive());
    assertThat(counters("BlocksReduced")).allSatisfy(count -> assertThat(count).isPositive());
    assertThat(Long.parseLong(second.cli("dbsize"))).isPositive();
  }

  private void startServers() throws IOException {
    for (RedisServer server : servers) {
      String address = server.address();
      server.start();
      assertThat(server.address()).as("the address after the restart").isEqualTo(address);
    }
  }

  private static Path dump(RedisServer server) {
    return server.data().resolve("dump.rdb");
  }

  private static Path older(RedisServer server) {
    return server.directory().resolve("older.rdb");
  }

  @Test
  void embeddedStoreIsDamaged() throws Exception {
    List<FileLoss> losses =
        chosen(FileLoss.values(), List.of(FileLoss.DATA_DAMAGED, FileLoss.ALL_REMOVED));
    if (losses.isEmpty()) {
      return;
    }
    start(config(directory).with("hdrf.metadata.store", "embedded"));
    // Always the same DataNode: a file that is being written stays on the others alone until it is
    // closed, and with none left to replace a DataNode, HDFS gives such a file up.
    DataNode dataNode = cluster.dataNodes().get(0);
    for (int round = 0; round < Math.max(1, ROUNDS); round++) {
      for (FileLoss loss : losses) {
        underLoad(
            dataNode.name() + ": files " + loss,
            () -> {
              dataNode.stop(Duration.ofSeconds(20));
              lose(loss, store(dataNode));
              dataNode.start();
              cluster.awaitReady();
            });
        assertThat(counters("MetadataRebuilds").get(dataNode.index()))
            .as(loss + ": rebuilds of " + dataNode.name())
            .isPositive();
      }
    }
  }

  /** Returns the directory of its embedded store. */
  private static Path store(DataNode dataNode) throws IOException {
    return LiveFiles.below(dataNode.volumes().get(0)).stream()
        .filter(path -> Files.exists(path.resolve("CURRENT")))
        .filter(path -> !path.getFileName().toString().contains(".damaged-"))
        .findFirst()
        .orElseThrow();
  }

  private void lose(FileLoss loss, Path store) throws IOException {
    List<Path> files;
    try (Stream<Path> list = Files.list(store)) {
      files = list.sorted(Comparator.naturalOrder()).toList();
    }
    int touched = 0;
    for (Path file : files) {
      boolean data = file.getFileName().toString().matches(".*\\.(sst|log)");
      switch (loss) {
        case DATA_DAMAGED -> touched += data && damage(file) ? 1 : 0;
        case ALL_DAMAGED -> touched += damage(file) ? 1 : 0;
        case SOME_REMOVED -> touched += data && Files.deleteIfExists(file) ? 1 : 0;
        case ALL_REMOVED -> touched += Files.deleteIfExists(file) ? 1 : 0;
      }
    }
    assertThat(touched).as(loss + " in " + store + " " + files).isPositive();
  }

  /** Overwrites several random bytes. */
  private boolean damage(Path file) throws IOException {
    long length = Files.size(file);
    if (length == 0) {
      return false;
    }
    try (RandomAccessFile open = new RandomAccessFile(file.toFile(), "rw")) {
      for (int i = 0; i < 8; i++) {
        long at = (long) (random.nextDouble() * length);
        open.seek(at);
        int old = open.read();
        open.seek(at);
        open.write(old ^ (1 + random.nextInt(255)));
      }
    }
    return true;
  }

  private void underLoad(String what, Step step) throws Exception {
    load.longestMillis();
    long written = load.written();
    long read = load.filesRead();
    long began = System.nanoTime();
    step.run();
    long seconds = Duration.ofNanos(System.nanoTime() - began).toSeconds();
    load.assertNoFailure();
    System.out.printf(
        "%s for %d s: %d writes, %d reads, the longest %d ms%n",
        what, seconds, load.written() - written, load.filesRead() - read, load.longestMillis());
    if (seconds > 1) {
      assertThat(load.written()).as(what + ": the writer goes on").isGreaterThan(written);
      assertThat(load.filesRead()).as(what + ": the reader goes on").isGreaterThan(read);
    }
    sleep(BETWEEN);
    settle(what);
  }

  /** Pauses the load until all records agree with all blocks, and all blocks have replicas. */
  private void settle(String what) throws IOException {
    Waiting.until(
        PATIENCE,
        () -> {
          load.assertNoFailure();
          return load.written() > 3 && load.filesRead() > 3;
        },
        () -> "no load");
    load.pause();
    try (DistributedFileSystem fs = client()) {
      long began = System.nanoTime();
      Fsck fsck = new Fsck();
      for (DataNode dataNode : cluster.dataNodes()) {
        fsck.awaitRecords(dataNode, clientConf(), PATIENCE, 1);
      }
      System.out.printf(
          "  in step after %d ms%n", Duration.ofNanos(System.nanoTime() - began).toMillis());
      Waiting.until(
          PATIENCE,
          () -> fs.getLowRedundancyBlocksCount() == 0,
          () -> what + ": blocks lack replicas");
      assertThat(fs.getMissingBlocksCount()).as(what + ": missing blocks").isZero();
      assertThat(fs.getCorruptBlocksCount()).as(what + ": corrupt blocks").isZero();
      load.readAll();
      for (DataNode dataNode : cluster.dataNodes()) {
        for (JsonNode bean : dataNode.hdrfMetrics()) {
          for (String alarm : ALARMS) {
            assertThat(bean.path(alarm).asLong(-1)).as(dataNode.name() + ": " + alarm).isZero();
          }
        }
      }
    } finally {
      load.resume();
    }
    load.assertNoFailure();
  }

  private List<Long> counters(String name) throws IOException {
    List<Long> values = new ArrayList<>();
    for (DataNode dataNode : cluster.dataNodes()) {
      values.add(dataNode.hdrfMetrics().stream().mapToLong(bean -> bean.path(name).asLong()).sum());
    }
    return values;
  }

  private static void sleep(Duration time) {
    try {
      Thread.sleep(time.toMillis());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }
}
