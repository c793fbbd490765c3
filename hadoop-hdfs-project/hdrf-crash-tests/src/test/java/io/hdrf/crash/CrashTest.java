/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.crash;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.hdrf.cluster.ClusterConfig;
import io.hdrf.cluster.DataNode;
import io.hdrf.cluster.HadoopRuntime;
import io.hdrf.cluster.LocalCluster;
import io.hdrf.cluster.Waiting;
import io.hdrf.sample.StoreScheme;
import io.hdrf.scheme.PluginJars;
import io.hdrf.scheme.SchemeRegistry;
import io.hdrf.spi.scheme.TestSeed;
import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.ChecksumException;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.FileUtil;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedBlocks;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * {@code kill -9} of DataNode processes at random moments, while writers and the Reducer work. In
 * each round one, two or all of three DataNodes are killed; their volumes are checked before
 * anything can heal them; they are started again; every acknowledged byte of every file is read
 * from every replica; and the checks of {@code hdrf fsck} on each DataNode show no difference.
 * Collections and scrubs run all the time, and may find no damage.
 *
 * <p>{@code -Dhdrf.crash.rounds=N} sets the number of rounds, {@code -Dhdrf.crash.schemes} the
 * chains, {@code -Dhdrf.test.seed=N} the seed of everything but the operating system's part.
 */
class CrashTest {

  private static final int ROUNDS = Integer.getInteger("hdrf.crash.rounds", 5);

  /** Chains to choose from in each round, separated by semicolons. */
  private static final List<String> CHAINS =
      List.of(
          System.getProperty("hdrf.crash.schemes", "lz4;store;dedup,lz4;dedup,zstd").split(";"));

  private static final boolean ALL_DEDUP =
      CHAINS.stream().allMatch(chain -> chain.startsWith("dedup"));

  private static final int WRITERS = 3;
  private static final int BLOCK_SIZE = 1 << 20;
  private static final int MAX_PIECE = 800_000;

  /** The longest wait for all replicas; after that, one is enough. */
  private static final Duration FULL_REPLICATION = Duration.ofSeconds(20);

  private static final Duration PATIENCE = LocalCluster.PATIENCE;

  /** Counters that must stay at zero. */
  private static final List<String> ALARMS = List.of("CorruptBlocks", "SkippedVerificationFailed");

  /**
   * The counter of plain blocks that disagreed with their checksums, as blocks of interrupted
   * truncations may.
   */
  private static final String MISMATCHES = "SkippedMismatch";

  /** The Reducer's log message about such a block. */
  private static final Pattern MISMATCH =
      Pattern.compile("^.*:blk_(\\d+) stays plain: it does not match.*$", Pattern.MULTILINE);

  /** Others that must stay at zero, on DataNodes that have a store of dedup. */
  private static final List<String> DEDUP_ALARMS =
      List.of("DedupDamagedReads", "DedupScrubContainersDamaged", "DedupHealChunksLeft");

  /** The moment to kill. */
  private enum Moment {
    ANY_TIME,
    AFTER_A_CLOSE,
    WHILE_A_BLOCK_IS_WRITTEN_ANEW
  }

  /**
   * A replica.
   *
   * @param dataNode its address and port for data
   */
  private record CutOff(long block, String dataNode) {}

  private final Path directory = Path.of(System.getProperty("hdrf.crash.directory"));
  private final List<Writer> writers = new ArrayList<>();
  private final Fsck fsck = new Fsck();
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private Random random;
  private HadoopRuntime runtime;
  private LocalCluster cluster;
  private VolumeCheck volumes;

  /**
   * Replicas that were perhaps being truncated in place when their DataNode was killed. Stock HDFS
   * gives them the new generation stamp first: they may have come back with it, and with the old
   * length or the old last checksum; and with as many DataNodes as replicas, no other replica can
   * replace them.
   */
  private final Set<CutOff> cutOff = new HashSet<>();

  private long bytesRead;
  private long framesSent;
  private long containersScrubbed;
  private long chunksCollected;
  private long differences;
  private int unclosable;

  @BeforeEach
  void start() throws IOException {
    random = TestSeed.random("crash");
    LocalCluster.killLeftovers(directory);
    FileUtil.fullyDelete(directory.toFile());
    Path plugins = Path.of(System.getProperty("hdrf.test.plugins"));
    PluginJars.of(plugins, StoreScheme.class);
    volumes = new VolumeCheck(SchemeRegistry.load(plugins));
    runtime = HadoopRuntime.ofThisJvm(Optional.of(plugins));
    configureAndStart();
    for (int i = 0; i < WRITERS; i++) {
      writers.add(
          new Writer(new org.apache.hadoop.fs.Path("/writer-" + i), random.nextLong(), MAX_PIECE));
    }
  }

  @AfterEach
  void kill() throws IOException {
    threads.shutdownNow();
    LocalCluster.killLeftovers(directory);
  }

  /** Starts stopped daemons, with this round's chain and way of reducing. */
  private void configureAndStart() throws IOException {
    ClusterConfig config =
        ClusterConfig.in(directory)
            .withSchemes(CHAINS.get(random.nextInt(CHAINS.size())))
            .withHeaps("256m", "256m")
            .with("hdrf.reduce.delay", random.nextInt(3) == 0 ? "0" : "200")
            .with("hdrf.reduce.scan.interval", "1")
            .with("hdrf.reduce.threads", "2")
            .with("hdrf.mirror.enabled", random.nextInt(3) == 0 ? "auto" : "true")
            // Makes many containers and filters, and a collector and a scrub that never rest.
            .with("hdrf.dedup.chunk.size", "2k")
            .with("hdrf.dedup.container.size", "1m")
            .with("hdrf.dedup.dba.capacity", "1000")
            .with("hdrf.dedup.index", random.nextBoolean() ? "dba" : "cuckoo")
            .with("hdrf.dedup.delta", random.nextInt(3) == 0 ? "off" : "on")
            .with("hdrf.dedup.gc.interval", "1")
            .with("hdrf.dedup.gc.min.age", "0")
            .with("hdrf.dedup.gc.live.percent", "95")
            .with("hdrf.dedup.gc.rate", "0")
            .with("hdrf.dedup.scrub.interval", "1")
            .with("hdrf.dedup.scrub.rate", "1g")
            .with("dfs.blocksize", Integer.toString(BLOCK_SIZE))
            .with("dfs.heartbeat.interval", "1")
            .with("dfs.namenode.redundancy.interval.seconds", "1")
            .with("dfs.namenode.reconstruction.pending.timeout-sec", "3")
            .with("dfs.namenode.replication.max-streams", "50")
            .with("dfs.namenode.replication.max-streams-hard-limit", "100")
            // Only the next full report reveals a replica that missed an append.
            .with("dfs.blockreport.intervalMsec", "2000")
            .with("ipc.client.connect.max.retries", "3")
            .with("ipc.client.connect.retry.interval", "200");
    cluster = LocalCluster.create(config, runtime);
    cluster.start();
  }

  private Configuration configuration() {
    Configuration conf = new Configuration();
    conf.addResource(
        new org.apache.hadoop.fs.Path(cluster.conf().resolve("hdfs-site.xml").toUri()));
    return conf;
  }

  private DistributedFileSystem client() throws IOException {
    Configuration conf = configuration();
    // There is no fourth DataNode.
    conf.set("dfs.client.block.write.replace-datanode-on-failure.policy", "NEVER");
    conf.setInt("dfs.client.block.write.locateFollowingBlock.retries", 3);
    conf.setInt("dfs.client.retry.window.base", 100);
    return (DistributedFileSystem) FileSystem.newInstance(URI.create(cluster.uri()), conf);
  }

  @Test
  void everyAcknowledgedByteSurvives() throws Exception {
    for (int round = 1; round <= ROUNDS; round++) {
      try {
        round(round);
      } catch (Exception | AssertionError e) {
        throw new AssertionError("round " + round + " of " + ROUNDS + ": " + e, e);
      }
    }
    cluster.stop();
    for (DataNode dataNode : cluster.dataNodes()) {
      checkVolumes(dataNode, Collections.emptySet());
    }
    System.out.println(
        volumes
            + "; "
            + bytesRead
            + " bytes read from replicas; "
            + framesSent
            + " frames sent to other DataNodes; "
            + fsck.references()
            + " references and "
            + fsck.blocks()
            + " records compared; "
            + containersScrubbed
            + " containers scrubbed and "
            + chunksCollected
            + " chunks collected, "
            + differences
            + " stored as differences, as counted after each round; "
            + unclosable
            + " files that HDFS can't close after a truncation was cut off");
    assertThat(volumes.reduced()).isPositive();
    assertThat(framesSent).isPositive();
    assertThat(fsck.blocks()).isPositive();
    if (ALL_DEDUP) {
      assertThat(fsck.references()).isPositive();
      assertThat(containersScrubbed).isPositive();
      assertThat(chunksCollected).isPositive();
      // In a few rounds it may be switched off on all that were killed.
      assertThat(ROUNDS < 20 || differences > 0).isTrue();
    }
  }

  private void round(int round) throws Exception {
    Writer.Scene scene = new Writer.Scene();
    List<DistributedFileSystem> clients = new ArrayList<>();
    List<Future<Void>> work = new ArrayList<>();
    for (Writer writer : writers) {
      DistributedFileSystem client = client();
      clients.add(client);
      work.add(threads.submit(writer.in(client, scene)));
    }
    List<DataNode> victims = victims();
    Moment moment = Moment.values()[random.nextInt(Moment.values().length)];
    await(moment, victims, scene);
    for (DataNode victim : victims) {
      assertNoAlarm(victim);
    }
    scene.killing = true;
    Set<Long> truncating = new HashSet<>(scene.truncating);
    List<Future<Void>> kills = new ArrayList<>();
    for (DataNode victim : victims) {
      kills.add(
          threads.submit(
              () -> {
                victim.kill();
                return null;
              }));
    }
    for (Future<Void> kill : kills) {
      kill.get();
    }
    System.out.println("round " + round + ": killed " + victims.size() + " " + moment);
    truncating.addAll(scene.truncating);
    for (DataNode victim : victims) {
      checkVolumes(victim, truncating);
      for (long block : truncating) {
        cutOff.add(new CutOff(block, victim.dataAddress()));
      }
    }
    configureAndStart();
    Thread.sleep(random.nextInt(1000));
    scene.stopping = true;
    for (Future<Void> each : work) {
      each.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    }
    // A block that refers to a missing chunk is replaced once a client reads it.
    checkReferences();
    try (DistributedFileSystem checker = client()) {
      for (Writer writer : writers) {
        for (FileModel file : List.copyOf(writer.files())) {
          check(checker, writer, file, victims.size());
        }
      }
      Waiting.until(
          PATIENCE,
          () -> {
            long corrupt = checker.getCorruptBlocksCount();
            return checker.getMissingBlocksCount() == 0 && (corrupt == 0 || areMadeByHdfs(corrupt));
          },
          () -> "the NameNode counts missing or corrupt blocks");
    }
    // Checked again, as reading has opened the stores of chains that new blocks are not written
    // with.
    checkReferences();
    for (DataNode dataNode : cluster.dataNodes()) {
      framesSent += framesSent(dataNode);
      containersScrubbed += sum(dataNode, "DedupScrubContainers");
      chunksCollected += sum(dataNode, "DedupGcChunksDropped");
      differences += sum(dataNode, "DedupChunksAsDifferences");
      fsck.awaitRecords(dataNode, configuration(), PATIENCE, 0);
      assertNoAlarm(dataNode);
    }
    for (DistributedFileSystem client : clients) {
      // Closing streams that were left open fails, which takes its time.
      threads.execute(() -> closeQuietly(client));
    }
  }

  /**
   * Returns whether each replica that the NameNode considers corrupt is a short copy of HDFS's own,
   * one with an interrupted truncation, or one whose file HDFS deleted in place of an older one.
   */
  private boolean areMadeByHdfs(long corruptBlocks) throws IOException {
    Map<CorruptReplicas.Replica, Long> copied = new HashMap<>();
    Set<CorruptReplicas.Replica> deleted = new HashSet<>();
    for (DataNode dataNode : cluster.dataNodes()) {
      String log = Files.readString(dataNode.log());
      CorruptReplicas.copied(log)
          .forEach((replica, length) -> copied.merge(replica, length, Math::min));
      deleted.addAll(CorruptReplicas.deleted(log));
    }
    Map<CorruptReplicas.Replica, Long> corrupt = CorruptReplicas.of(cluster.uri(), configuration());
    return corrupt.keySet().stream().map(CorruptReplicas.Replica::block).distinct().count()
            == corruptBlocks
        && corrupt.entrySet().stream()
            .allMatch(
                each ->
                    copied.getOrDefault(each.getKey(), Long.MAX_VALUE) < each.getValue()
                        || deleted.contains(each.getKey())
                        || cutOff.contains(
                            new CutOff(each.getKey().blockId(), each.getKey().dataNode())));
  }

  private static void closeQuietly(DistributedFileSystem client) {
    try {
      client.close();
    } catch (IOException e) {
      // The streams' data was recovered and checked.
      return;
    }
  }

  private List<DataNode> victims() {
    List<DataNode> all = new ArrayList<>(cluster.dataNodes());
    Collections.shuffle(all, random);
    int count = new int[] {1, 1, 1, 2, 2, 3}[random.nextInt(6)];
    return all.subList(0, count);
  }

  private void await(Moment moment, List<DataNode> victims, Writer.Scene scene)
      throws InterruptedException {
    Thread.sleep(300 + random.nextInt(2000));
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(3);
    switch (moment) {
      case ANY_TIME -> {}
      case AFTER_A_CLOSE -> {
        long closes = scene.closes.get();
        while (scene.closes.get() == closes && System.nanoTime() < deadline) {
          Thread.onSpinWait();
        }
        Thread.sleep(random.nextInt(20));
      }
      case WHILE_A_BLOCK_IS_WRITTEN_ANEW -> {
        List<File> temporary = victims.stream().flatMap(CrashTest::temporaryDirectories).toList();
        while (temporary.stream().allMatch(CrashTest::isEmpty) && System.nanoTime() < deadline) {
          Thread.onSpinWait();
        }
      }
    }
  }

  private static java.util.stream.Stream<File> temporaryDirectories(DataNode dataNode) {
    return dataNode.volumes().stream()
        .map(volume -> volume.resolve("current").toFile().listFiles())
        .flatMap(java.util.Arrays::stream)
        .map(pool -> new File(pool, "hdrf/tmp"))
        .filter(File::isDirectory);
  }

  private static boolean isEmpty(File directory) {
    String[] names = directory.list();
    return names == null || names.length == 0;
  }

  private void checkVolumes(DataNode dataNode, Set<Long> truncating) throws IOException {
    for (Path volume : dataNode.volumes()) {
      volumes.check(volume, truncating);
    }
  }

  /** Returns the number of frames that it has sent to others since it was started. */
  private static long framesSent(DataNode dataNode) throws IOException {
    long sent = 0;
    for (String kind : List.of("Encoded", "Forwarded", "SentAsStored")) {
      sent += sum(dataNode, "MirrorFrames" + kind);
    }
    return sent;
  }

  private static long sum(DataNode dataNode, String counter) throws IOException {
    return dataNode.hdrfMetrics().stream().mapToLong(bean -> bean.path(counter).asLong()).sum();
  }

  private void checkReferences() throws IOException {
    for (DataNode dataNode : cluster.dataNodes()) {
      fsck.checkReferences(dataNode, configuration());
    }
  }

  private void assertNoAlarm(DataNode dataNode) throws IOException {
    long mismatches = 0;
    for (JsonNode bean : dataNode.hdrfMetrics()) {
      mismatches += bean.path(MISMATCHES).asLong(1);
      for (String alarm : ALARMS) {
        assertThat(bean.path(alarm).asLong(-1)).as(dataNode.name() + ": " + alarm).isZero();
      }
      for (String alarm : DEDUP_ALARMS) {
        assertThat(bean.path(alarm).asLong(ALL_DEDUP ? -1 : 0))
            .as(dataNode.name() + ": " + alarm)
            .isZero();
      }
    }
    if (mismatches > 0) {
      assertMismatchesAreMadeByHdfs(dataNode, mismatches);
    }
  }

  /**
   * Checks the cause of mismatches: stock code shortens a block's file before it updates the
   * checksums.
   */
  private void assertMismatchesAreMadeByHdfs(DataNode dataNode, long count) throws IOException {
    Matcher mismatch = MISMATCH.matcher(Files.readString(dataNode.log()));
    long told = 0;
    while (mismatch.find()) {
      told++;
      long block = Long.parseLong(mismatch.group(1));
      assertThat(cutOff)
          .as(dataNode.name() + ": " + mismatch.group())
          .contains(new CutOff(block, dataNode.dataAddress()));
    }
    assertThat(told)
        .as(dataNode.name() + " tells of what " + MISMATCHES + " counts")
        .isGreaterThanOrEqualTo(count);
  }

  private void check(DistributedFileSystem fs, Writer writer, FileModel file, int killed)
      throws Exception {
    if (!fs.exists(file.path())) {
      assertThat(file.isExistenceKnown()).as(file.path() + " exists").isFalse();
      writer.gone(file);
      return;
    }
    if (!file.isSettled() && !close(fs, file)) {
      // The NameNode lets no client read or write it any more.
      unclosable++;
      fs.delete(file.path(), false);
      writer.gone(file);
      return;
    }
    FileStatus status = fs.getFileStatus(file.path());
    assertThat((int) status.getLen())
        .as("length of " + file.path())
        .isBetween(file.acknowledged(killed), file.maximum());
    Replicas.check(() -> checkReplicas(fs, file));
    file.settle((int) status.getLen());
  }

  private void checkReplicas(DistributedFileSystem fs, FileModel file) throws IOException {
    for (LocatedBlock block : replicated(fs, file).getLocatedBlocks()) {
      for (DatanodeInfo location : block.getLocations()) {
        byte[] data;
        try {
          data = Replicas.read(fs, block, location);
        } catch (ChecksumException e) {
          if (!isMadeByHdfs(block.getBlock().getBlockId(), location)) {
            throw e;
          }
          continue;
        }
        bytesRead += data.length;
        String difference = file.difference((int) block.getStartOffset(), data);
        assertThat(difference)
            .as(file.path() + ", " + block.getBlock() + " on " + location)
            .isNull();
      }
    }
  }

  /**
   * Returns whether stock HDFS left a replica that does not match its checksums: it cuts a plain
   * block's file first, and writes its last checksum after that.
   */
  private boolean isMadeByHdfs(long block, DatanodeInfo location) throws IOException {
    if (!cutOff.contains(new CutOff(block, location.getXferAddr()))) {
      return false;
    }
    for (DataNode dataNode : cluster.dataNodes()) {
      if (dataNode.dataAddress().equals(location.getXferAddr())) {
        for (Path volume : dataNode.volumes()) {
          if (VolumeCheck.looksReduced(volume, block)) {
            return false;
          }
        }
      }
    }
    return true;
  }

  /**
   * Makes the NameNode close a file that was left open, or is being truncated.
   *
   * @return false if stock HDFS can't: a truncation was interrupted when some replicas had their
   *     new length and others had not, and their recovery refuses finalized replicas that differ
   */
  private boolean close(DistributedFileSystem fs, FileModel file) throws IOException {
    long[] next = {System.nanoTime()};
    boolean[] stuck = new boolean[1];
    Waiting.until(
        PATIENCE,
        () -> {
          if (System.nanoTime() < next[0]) {
            return fs.isFileClosed(file.path());
          }
          // A running recovery gets time: another request would restart it.
          next[0] = System.nanoTime() + TimeUnit.SECONDS.toNanos(5);
          stuck[0] = file.isTruncationCutOff() && isRefused(fs, file);
          return stuck[0] || fs.recoverLease(file.path());
        },
        () -> file.path() + " can't be closed");
    return !stuck[0];
  }

  private boolean isRefused(DistributedFileSystem fs, FileModel file) throws IOException {
    LocatedBlock last =
        fs.getClient()
            .getLocatedBlocks(file.path().toString(), 0, Long.MAX_VALUE)
            .getLastLocatedBlock();
    if (last == null) {
      return false;
    }
    String complaint =
        "Inconsistent size of finalized replicas. Replica " + last.getBlock().getBlockName() + "_";
    for (DataNode dataNode : cluster.dataNodes()) {
      if (Files.readString(dataNode.log()).contains(complaint)) {
        return true;
      }
    }
    return false;
  }

  /**
   * Waits until all replicas are there, or at least one where stock HDFS makes no more: with as
   * many DataNodes as replicas, a copy that a broken pipeline left too short blocks a new one
   * ("ReplicaAlreadyExistsException") until there are enough others.
   */
  private static LocatedBlocks replicated(DistributedFileSystem fs, FileModel file)
      throws IOException {
    LocatedBlocks[] blocks = new LocatedBlocks[1];
    long fewerWillDo = System.nanoTime() + FULL_REPLICATION.toNanos();
    Waiting.until(
        PATIENCE,
        () -> {
          int least = System.nanoTime() < fewerWillDo ? file.replication() : 1;
          blocks[0] = fs.getClient().getLocatedBlocks(file.path().toString(), 0, Long.MAX_VALUE);
          return blocks[0].getLocatedBlocks().stream()
              .allMatch(block -> !block.isCorrupt() && block.getLocations().length >= least);
        },
        () -> file.path() + " is not replicated: " + blocks[0]);
    return blocks[0];
  }
}
