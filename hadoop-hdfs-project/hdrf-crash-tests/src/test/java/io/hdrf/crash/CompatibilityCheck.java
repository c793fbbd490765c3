/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.crash;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.hdrf.admin.AdminClient;
import io.hdrf.admin.VolumeInfo;
import io.hdrf.cluster.ClusterConfig;
import io.hdrf.cluster.DataNode;
import io.hdrf.cluster.HadoopRuntime;
import io.hdrf.cluster.LocalCluster;
import io.hdrf.cluster.Waiting;
import io.hdrf.io.LiveFiles;
import io.hdrf.spi.scheme.TestSeed;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.FileUtil;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * DataNodes of an earlier build and of today's, side by side and on each other's volumes. Not in
 * the suite, since it needs that build: {@code bin/hdrf test --compatibility} makes it, and names
 * both by {@code -Dhdrf.compatibility.old} and {@code .new}, directories in the layout of {@code
 * bin/hdrf}.
 *
 * <p>Three DataNodes with three replicas of each block; in each phase some of them have another
 * build. A DataNode that is alone with its build receives from and sends to the other build only,
 * so that its counters show that direction. In each phase files are written, appended to and copied
 * again; every replica of every block is read from its DataNode and compared.
 */
class CompatibilityCheck {

  private static final int DATA_NODES = 3;
  private static final int BLOCK_SIZE = 1 << 20;
  private static final int FILES_A_PHASE = 8;
  private static final int POOL_SIZE = 6 << 20;

  /**
   * The most warnings that a DataNode may log in a phase: more than a cluster logs that loses its
   * members now and then.
   */
  private static final int MOST_WARNINGS = 60;

  private static final List<String> ALARMS =
      List.of(
          "CorruptBlocks",
          "SkippedVerificationFailed",
          "SkippedMismatch",
          "AdoptionsFailed",
          "DedupDamagedReads",
          "MirrorChunksWrong");

  private static final Pattern LINE =
      Pattern.compile("^[-\\d]+ [:,\\d]+ (WARN|ERROR|FATAL) ([^:]+: .*)$", Pattern.MULTILINE);

  private static final Pattern TOO_NEW =
      Pattern.compile("\\S+: format version \\d+ is too new; [^.\\n]*");

  /** Messages caused by this test, which stops DataNodes, and asks them before they can answer. */
  private static final Pattern OWN_DOING =
      Pattern.compile("datanode.DataNode: RECEIVED SIGNAL|jmx.JMXJsonServlet: getting attribute");

  private static final java.nio.file.Path DIRECTORY =
      java.nio.file.Path.of("target", "compatibility-cluster").toAbsolutePath();

  private enum Build {
    OLD,
    NEW
  }

  private final Map<Path, byte[]> files = new TreeMap<>();
  private final long[] logEnds = new long[DATA_NODES];
  private final Map<Build, HadoopRuntime> runtimes = new TreeMap<>();
  private final Build[] builds = new Build[DATA_NODES];
  private Random random;
  private byte[] pool;
  private LocalCluster cluster;
  private DistributedFileSystem client;
  private int replicasRead;

  @AfterEach
  void kill() throws IOException {
    if (client != null) {
      client.close();
    }
    LocalCluster.killLeftovers(DIRECTORY);
  }

  @ParameterizedTest
  @ValueSource(strings = {"lz4", "dedup,zstd"})
  void bothBuildsServeEachOthersBlocks(String chain) throws Exception {
    random = TestSeed.random("compatibility", chain);
    pool = new byte[POOL_SIZE];
    Data.fill(pool, true, random);
    runtimes.put(Build.OLD, runtime("hdrf.compatibility.old"));
    runtimes.put(Build.NEW, runtime("hdrf.compatibility.new"));
    prepare(chain);

    System.out.println("== " + chain);
    // The earlier build may refuse volumes of today's build.
    phase("all as they were", Build.OLD, Build.OLD, Build.OLD);
    phase("a new DataNode beside old ones", Build.OLD, Build.OLD, Build.NEW);
    // Containers of version 2 keep the earlier build from a volume that today's one wrote to.
    boolean goesBack = !chain.contains("dedup");
    if (goesBack) {
      phase("their volumes, the other way round", Build.NEW, Build.NEW, Build.OLD);
    } else {
      phase("two new DataNodes beside an old one", Build.OLD, Build.NEW, Build.NEW);
    }
    phase("all upgraded", Build.NEW, Build.NEW, Build.NEW);
    collect(chain);
    if (goesBack) {
      phase("all gone back", Build.OLD, Build.OLD, Build.OLD);
      phase("all upgraded again", Build.NEW, Build.NEW, Build.NEW);
      collect(chain);
    }
    goBackOnNewVolume();
    System.out.println(
        chain + ": " + replicasRead + " replicas read from their DataNodes and compared");
    cluster.stop();
  }

  private static HadoopRuntime runtime(String property) throws IOException {
    String dist = System.getProperty(property);
    assertThat(dist).as("-D" + property + "; see bin/hdrf test --compatibility").isNotNull();
    return HadoopRuntime.ofDist(java.nio.file.Path.of(dist));
  }

  private void prepare(String chain) throws IOException {
    LocalCluster.killLeftovers(DIRECTORY);
    FileUtil.fullyDelete(DIRECTORY.toFile());
    ClusterConfig config =
        ClusterConfig.in(DIRECTORY)
            .withDataNodes(DATA_NODES)
            .withSchemes(chain)
            .withHeaps("256m", "384m")
            .with("hdrf.reduce.delay", "200")
            .with("hdrf.reduce.scan.interval", "1")
            .with("hdrf.mirror.enabled", "true")
            .with("hdrf.dedup.container.size", "1m")
            .with("hdrf.dedup.dba.capacity", "1000")
            .with("hdrf.dedup.gc.interval", "0")
            .with("hdrf.dedup.gc.min.age", "0")
            .with("hdrf.dedup.gc.live.percent", "95")
            .with("dfs.blocksize", Integer.toString(BLOCK_SIZE))
            .with("dfs.heartbeat.interval", "1")
            .with("dfs.namenode.redundancy.interval.seconds", "1")
            .with("dfs.namenode.replication.max-streams", "50")
            .with("dfs.namenode.replication.max-streams-hard-limit", "100")
            .with("dfs.blockreport.intervalMsec", "2000");
    cluster = LocalCluster.create(config, runtimes.get(Build.NEW));
  }

  private void phase(String name, Build... next) throws Exception {
    boolean first = client == null;
    if (!first) {
      cluster.stopDataNodes();
    }
    for (int i = 0; i < DATA_NODES; i++) {
      DataNode dataNode = cluster.dataNodes().get(i);
      dataNode.runOn(runtimes.get(next[i]));
      builds[i] = next[i];
      if (!first) {
        dataNode.start();
      }
    }
    if (first) {
      cluster.start();
      client =
          (DistributedFileSystem)
              FileSystem.newInstance(URI.create(cluster.uri()), configuration());
    }
    cluster.awaitReady();
    awaitReplicas();
    readAll();
    write(name);
    awaitReplicas();
    cluster.awaitReduced(LocalCluster.PATIENCE, left -> {});
    copyAgain();
    cluster.awaitReduced(LocalCluster.PATIENCE, left -> {});
    readAll();
    System.out.println("-- " + name + ": " + Arrays.toString(next));
    assertTraffic();
    for (DataNode dataNode : cluster.dataNodes()) {
      assertSound(dataNode);
    }
  }

  /**
   * On a volume of today's build: the earlier one serves it, or refuses it by name and leaves it
   * unchanged.
   */
  private void goBackOnNewVolume() throws IOException {
    DataNode dataNode = cluster.dataNodes().get(0);
    dataNode.stop(LocalCluster.PATIENCE);
    FileUtil.fullyDelete(dataNode.volumes().get(0).toFile());
    dataNode.start();
    cluster.awaitReady();
    awaitReplicas();
    cluster.awaitReduced(LocalCluster.PATIENCE, left -> {});
    dataNode.stop(LocalCluster.PATIENCE);

    logEnds[0] = Files.size(dataNode.log());
    dataNode.runOn(runtimes.get(Build.OLD));
    dataNode.start();
    Waiting.until(
        LocalCluster.PATIENCE,
        () -> !dataNode.isAlive() || dataNode.isServing(),
        () -> "The earlier build neither serves today's volume nor ends; see " + dataNode.log());
    if (dataNode.isAlive()) {
      builds[0] = Build.OLD;
      cluster.awaitReady();
      awaitReplicas();
      readAll();
      System.out.println("-- a volume that today's build made: served by the earlier one");
      return;
    }
    String log = Files.readString(dataNode.log()).substring((int) logEnds[0]);
    Matcher refusal = TOO_NEW.matcher(log);
    assertThat(refusal.find()).as("a refusal in " + dataNode.log()).isTrue();
    System.out.println(
        "-- a volume that today's build made: refused by the earlier one, "
            + refusal.group().replace(DIRECTORY.toString(), ""));
    dataNode.runOn(runtimes.get(Build.NEW));
    dataNode.start();
    cluster.awaitReady();
    awaitReplicas();
    readAll();
    logEnds[0] = Files.size(dataNode.log());
    assertSound(dataNode);
  }

  private Configuration configuration() {
    Configuration conf = new Configuration();
    conf.addResource(new Path(cluster.conf().resolve("hdfs-site.xml").toUri()));
    conf.set("dfs.client.block.write.replace-datanode-on-failure.policy", "NEVER");
    return conf;
  }

  /** Returns data that is partly in other files too, and partly new. */
  private byte[] content() {
    byte[] data = new byte[BLOCK_SIZE / 2 + random.nextInt(2 * BLOCK_SIZE)];
    Data.fill(data, true, random);
    int length = data.length / 2;
    System.arraycopy(pool, random.nextInt(POOL_SIZE - length), data, random.nextInt(100), length);
    return data;
  }

  private void write(String phase) throws IOException {
    List<Path> earlier = new ArrayList<>(files.keySet());
    for (int i = 0; i < FILES_A_PHASE; i++) {
      Path path = new Path("/" + phase.replaceAll("[^a-z]", "-") + "/" + i);
      byte[] data = content();
      try (FSDataOutputStream out = client.create(path)) {
        int half = data.length / 2;
        out.write(data, 0, half);
        if (i % 4 == 0) {
          out.hflush();
        }
        out.write(data, half, data.length - half);
      }
      files.put(path, data);
    }
    // An append makes blocks plain that an earlier phase's DataNodes have reduced.
    for (int i = 0; i < earlier.size(); i += 5) {
      Path path = earlier.get(i);
      byte[] more = Arrays.copyOf(content(), 100_000);
      try (FSDataOutputStream out = client.append(path)) {
        out.write(more);
      }
      byte[] before = files.get(path);
      byte[] after = Arrays.copyOf(before, before.length + more.length);
      System.arraycopy(more, 0, after, before.length, more.length);
      files.put(path, after);
    }
  }

  /** Deletes a replica of each block, so that it is made again from the two others. */
  private void copyAgain() throws IOException {
    for (Path file : files.keySet()) {
      client.setReplication(file, (short) (DATA_NODES - 1));
    }
    await("replicas to go", DATA_NODES - 1);
    for (Path file : files.keySet()) {
      client.setReplication(file, (short) DATA_NODES);
    }
    awaitReplicas();
  }

  private void awaitReplicas() throws IOException {
    await("replicas", DATA_NODES);
  }

  private void await(String what, int replicas) throws IOException {
    Waiting.until(
        LocalCluster.PATIENCE,
        () -> {
          for (Path file : files.keySet()) {
            for (LocatedBlock block : blocks(file)) {
              if (block.getLocations().length != replicas) {
                return false;
              }
            }
          }
          return true;
        },
        () -> "waited in vain for " + what);
  }

  private List<LocatedBlock> blocks(Path file) throws IOException {
    return client
        .getClient()
        .getLocatedBlocks(file.toUri().getPath(), 0, Long.MAX_VALUE)
        .getLocatedBlocks();
  }

  private void readAll() throws IOException {
    for (Map.Entry<Path, byte[]> file : files.entrySet()) {
      byte[] data = file.getValue();
      long length = 0;
      for (LocatedBlock block : blocks(file.getKey())) {
        int begin = (int) block.getStartOffset();
        int end = begin + (int) block.getBlockSize();
        length = end;
        for (DatanodeInfo location : block.getLocations()) {
          assertThat(
                  Arrays.equals(
                      Replicas.read(client, block, location), 0, end - begin, data, begin, end))
              .as(file.getKey() + ", " + block.getBlock() + " on " + location)
              .isTrue();
          replicasRead++;
        }
      }
      assertThat(length).as(file.getKey().toString()).isEqualTo(data.length);
    }
  }

  private static Map<String, Long> counters(DataNode dataNode) throws IOException {
    Map<String, Long> counters = new TreeMap<>();
    for (JsonNode bean : dataNode.hdrfMetrics()) {
      bean.fields()
          .forEachRemaining(
              field -> {
                if (field.getValue().isIntegralNumber()) {
                  counters.merge(field.getKey(), field.getValue().asLong(), Long::sum);
                }
              });
    }
    return counters;
  }

  /**
   * Checks that blocks travel between the builds as frames, both ways; reports the bytes, and what
   * did not.
   */
  private void assertTraffic() throws IOException {
    for (DataNode dataNode : cluster.dataNodes()) {
      Map<String, Long> counters = counters(dataNode);
      Build build = builds[dataNode.index()];
      boolean alone = Arrays.stream(builds).filter(other -> other == build).count() == 1;
      Map<String, Long> fallbacks = new TreeMap<>(counters);
      fallbacks
          .entrySet()
          .removeIf(each -> each.getValue() == 0 || !each.getKey().startsWith("MirrorFallback"));
      System.out.println(
          String.format(
              "%s (%s%s): as frames, sent %,d bytes for %,d (%,d frames, %,d chunks by reference),"
                  + " received %,d for %,d; adopted %,d blocks; not as frames: %s",
              dataNode.name(),
              build,
              alone ? ", the other two are of the other build" : "",
              counters.get("MirrorBytesWireSent"),
              counters.get("MirrorBytesPlainSent"),
              counters.get("MirrorFramesEncoded")
                  + counters.get("MirrorFramesForwarded")
                  + counters.get("MirrorFramesSentAsStored"),
              counters.get("MirrorChunksByReference"),
              counters.get("MirrorBytesWireReceived"),
              counters.get("MirrorBytesPlainReceived"),
              counters.get("BlocksAdopted"),
              fallbacks));
      assertThat(counters.get("MirrorBytesWireSent")).as(dataNode.name() + " sent").isPositive();
      assertThat(counters.get("MirrorBytesWireReceived"))
          .as(dataNode.name() + " received")
          .isPositive();
      for (String alarm : ALARMS) {
        assertThat(counters.getOrDefault(alarm, 0L)).as(dataNode.name() + " " + alarm).isZero();
      }
    }
  }

  /** Checks the administrators' view of a DataNode, its volume, and its log. */
  private void assertSound(DataNode dataNode) throws IOException {
    Build build = builds[dataNode.index()];
    if (build == Build.NEW) {
      Fsck fsck = new Fsck();
      fsck.checkReferences(dataNode, configuration());
      fsck.awaitRecords(dataNode, configuration(), LocalCluster.PATIENCE, 1);
      System.out.println(
          dataNode.name()
              + ": fsck healthy, "
              + fsck.blocks()
              + " blocks, "
              + fsck.references()
              + " references");
    } else {
      askOld(dataNode);
    }
    assertThat(LiveFiles.below(dataNode.volumes().get(0)))
        .as(dataNode.name() + ": what was quarantined or set aside")
        .noneMatch(path -> path.getFileName().toString().matches("quarantine.*|.*damaged.*"));
    assertLog(dataNode);
  }

  /**
   * Checks that a DataNode of an earlier version reports what it does not know, and does nothing
   * else.
   */
  private void askOld(DataNode dataNode) throws IOException {
    try (AdminClient admin = AdminClient.connect(dataNode.ipcAddress(), configuration())) {
      List<VolumeInfo> volumes = admin.volumes();
      assertThat(volumes).isNotEmpty();
      try {
        admin.check(volumes.get(0), false);
      } catch (IOException e) {
        assertThat(e).hasMessageContaining("This version of HDRF knows no call");
        System.out.println(dataNode.name() + ": today's hdrf fsck is told: " + e.getMessage());
      }
    }
  }

  /** Checks that there are few warnings, and no error of HDRF's; prints them. */
  private void assertLog(DataNode dataNode) throws IOException {
    byte[] log = Files.readAllBytes(dataNode.log());
    int index = dataNode.index();
    String fresh =
        new String(
            log, (int) logEnds[index], log.length - (int) logEnds[index], StandardCharsets.UTF_8);
    logEnds[index] = log.length;
    Map<String, Integer> messages = new TreeMap<>();
    Matcher line = LINE.matcher(fresh);
    int lines = 0;
    while (line.find()) {
      if (!OWN_DOING.matcher(line.group(2)).lookingAt()) {
        String message = line.group(2).replace(DIRECTORY.toString(), "").replaceAll("[\\d.]+", "#");
        messages.merge(line.group(1) + " " + message, 1, Integer::sum);
        lines++;
      }
    }
    messages.forEach((message, count) -> System.out.println("   " + count + " x " + message));
    assertThat(lines).as("warnings of " + dataNode.name()).isLessThan(MOST_WARNINGS);
    assertThat(messages.keySet())
        .as("errors of " + dataNode.name())
        .noneMatch(message -> message.matches("(ERROR|FATAL) .*([Hh]drf|HDRF).*"));
  }

  /** Deletes some files, and reclaims what they alone referred to. */
  private void collect(String chain) throws IOException {
    List<Path> all = new ArrayList<>(files.keySet());
    for (int i = 0; i < all.size(); i += 3) {
      client.delete(all.get(i), false);
      files.remove(all.get(i));
    }
    awaitDeleted();
    for (DataNode dataNode : cluster.dataNodes()) {
      try (AdminClient admin = AdminClient.connect(dataNode.ipcAddress(), configuration())) {
        List<VolumeInfo> stores = admin.schemeStores();
        assertThat(stores.isEmpty()).isEqualTo(!chain.contains("dedup"));
        for (VolumeInfo store : stores) {
          // The first call drops chunks, the second those that the first found unneeded.
          String result =
              String.join(", ", admin.reclaim(store))
                  + "; "
                  + String.join(", ", admin.reclaim(store));
          System.out.println(dataNode.name() + ": collected; " + result.replace('\t', ' '));
          assertThat(result)
              .containsPattern("bytesFreed\t[1-9]")
              .doesNotContainPattern("containersFailed\t[1-9]");
        }
      }
    }
    readAll();
    for (DataNode dataNode : cluster.dataNodes()) {
      assertSound(dataNode);
    }
  }

  private void awaitDeleted() throws IOException {
    int blocks = 0;
    for (Path file : files.keySet()) {
      blocks += blocks(file).size();
    }
    int left = blocks;
    for (DataNode dataNode : cluster.dataNodes()) {
      Waiting.until(
          LocalCluster.PATIENCE,
          () -> blockFiles(dataNode) == left,
          () -> dataNode.name() + " has other blocks than those of " + left);
    }
  }

  private static long blockFiles(DataNode dataNode) throws IOException {
    return LiveFiles.below(dataNode.volumes().get(0)).stream()
        .filter(path -> path.getFileName().toString().matches("blk_\\d+"))
        .count();
  }
}
