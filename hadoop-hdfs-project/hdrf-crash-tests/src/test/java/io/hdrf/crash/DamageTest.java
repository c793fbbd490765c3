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
import io.hdrf.scheme.SchemeRegistry;
import io.hdrf.spi.scheme.TestSeed;
import java.io.IOException;
import java.io.OutputStream;
import java.io.RandomAccessFile;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BiPredicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.FileUtil;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Damages what {@code dedup} keeps on DataNode processes, while they run and while they are down:
 * first on one of three, then on all three in different places. A scrub finds it, a collection
 * heals what it can, HDFS replaces the other replicas; each replica of each block reads its bytes
 * in the end, and no sound one was reported.
 *
 * <p>What a DataNode can heal with is there twice: a file's copy lies on its other volume. Which
 * replicas are damaged is found out beforehand, with the same damage in a copy of the volume. A
 * fourth DataNode is empty at first: HDFS does not replace a corrupt replica where it lies.
 *
 * <p>{@code -Dhdrf.damage.all=true} adds what the suite leaves out, for {@code docs/results.md}.
 */
class DamageTest {

  private enum Kind {
    /** One bit of a group of chunks. */
    BIT,
    /** 4 KiB of groups of chunks. */
    SECTOR,
    /** 64 bytes of a container's directory. */
    DIRECTORY,
    /** All bytes of a container; while the DataNode is down the file goes. */
    CONTAINER,
    /** A bit of a block's own file. */
    RECIPE
  }

  /** What there is of the damaged chunks on the DataNode. */
  private enum Elsewhere {
    /** All of them. */
    ALL,
    /** None of some. */
    NOT_ALL,
    /** Whatever chance brings. */
    ANY
  }

  private static final boolean ALL = Boolean.getBoolean("hdrf.damage.all");

  private static final int VICTIMS = 3;
  private static final int VOLUMES = 2;
  private static final int BLOCK_SIZE = 1 << 20;

  /** Files of which there is a copy. */
  private static final int TWINS = 8;

  private static final int SINGLES = 8;
  private static final int SECTOR_SIZE = 4096;
  private static final int HEADER_LENGTH = 64;
  private static final int FOOTER_LENGTH = 96;
  private static final int DIRECTORY_POSITION = 48;
  private static final int DIRECTORY_LENGTH = 56;
  private static final int ATTEMPTS = 200;
  private static final Duration PATIENCE = LocalCluster.PATIENCE;

  private static final String HEALED = "DedupHealChunks";
  private static final String HEALED_BYTES = "DedupHealBytes";
  private static final String LEFT = "DedupHealChunksLeft";
  private static final String FOUND = "DedupScrubContainersDamaged";

  private static final Pattern REPORTED =
      Pattern.compile("reportBadBlocks for block: \\S+:blk_(\\d+)_\\d+ on datanode: (\\S+)");

  /** A block on a DataNode. */
  private record Replica(long block, int dataNode) implements Comparable<Replica> {
    @Override
    public int compareTo(Replica other) {
      return block == other.block
          ? Integer.compare(dataNode, other.dataNode)
          : Long.compare(block, other.block);
    }
  }

  /**
   * Bytes that take the place of others.
   *
   * @param bytes empty: the file goes
   */
  private record Spot(int dataNode, Path volume, Path file, long position, byte[] bytes) {
    void damage(Path where) throws IOException {
      if (bytes.length == 0) {
        Files.delete(where);
        return;
      }
      try (RandomAccessFile open = new RandomAccessFile(where.toFile(), "rw")) {
        open.seek(position);
        open.write(bytes);
      }
    }
  }

  private final Path directory = Path.of(System.getProperty("hdrf.damage.directory"));
  private final Path plugins = Path.of(System.getProperty("hdrf.test.plugins"));
  private Random random;
  private LocalCluster cluster;
  private VolumeCheck check;
  private DistributedFileSystem fs;

  /** What the file has, by the path of each. */
  private final Map<String, byte[]> contents = new HashMap<>();

  /** Which content a block has. */
  private final Map<Long, byte[]> blocks = new HashMap<>();

  /** Containers of which chunks were damaged. */
  private final Set<Path> damagedBefore = new HashSet<>();

  /** All that were damaged in this test. */
  private final Set<Replica> everDamaged = new TreeSet<>();

  @BeforeEach
  void clear() throws IOException {
    random = TestSeed.random("damage");
    LocalCluster.killLeftovers(directory);
    FileUtil.fullyDelete(directory.toFile());
    check = new VolumeCheck(SchemeRegistry.load(plugins));
  }

  @AfterEach
  void kill() throws IOException {
    if (fs != null) {
      fs.close();
    }
    LocalCluster.killLeftovers(directory);
  }

  private ClusterConfig config(boolean heal) {
    return ClusterConfig.in(directory.resolve("cluster"))
        .withDataNodes(VICTIMS + 1)
        .withVolumes(VOLUMES)
        .withReplication(VICTIMS)
        .withSchemes("dedup,zstd")
        .withHeaps("256m", "256m")
        .with("hdrf.reduce.scan.interval", "1")
        .with("hdrf.dedup.chunk.size", "2k")
        .with("hdrf.dedup.group.size", "64k")
        .with("hdrf.dedup.container.size", "512k")
        // The indexes are small; by chance a chunk and all its neighbours might have no entry.
        .with("hdrf.dedup.index.sample", "8")
        .with("hdrf.dedup.cap.containers", "0")
        .with("hdrf.dedup.scrub.rate", "1g")
        .with("hdrf.dedup.scrub.interval", "1")
        // Collections run on command.
        .with("hdrf.dedup.gc.interval", "100000")
        .with("hdrf.dedup.gc.rate", "0")
        .with("hdrf.dedup.heal", Boolean.toString(heal))
        .with("dfs.blocksize", Integer.toString(BLOCK_SIZE))
        .with("dfs.heartbeat.interval", "1")
        .with("dfs.namenode.redundancy.interval.seconds", "1")
        .with("dfs.namenode.reconstruction.pending.timeout-sec", "3")
        .with("dfs.namenode.replication.max-streams", "50")
        .with("dfs.namenode.replication.max-streams-hard-limit", "100")
        .with("dfs.blockreport.intervalMsec", "5000");
  }

  /** Three DataNodes have all blocks, in sealed containers; the fourth has none. */
  private void start(boolean heal) throws IOException {
    HadoopRuntime runtime = HadoopRuntime.ofThisJvm(Optional.of(plugins));
    ClusterConfig config = config(heal);
    String reserved = "dfs.datanode.du.reserved";
    cluster =
        LocalCluster.create(
            config.withDataNodeProperty(VICTIMS, reserved, Long.toString(1L << 60)), runtime);
    cluster.start();
    Configuration conf = new Configuration();
    conf.addResource(
        new org.apache.hadoop.fs.Path(cluster.conf().resolve("hdfs-site.xml").toUri()));
    fs = (DistributedFileSystem) FileSystem.newInstance(URI.create(cluster.uri()), conf);
    for (int i = 0; i < TWINS + SINGLES; i++) {
      byte[] content = new byte[BLOCK_SIZE];
      Data.fill(content, true, random);
      write("/file-" + i, content);
      if (i < TWINS) {
        // One after the other: HDFS takes volumes in turns.
        write("/copy-" + i, content);
      }
    }
    cluster.awaitReduced(PATIENCE, pending -> {});
    cluster.stopDataNodes();
    cluster = LocalCluster.create(config, runtime);
    cluster.start();
    awaitReplicated();
    assertEachReplicaReads();
  }

  private void write(String name, byte[] content) throws IOException {
    org.apache.hadoop.fs.Path path = new org.apache.hadoop.fs.Path(name);
    try (OutputStream out = fs.create(path)) {
      out.write(content);
    }
    contents.put(name, content);
    blocks.put(located(name).getBlock().getBlockId(), content);
  }

  private LocatedBlock located(String name) throws IOException {
    return fs.getClient().getLocatedBlocks(name, 0, BLOCK_SIZE).get(0);
  }

  private void awaitReplicated() throws IOException {
    Waiting.until(
        PATIENCE,
        () ->
            fs.getCorruptBlocksCount() == 0
                && fs.getLowRedundancyBlocksCount() == 0
                && isComplete(),
        () -> "not all replicas are replaced: " + state());
    cluster.awaitReduced(PATIENCE, pending -> {});
  }

  private boolean isComplete() throws IOException {
    for (String name : contents.keySet()) {
      if (located(name).getLocations().length != VICTIMS) {
        return false;
      }
    }
    return fs.getMissingBlocksCount() == 0;
  }

  private void assertEachReplicaReads() throws IOException {
    for (Map.Entry<String, byte[]> file : contents.entrySet()) {
      LocatedBlock block = located(file.getKey());
      assertThat(block.getLocations()).hasSize(VICTIMS);
      for (DatanodeInfo location : block.getLocations()) {
        assertThat(Arrays.equals(Replicas.read(fs, block, location), file.getValue()))
            .as(file.getKey() + " on " + location)
            .isTrue();
      }
    }
  }

  @Test
  void itIsHealedAtHomeOrReplaced() throws Exception {
    start(true);
    for (Kind kind : Kind.values()) {
      if (ALL) {
        run(List.of(kind), 1, Elsewhere.ALL, false);
      }
      if (kind == Kind.SECTOR || (kind == Kind.BIT && ALL)) {
        run(List.of(kind), 1, Elsewhere.NOT_ALL, false);
      }
      run(List.of(kind), VICTIMS, Elsewhere.ALL, false);
    }
    if (ALL) {
      run(List.of(Kind.BIT, Kind.SECTOR, Kind.DIRECTORY), 1, Elsewhere.ALL, true);
      run(List.of(Kind.CONTAINER, Kind.RECIPE), 1, Elsewhere.ANY, true);
    }
    run(List.of(Kind.values()), VICTIMS, Elsewhere.ANY, true);
    finish();
  }

  @Test
  void itIsReplacedWhereHealingIsOff() throws Exception {
    start(false);
    for (List<Kind> kinds :
        ALL
            ? Arrays.stream(Kind.values()).map(List::of).toList()
            : List.of(List.of(Kind.BIT, Kind.SECTOR), List.of(Kind.CONTAINER, Kind.RECIPE))) {
      run(kinds, VICTIMS, Elsewhere.ALL, false);
    }
    finish();
  }

  private void finish() throws IOException {
    assertThat(everDamaged).as("what was reported").containsAll(reported(0));
    cluster.stop();
    assertThat(damagedNow()).isEmpty();
  }

  private Set<Replica> damagedNow() throws IOException {
    Set<Replica> damaged = new TreeSet<>();
    for (DataNode dataNode : cluster.dataNodes()) {
      for (Path volume : dataNode.volumes()) {
        for (long block : check.damaged(volume)) {
          damaged.add(new Replica(block, dataNode.index()));
        }
      }
    }
    return damaged;
  }

  /**
   * @param victims how many of the DataNodes
   * @param elsewhere counts for the kinds that can be healed at all
   * @param down whether the DataNodes are down meanwhile
   */
  private void run(List<Kind> kinds, int victims, Elsewhere elsewhere, boolean down)
      throws Exception {
    String what =
        kinds
            + " on "
            + victims
            + (elsewhere == Elsewhere.NOT_ALL ? ", not to be had elsewhere" : "")
            + (down ? ", while they are down" : "");
    if (down) {
      // Those that were made since are sealed.
      cluster.stopDataNodes();
    }
    Set<Replica> damaged = new TreeSet<>();
    List<Spot> spots = choose(kinds, victims, elsewhere, down, damaged);
    everDamaged.addAll(damaged);
    long logged = Files.size(cluster.nameNode().log());
    List<Map<String, Long>> figures = down ? List.of() : figures();
    long moved = down ? 0 : bytesWritten();
    Map<Path, byte[]> files = new HashMap<>();
    for (Spot spot : spots) {
      spot.damage(spot.file());
      if (Files.exists(spot.file())) {
        files.put(spot.file(), Files.readAllBytes(spot.file()));
      }
    }
    if (down) {
      cluster.start();
      figures = Collections.nCopies(VICTIMS + 1, Map.of());
    }
    boolean scrubbed =
        kinds.stream().anyMatch(kind -> kind != Kind.RECIPE && !(kind == Kind.CONTAINER && down));
    for (int i : dataNodes(spots)) {
      if (scrubbed) {
        long known = figures.get(i).getOrDefault(FOUND, 0L);
        Waiting.until(
            PATIENCE,
            () -> figures(i).get(FOUND) > known,
            () -> what + ": no scrub finds it on DataNode " + i);
      }
    }
    sleepForScrubs();
    for (int i : dataNodes(spots)) {
      collect(i);
    }
    boolean heals = cluster.config().site().get("hdrf.dedup.heal").equals("true");
    boolean mayHeal = heals && elsewhere == Elsewhere.ALL && isHealable(kinds);
    if (!mayHeal && elsewhere != Elsewhere.ANY) {
      Waiting.until(
          PATIENCE,
          () -> {
            // What is scrubbed after one collection is reported by the next.
            for (int i : dataNodes(spots)) {
              collect(i);
            }
            return reported(logged).containsAll(damaged);
          },
          () -> what + ": of " + damaged + " only those are reported: " + reportedQuietly(logged));
    }
    if (down) {
      collectUntilQuiet();
    }
    awaitReplicated();
    Set<Replica> reported = reported(logged);
    long healed = 0;
    long healedBytes = 0;
    for (int i : dataNodes(spots)) {
      Map<String, Long> now = figures(i);
      healed += now.get(HEALED) - figures.get(i).getOrDefault(HEALED, 0L);
      healedBytes += now.get(HEALED_BYTES) - figures.get(i).getOrDefault(HEALED_BYTES, 0L);
    }
    awaitFigures();
    System.out.printf(
        "%s: %d replicas damaged; %d chunks, %d bytes healed at home; %d replicas replaced, %d"
            + " bytes written by DataNodes%n",
        what, damaged.size(), healed, healedBytes, reported.size(), bytesWritten() - moved);
    assertThat(damaged).as(what + ": what is reported").containsAll(reported);
    if (mayHeal) {
      assertThat(reported).as(what + ": it is healed at home").isEmpty();
      if (!kinds.contains(Kind.DIRECTORY)) {
        assertThat(healed).as(what + ": healed chunks").isPositive();
      }
    } else if (elsewhere != Elsewhere.ANY) {
      assertThat(healed).as(what + ": healed chunks").isZero();
    }
    if (!heals && isHealable(kinds) && !kinds.contains(Kind.DIRECTORY)) {
      for (Map.Entry<Path, byte[]> file : files.entrySet()) {
        assertThat(file.getKey()).as(what).hasBinaryContent(file.getValue());
      }
    }
    if (kinds.equals(List.of(Kind.DIRECTORY))) {
      // What else is damaged in a container would go with its groups.
      files.keySet().removeAll(damagedBefore);
      Waiting.until(
          PATIENCE,
          () -> isReplaced(files),
          () -> what + ": a directory is not made again: " + files.keySet());
    } else {
      damagedBefore.addAll(files.keySet());
    }
    assertEachReplicaReads();
  }

  private static boolean isReplaced(Map<Path, byte[]> files) throws IOException {
    for (Map.Entry<Path, byte[]> file : files.entrySet()) {
      if (Arrays.equals(Files.readAllBytes(file.getKey()), file.getValue())) {
        return false;
      }
    }
    return true;
  }

  /** Kinds of damage of which each chunk can be named. */
  private static boolean isHealable(List<Kind> kinds) {
    return !kinds.contains(Kind.CONTAINER) && !kinds.contains(Kind.RECIPE);
  }

  private static Set<Integer> dataNodes(List<Spot> spots) {
    Set<Integer> all = new TreeSet<>();
    spots.forEach(spot -> all.add(spot.dataNode()));
    return all;
  }

  /** Chooses places until no block loses more than one replica. */
  private List<Spot> choose(
      List<Kind> kinds, int victims, Elsewhere elsewhere, boolean down, Set<Replica> damaged)
      throws IOException {
    List<Integer> dataNodes = new ArrayList<>(List.of(0, 1, 2));
    Collections.shuffle(dataNodes, random);
    List<Spot> spots = new ArrayList<>();
    List<Kind> inOrder = new ArrayList<>(kinds);
    // Those that need the most blocks first.
    inOrder.sort(Comparator.comparing(kind -> kind != Kind.CONTAINER));
    for (Kind kind : inOrder) {
      for (int dataNode : dataNodes.subList(0, victims)) {
        spots.add(choose(kind, dataNode, elsewhere, down, spots, damaged));
      }
    }
    return spots;
  }

  private Spot choose(
      Kind kind,
      int dataNode,
      Elsewhere elsewhere,
      boolean down,
      List<Spot> others,
      Set<Replica> damaged)
      throws IOException {
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
      Path volume = cluster.dataNodes().get(dataNode).volumes().get(random.nextInt(VOLUMES));
      Spot spot = spot(kind, dataNode, volume, down);
      if (spot == null || others.stream().anyMatch(other -> other.file().equals(spot.file()))) {
        continue;
      }
      Set<Replica> all = new TreeSet<>(damaged);
      Set<Long> here = damagedBy(spot);
      here.forEach(block -> all.add(new Replica(block, dataNode)));
      boolean needsBlocks = kind != Kind.DIRECTORY;
      if (here.isEmpty() == needsBlocks || !areOfDifferentBlocks(all)) {
        continue;
      }
      if (isHealable(List.of(kind)) && elsewhere != Elsewhere.ANY && needsBlocks) {
        Set<Long> beside = onOtherVolume(dataNode, volume);
        boolean allThere = here.stream().allMatch(block -> hasTwin(block, beside));
        boolean noneThere = here.stream().noneMatch(block -> hasTwin(block, beside));
        if (elsewhere == Elsewhere.ALL ? !allThere : !noneThere) {
          continue;
        }
      }
      damaged.addAll(all);
      return spot;
    }
    throw new AssertionError("no place for " + kind + " on DataNode " + dataNode);
  }

  /** HDFS replaces one replica of a block: there is but one more DataNode. */
  private boolean areOfDifferentBlocks(Set<Replica> damaged) {
    Map<Long, Integer> count = new HashMap<>();
    damaged.forEach(replica -> count.merge(replica.block(), 1, Integer::sum));
    return count.values().stream().allMatch(replicas -> replicas == 1);
  }

  private Set<Long> onOtherVolume(int dataNode, Path volume) throws IOException {
    Set<Long> beside = new HashSet<>();
    for (Path other : cluster.dataNodes().get(dataNode).volumes()) {
      if (!other.equals(volume)) {
        beside.addAll(VolumeCheck.blocks(other));
      }
    }
    return beside;
  }

  private boolean hasTwin(long block, Set<Long> beside) {
    BiPredicate<Long, Long> same = (one, other) -> blocks.get(one) == blocks.get(other);
    return beside.stream().anyMatch(other -> same.test(block, other));
  }

  private Spot spot(Kind kind, int dataNode, Path volume, boolean down) throws IOException {
    if (kind == Kind.RECIPE) {
      Path file = any(volume, "blk_\\d+");
      // Behind the header, where table and recipe lie.
      return file == null || !VolumeCheck.looksReduced(volume, VolumeCheck.idOf(file))
          ? null
          : flip(dataNode, volume, file, 80 + random.nextInt(100));
    }
    Path file = any(volume, "[0-9a-f]{12}\\.hdc");
    if (file == null) {
      return null;
    }
    byte[] bytes = Files.readAllBytes(file);
    ByteBuffer footer =
        ByteBuffer.wrap(bytes, bytes.length - FOOTER_LENGTH, FOOTER_LENGTH)
            .slice()
            .order(ByteOrder.LITTLE_ENDIAN);
    int end = (int) footer.getLong(DIRECTORY_POSITION);
    int length = footer.getInt(DIRECTORY_LENGTH);
    if (end < HEADER_LENGTH + 2 * SECTOR_SIZE || end > bytes.length) {
      return null;
    }
    byte[] noise;
    switch (kind) {
      case BIT:
        return flip(dataNode, volume, file, HEADER_LENGTH + random.nextInt(end - HEADER_LENGTH));
      case SECTOR:
        int sector = random.nextInt((end - SECTOR_SIZE) / SECTOR_SIZE) + 1;
        noise = new byte[Math.min(SECTOR_SIZE, end - sector * SECTOR_SIZE)];
        random.nextBytes(noise);
        return new Spot(dataNode, volume, file, (long) sector * SECTOR_SIZE, noise);
      case DIRECTORY:
        noise = new byte[64];
        random.nextBytes(noise);
        return new Spot(dataNode, volume, file, end + random.nextInt(length - noise.length), noise);
      default:
        return new Spot(dataNode, volume, file, 0, new byte[down ? 0 : bytes.length]);
    }
  }

  private Spot flip(int dataNode, Path volume, Path file, int position) throws IOException {
    try (RandomAccessFile open = new RandomAccessFile(file.toFile(), "r")) {
      open.seek(position);
      byte[] flipped = {(byte) (open.read() ^ 1 << random.nextInt(8))};
      return new Spot(dataNode, volume, file, position, flipped);
    }
  }

  private Path any(Path volume, String name) throws IOException {
    List<Path> all =
        LiveFiles.below(volume.resolve("current")).stream()
            .filter(file -> file.getFileName().toString().matches(name))
            .sorted()
            .toList();
    return all.isEmpty() ? null : all.get(random.nextInt(all.size()));
  }

  /** Returns the blocks of a volume that can't be read any more. */
  private Set<Long> damagedBy(Spot spot) throws IOException {
    Path copy = directory.resolve("copy");
    FileUtil.fullyDelete(copy.toFile());
    LiveFiles.copy(spot.volume(), copy);
    spot.damage(copy.resolve(spot.volume().relativize(spot.file())));
    return check.damaged(copy);
  }

  private void collect(int dataNode) throws IOException {
    try (AdminClient client = client(dataNode)) {
      for (VolumeInfo store : client.schemeStores()) {
        try {
          client.reclaim(store);
        } catch (IOException e) {
          assertThat(e).hasMessageContaining("can't be read");
        }
      }
    }
  }

  /** A recipe that can't be read keeps a volume from being collected until it is replaced. */
  private void collectUntilQuiet() throws IOException {
    Waiting.until(
        PATIENCE,
        () -> {
          boolean quiet = true;
          for (DataNode dataNode : cluster.dataNodes()) {
            collect(dataNode.index());
            Map<String, Long> now = figures(dataNode.index());
            quiet &= now.getOrDefault("DedupGcBlocksUnreadable", 0L) == 0;
            quiet &= now.getOrDefault(LEFT, 0L) == 0;
          }
          return quiet;
        },
        () -> "damage stays: " + state());
  }

  private String state() {
    StringBuilder state = new StringBuilder();
    try {
      for (DataNode dataNode : cluster.dataNodes()) {
        Map<String, Long> now = figures(dataNode.index());
        now.keySet().removeIf(name -> !name.matches("Dedup(Gc|Heal|Scrub).*"));
        state.append(dataNode.name()).append(": ").append(now).append('\n');
      }
      return state + "corrupt: " + CorruptReplicas.of(cluster.uri(), fs.getConf());
    } catch (IOException e) {
      return state.toString() + e;
    }
  }

  private AdminClient client(int dataNode) throws IOException {
    return AdminClient.connect(cluster.dataNodes().get(dataNode).ipcAddress(), fs.getConf());
  }

  private Map<String, Long> figures(int dataNode) throws IOException {
    try (AdminClient client = client(dataNode)) {
      return client.metrics();
    }
  }

  private List<Map<String, Long>> figures() throws IOException {
    List<Map<String, Long>> all = new ArrayList<>();
    for (DataNode dataNode : cluster.dataNodes()) {
      all.add(figures(dataNode.index()));
    }
    return all;
  }

  /** Returns how many bytes DataNodes have received since they were started, by HDFS's counter. */
  private long bytesWritten() throws IOException {
    long sum = 0;
    for (DataNode dataNode : cluster.dataNodes()) {
      for (JsonNode bean :
          dataNode.jmx().query("Hadoop:service=DataNode,name=DataNodeActivity-*")) {
        sum += bean.path("BytesWritten").asLong();
      }
    }
    return sum;
  }

  private Set<Replica> reported(long from) throws IOException {
    String log = Files.readString(cluster.nameNode().log()).substring((int) from);
    Map<String, Integer> addresses = new HashMap<>();
    for (DataNode dataNode : cluster.dataNodes()) {
      addresses.put(dataNode.dataAddress(), dataNode.index());
    }
    Set<Replica> reported = new TreeSet<>();
    Matcher matcher = REPORTED.matcher(log);
    while (matcher.find()) {
      reported.add(new Replica(Long.parseLong(matcher.group(1)), addresses.get(matcher.group(2))));
    }
    return reported;
  }

  private String reportedQuietly(long from) {
    try {
      return reported(from).toString();
    } catch (IOException e) {
      return e.toString();
    }
  }

  /** A cycle more: the one that found the first damage may be before the second. */
  private static void sleepForScrubs() {
    sleep(Duration.ofSeconds(2));
  }

  private static void awaitFigures() {
    sleep(LocalCluster.METRICS_PERIOD.multipliedBy(2));
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
