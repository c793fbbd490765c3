/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup;

import io.hdrf.block.BlockRef;
import io.hdrf.codec.dedup.container.CheckedContainer;
import io.hdrf.codec.dedup.container.ContainerStore;
import io.hdrf.codec.dedup.container.format.ContainerDirectory;
import io.hdrf.codec.dedup.container.format.ContainerFooter;
import io.hdrf.conf.HdrfConf;
import io.hdrf.io.CrashException;
import io.hdrf.io.CrashableFiles;
import io.hdrf.io.FaultyFiles;
import io.hdrf.io.PowerLoss;
import io.hdrf.io.StepScheduler;
import io.hdrf.reduce.BlockOwner;
import io.hdrf.reduce.BlockSkippedException;
import io.hdrf.reduce.EncodedBlock;
import io.hdrf.reduce.PlainBlock;
import io.hdrf.reduce.Reducer;
import io.hdrf.reduce.ReducerCounters;
import io.hdrf.reduce.SkipReason;
import io.hdrf.sample.DeflateScheme;
import io.hdrf.sample.MapStoreProvider;
import io.hdrf.scheme.SchemeChain;
import io.hdrf.scheme.SchemeRegistry;
import io.hdrf.spi.PluginSettings;
import io.hdrf.spi.io.ChannelFile;
import io.hdrf.spi.io.DiskErrors;
import io.hdrf.spi.io.DurableFiles;
import io.hdrf.spi.memory.MemoryBudget;
import io.hdrf.spi.scheme.ChunkFunction;
import io.hdrf.spi.store.MetadataStore;
import io.hdrf.spi.store.StoreContext;
import java.io.Closeable;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.RandomAccessFile;
import java.io.StringWriter;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.apache.hadoop.conf.Configuration;

/**
 * One life of a DataNode with two volumes and two block pools. Threads write similar blocks, reduce
 * and adopt them, append, truncate, inflate, move, delete and collect, until the power fails; then
 * everything is opened again from what may be left, every block that was in place must read its
 * bytes, a new one must be reduced, and a collection must finish; and this repeats for a few
 * rounds.
 *
 * <p>On the way one or more file operations fail: no space, errors of reads and writes, short
 * writes, unreadable sectors, or an {@link OutOfMemoryError}, which other calls throw, too. Short
 * reads are normal.
 *
 * <p>Like stock HDFS, this may lose a plain block that was not synced.
 *
 * <p>The seed determines everything: what is done, what fails, when the power fails, what survives,
 * and which thread runs from one file operation to the next, including the threads of the Reducer
 * and of the indexes. {@link StepScheduler} describes the remaining chance.
 */
final class PowerMachine {

  /** Optional hazards of a life. */
  enum Hazard {
    /** The disk is full when the DataNode starts, until it has read all blocks. */
    FULL_AT_START,
    /** Also, bits of containers have rotted that can be restored from the others. */
    DAMAGED_DIRECTORIES,
    /** The block's owner throws an OutOfMemoryError when the Reducer calls it. */
    NO_MEMORY_IN_OWNER,
    /**
     * Bits of containers have rotted, each at one place at most. Containers are scrubbed, and what
     * the pool's other volume has is healed.
     */
    DAMAGED_CHUNKS,
    /** There is no more memory than is needed at the least. */
    LITTLE_MEMORY
  }

  /** Counts of what happened in all lives. */
  static final class Happened {
    int crashes;
    int blocksRead;
    int blocksReduced;
    long faults;
    long changes;
    final Map<String, Integer> counts = new TreeMap<>();

    void count(String what) {
      counts.merge(what, 1, Integer::sum);
    }
  }

  private static final int ROUNDS = 4;
  private static final int WORKERS = 4;
  private static final int TASKS = 14;
  private static final long MAX_CALLS = 60_000;

  /** Of reads after the last fault, before the power fails. */
  private static final String HEALED = "in the same process";

  /** In long turns a block is reduced completely while others stand still half-way. */
  private static final int[] TURNS = {3, 30, 200, 200};

  private static final int EMPTY_CONTAINER = 200;
  private static final String THREADS_PREFIX = "hdrf-";
  private static final String[] POOLS = {"BP-1", "BP-2"};

  private static final AtomicInteger LIVES = new AtomicInteger();

  /** Closing a Reducer takes a fifth of a second, so it happens in the background. */
  private static final ExecutorService CLOSER =
      Executors.newCachedThreadPool(
          task -> {
            Thread thread = new Thread(task, "closer");
            thread.setDaemon(true);
            return thread;
          });

  private static final class Block {
    final long id;
    final PoolOnVolume place;
    final ReentrantLock lock;
    volatile byte[] data;

    /** Whether the plain file is durable. */
    volatile boolean synced;

    /** Whether the checksums are durable; inflating the block does not make them so. */
    volatile boolean sumsSynced;

    volatile boolean deleted;
    final AtomicInteger version = new AtomicInteger();

    /** The number of files that have replaced the block's first one. */
    final AtomicInteger files = new AtomicInteger();

    volatile EncodedBlock received;

    Block(long id, PoolOnVolume place, byte[] data, boolean synced) {
      this(id, place, data, synced, new ReentrantLock());
    }

    /** Has the lock of the block before its move. */
    Block(long id, PoolOnVolume place, byte[] data, boolean synced, ReentrantLock lock) {
      this.id = id;
      this.lock = lock;
      this.place = place;
      this.data = data;
      this.synced = synced;
      this.sumsSynced = synced;
    }

    @Override
    public String toString() {
      return "block " + id + " of " + data.length + " bytes on " + place;
    }
  }

  private final long seed;
  private final Set<Hazard> hazards;

  /** The percentage of blocks written to the first pool on a volume. */
  private final int hotPercent;

  private final Random random;
  private final Path scratch;
  private final Happened happened;
  private final SchemeRegistry registry;
  private final Configuration configuration = new Configuration(false);
  private final Map<Long, Block> blocks = new ConcurrentSkipListMap<>();
  private final AtomicInteger nextId = new AtomicInteger(1);
  private final AtomicReference<String> failure = new AtomicReference<>();
  private final Map<String, MetadataStore> stores = new LinkedHashMap<>();

  /** Containers whose directory or footer was damaged. */
  private final Set<String> rotten = new TreeSet<>();

  /** Chunks whose group was damaged, by container; each container is damaged once. */
  private final Map<String, BitSet> hit = new TreeMap<>();

  /** Decides about damage, so that the rest is as it was without. */
  private final Random rot;

  private final MemoryBudget memory;

  /** Chunks of blocks by their fingerprints, and the data that was cut into them. */
  private final Map<ByteBuffer, byte[]> chunks = new ConcurrentHashMap<>();

  private final IdentityHashMap<byte[], byte[]> cut = new IdentityHashMap<>();

  private final List<String> story = new ArrayList<>();

  private List<PoolOnVolume> places = new ArrayList<>();
  private StepScheduler scheduler;
  private CrashableFiles disk;
  private FaultyFiles files;
  private Reducer reducer;
  private ReducerCounters counters;
  private final AtomicInteger inReduction = new AtomicInteger();

  /** Threads that must not end before the DataNode does. */
  private final List<Thread> keepers = new ArrayList<>();

  /**
   * @param hazards leaves everything else that depends on the seed unchanged
   * @param scratch an existing directory
   * @param happened is added to
   */
  PowerMachine(long seed, Set<Hazard> hazards, Path scratch, Happened happened) throws IOException {
    this.seed = seed;
    this.hazards = hazards;
    this.random = new Random(seed);
    this.scratch = scratch;
    this.happened = happened;
    this.registry = SchemeRegistry.of(List.of(new DedupScheme(), new DeflateScheme()));
    rot = new Random(~seed);
    memory =
        hazards.contains(Hazard.LITTLE_MEMORY) && rot.nextBoolean()
            ? new MemoryBudget(1)
            : MemoryBudget.unlimited();
    hotPercent = random.nextBoolean() ? 0 : 80;
    configuration.set("hdrf.dedup.chunk.size", "1k");
    configuration.set("hdrf.dedup.container.size", random.nextBoolean() ? "64k" : "512k");
    configuration.set("hdrf.dedup.group.size", random.nextBoolean() ? "4k" : "16k");
    configuration.set("hdrf.dedup.frame.size", "16k");
    configuration.set("hdrf.dedup.index", random.nextBoolean() ? "dba" : "cuckoo");
    configuration.set("hdrf.dedup.delta", random.nextBoolean() ? "on" : "off");
    configuration.set("hdrf.dedup.delta.memory", "64k");
    configuration.set("hdrf.dedup.index.sample", "2");
    configuration.set("hdrf.dedup.cache.memory", "64k");
    configuration.set("hdrf.dedup.dba.capacity", "64");
    configuration.set("hdrf.dedup.dba.filters", "8");
    configuration.set("hdrf.dedup.gc.interval", "0");
    configuration.set("hdrf.dedup.gc.min.age", "0");
    configuration.set("hdrf.dedup.gc.rate", "0");
    configuration.set("hdrf.dedup.gc.live.percent", random.nextBoolean() ? "75" : "100");
    configuration.set("hdrf.dedup.scrub.rate", "0");
    configuration.set("hdrf.reduce.threads", "2");
    configuration.set("hdrf.reduce.delay", "0");
    configuration.set("hdrf.reduce.nice", "0");
    configuration.set("hdrf.reduce.min.block.size", "1k");
  }

  /** Lives. */
  void run() throws Exception {
    Path root = Files.createTempDirectory(scratch, "life");
    try {
      for (int round = 0; round < ROUNDS; round++) {
        root = round(round, root);
      }
      PowerLoss.delete(root);
    } catch (AssertionError e) {
      StringBuilder text = new StringBuilder();
      synchronized (story) {
        story.forEach(line -> text.append("\n  ").append(line));
      }
      throw new AssertionError(
          "seed " + seed + ": " + e.getMessage() + "\nwhat came before:" + text, e);
    } finally {
      for (MetadataStore store : stores.values()) {
        store.clear();
      }
    }
  }

  private void tell(String line) {
    synchronized (story) {
      story.add(line);
    }
  }

  /** One time under power; returns the directory that remains. */
  private Path round(int round, Path root) throws Exception {
    tell("round " + round);
    reducer = null;
    places = new ArrayList<>();
    scheduler =
        new StepScheduler(
            new Random(random.nextLong()), TURNS[random.nextInt(TURNS.length)], THREADS_PREFIX);
    disk = new CrashableFiles(root);
    files = new FaultyFiles(disk, scheduler, new Random(random.nextLong()));
    files.limit(MAX_CALLS);
    AtomicReference<Throwable> ended = new AtomicReference<>();
    scheduler.add(
        "datanode",
        () -> {
          try {
            live(round, root);
          } catch (Throwable e) {
            ended.set(e);
          }
        });
    scheduler.run();
    Throwable end = ended.get();
    check();
    if (end instanceof CrashException) {
      tell("the power failed");
    } else if (end != null) {
      throw end instanceof AssertionError
          ? (AssertionError) end
          : new AssertionError(text(end), end);
    }
    files.crash(1, CrashableFiles.Moment.BEFORE);
    close();
    if (memory != MemoryBudget.unlimited() && memory.limit() != 1) {
      throw new AssertionError("memory is still reserved: " + memory.usedByUser());
    }
    files.closeAll();
    happened.crashes++;
    happened.faults += files.faults();
    happened.changes += files.changes();
    Path left = Files.createTempDirectory(scratch, "life");
    int kind = random.nextInt(8);
    disk.crashedState(left, kind < 4 ? kind : random.nextLong());
    PowerLoss.delete(root);
    if (random.nextInt(4) == 0) {
      tell("the metadata stores are lost");
      for (MetadataStore store : stores.values()) {
        store.clear();
      }
    }
    return left;
  }

  /** The life of a DataNode from its start to the power loss. */
  private void live(int round, Path root) throws Exception {
    CrashableFiles.Moment moment =
        CrashableFiles.Moment.values()[random.nextInt(CrashableFiles.Moment.values().length)];
    if (round > 0 && random.nextInt(6) == 0) {
      files.crash(1 + random.nextInt(25), moment);
      tell("power fails at the start");
    } else if (round > 0) {
      disturbStart(root);
    }
    if (round > 0 && rot.nextInt(3) == 0) {
      rot(root);
    }
    open(root);
    readAll("after the power loss");
    files.heal();
    files.mend();
    dropWhatIsNotThere();
    if (round > 0) {
      work("after the power loss");
    }
    if (rot.nextInt(3) > 0) {
      rot(root);
    }
    int calls = 100 + random.nextInt(1500);
    if (random.nextInt(5) < 3) {
      FaultyFiles.Fault fault =
          FaultyFiles.Fault.values()[random.nextInt(FaultyFiles.Fault.values().length)];
      int count = random.nextBoolean() ? 1 : 1 + random.nextInt(200);
      int from = random.nextInt(calls);
      files.fail(fault, from, count);
      tell(fault + " for " + count + " calls from " + from + " on");
    }
    int end = random.nextInt(8);
    if (end < 4) {
      int replacement = 1 + random.nextInt(12);
      int between = random.nextInt(6);
      files.crashAfterReplacement(replacement, between, moment);
      tell(
          "power fails "
              + moment
              + " a change, after replacement "
              + replacement
              + " and "
              + between
              + " changes");
    } else if (end < 6) {
      int change = 1 + random.nextInt(300);
      files.crash(change, moment);
      tell("power fails " + moment + " change " + change);
    }
    runWorkers();
    check();
    // Whatever failed, the DataNode needs no restart.
    files.heal();
    files.call();
    awaitReducer();
    checkKeepers();
    readAll(HEALED);
    work(HEALED);
    if (random.nextInt(2) == 0) {
      collectInSpiteOfFaults();
    }
  }

  private void check() {
    String found = failure.get();
    if (found == null && files.overrun() != null) {
      found = files.overrun();
    }
    if (found != null) {
      throw new AssertionError(found);
    }
  }

  /** A full disk, and rotten bits that can be restored. */
  private void disturbStart(Path root) throws IOException {
    boolean fill = random.nextInt(3) == 0;
    boolean damage = random.nextBoolean();
    if (!fill || !hazards.contains(Hazard.FULL_AT_START)) {
      return;
    }
    files.fill();
    tell("the disk is full at the start");
    happened.count("starts on a full disk");
    if (damage && hazards.contains(Hazard.DAMAGED_DIRECTORIES)) {
      int damaged = 0;
      for (Path file : sealedFiles(root)) {
        if (random.nextInt(4) == 0 && !hit.containsKey(root.relativize(file).toString())) {
          try (RandomAccessFile bytes = new RandomAccessFile(file.toFile(), "rw")) {
            long at = bytes.length() - 1 - random.nextInt(100);
            bytes.seek(at);
            int old = bytes.read();
            bytes.seek(at);
            bytes.write(old ^ (1 << random.nextInt(8)));
          }
          disk.importDurable(file);
          rotten.add(root.relativize(file).toString());
          damaged++;
        }
      }
      tell(damaged + " directories of containers are damaged");
      happened.counts.merge("damaged directories", damaged, Integer::sum);
    }
  }

  /** Some containers lose a bit somewhere. */
  private void rot(Path root) throws IOException {
    if (!hazards.contains(Hazard.DAMAGED_CHUNKS)) {
      return;
    }
    for (Path file : sealedFiles(root)) {
      String name = root.relativize(file).toString();
      if (rot.nextInt(3) > 0 || rotten.contains(name) || hit.containsKey(name)) {
        continue;
      }
      BitSet numbers = new BitSet();
      try (RandomAccessFile bytes = new RandomAccessFile(file.toFile(), "rw")) {
        long at = (long) (rot.nextDouble() * bytes.length());
        try (ChannelFile opened = ChannelFile.open(file)) {
          ContainerDirectory content =
              ContainerFooter.read(file, opened).readDirectory(file, opened);
          for (int group = 0; group < content.groupCount(); group++) {
            if (at >= content.groupPosition(group) && at < content.groupEnd(group)) {
              for (int i = content.firstChunk(group); i < content.endChunk(group); i++) {
                numbers.set(content.number(i));
              }
            }
          }
        }
        bytes.seek(at);
        int old = bytes.read();
        bytes.seek(at);
        bytes.write(old ^ (1 << rot.nextInt(8)));
        tell(name + " rots at " + at + " of " + bytes.length() + ", chunks " + numbers);
      }
      disk.importDurable(file);
      hit.put(name, numbers);
      rotten.add(name);
      happened.count(numbers.isEmpty() ? "damage beside chunks" : "damaged groups");
    }
  }

  /** Returns whether a block refers to chunks that may be damaged. */
  private boolean mayBeHurt(Block block) {
    if (hit.isEmpty() || !block.place.deduplicates()) {
      return false;
    }
    try {
      boolean[] hurt = new boolean[1];
      block.place.references(
          block.id,
          (container, first, count) -> {
            BitSet numbers = hit.get(block.place.containerName(container));
            int next = numbers == null ? -1 : numbers.nextSetBit(first);
            hurt[0] |= next >= 0 && next - first < count;
          });
      return hurt[0];
    } catch (IOException e) {
      return true;
    }
  }

  /** Reads all containers of a place, as the scrub does, and repairs what can be. */
  private void scrub(PoolOnVolume place) throws IOException {
    ContainerStore containers = ((DedupCodec) place.dedup()).containers;
    for (long id = containers.next(-1); id >= 0; id = containers.next(id)) {
      CheckedContainer checked = containers.check(id, bytes -> {});
      if (checked != null && !checked.isSound()) {
        happened.count("scrub: damaged");
        if (files.faults() == 0 && !rotten.contains(place.containerName(id))) {
          fail(place + ": the scrub finds damage in " + containers.file(id), null);
        }
        if (checked.isHeaderDamaged()) {
          containers.mendHeaders(id);
        }
      }
    }
    containers.mend(System.nanoTime(), bytes -> {});
  }

  private static List<Path> sealedFiles(Path root) throws IOException {
    try (var found = Files.walk(root)) {
      return found.filter(path -> path.toString().endsWith(".hdc")).sorted().toList();
    }
  }

  private void open(Path root) throws Exception {
    keepers.clear();
    counters = new ReducerCounters();
    for (int volume = 0; volume < 2; volume++) {
      for (String pool : POOLS) {
        String name = "v" + volume + "/" + pool;
        String chain = "dedup";
        if (volume == 1 && pool.equals("BP-2")) {
          chain = "deflate";
        } else if (pool.equals("BP-2")) {
          chain = "dedup,deflate";
        }
        PoolOnVolume place =
            new PoolOnVolume(
                root.resolve("v" + volume).resolve(pool),
                pool,
                volume + 1,
                files,
                disk,
                store(name),
                registry,
                configuration,
                chain,
                memory,
                this::suspected,
                this::findElsewhere);
        places.add(place);
        place.open();
        if (place.deduplicates()) {
          keep(place.keeperName());
        }
      }
    }
    if (blocks.size() > 0) {
      // Blocks are known by their places, which are new.
      Map<Long, Block> moved = new TreeMap<>();
      for (Block block : blocks.values()) {
        PoolOnVolume place =
            places.stream()
                .filter(p -> p.toString().equals(block.place.toString()))
                .findFirst()
                .orElseThrow();
        Block same = new Block(block.id, place, block.data, block.synced);
        same.deleted = block.deleted;
        same.sumsSynced = block.sumsSynced;
        moved.put(block.id, same);
      }
      blocks.clear();
      blocks.putAll(moved);
    }
    reducer =
        new Reducer(
            "machine" + LIVES.incrementAndGet(),
            new HdrfConf(configuration),
            new Owner(),
            (DurableFiles) files,
            counters,
            () -> {});
    keep("hdrf-reducer-machine" + LIVES.get() + "-0");
    keep("hdrf-reducer-machine" + LIVES.get() + "-1");
  }

  private void keep(String name) {
    ThreadGroup group = Thread.currentThread().getThreadGroup();
    while (group.getParent() != null) {
      group = group.getParent();
    }
    Thread[] all = new Thread[group.activeCount() + 100];
    int count = group.enumerate(all);
    for (int i = 0; i < count; i++) {
      if (all[i].getName().equals(name)) {
        all[i].setUncaughtExceptionHandler(
            (thread, e) -> {
              if (!(e instanceof CrashException)) {
                tell(thread.getName() + " ended: " + text(e));
              }
            });
        keepers.add(all[i]);
        scheduler.addBackground(all[i]);
        return;
      }
    }
    throw new AssertionError("there is no thread " + name);
  }

  private MetadataStore store(String name) throws IOException {
    MetadataStore map =
        new MapStoreProvider()
            .open(
                new StoreContext(
                    new PluginSettings(configuration, "metadata.map"),
                    scratch,
                    "power-" + seed,
                    name));
    stores.put(name, map);
    FaultyFiles used = files;
    return (MetadataStore)
        Proxy.newProxyInstance(
            MetadataStore.class.getClassLoader(),
            new Class<?>[] {MetadataStore.class},
            (proxy, method, arguments) -> {
              if (!method.getName().equals("durability")) {
                used.call();
              }
              try {
                return method.invoke(map, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  private void close() {
    if (reducer != null) {
      reducer.dropWaiting();
      happened.blocksReduced += (int) counters.blocksReduced();
    }
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    while (inReduction.get() > 0) {
      if (System.nanoTime() > deadline) {
        throw new AssertionError("a reduction does not end when the power is off");
      }
      Thread.yield();
    }
    if (reducer != null) {
      CLOSER.execute(reducer::close);
    }
    for (PoolOnVolume place : places) {
      try {
        place.close();
      } catch (IOException | CrashException e) {
        happened.count("closed without power");
      }
    }
  }

  /** Looks on the pool's other volume, which here has most chunks that blocks have. */
  private void findElsewhere(
      PoolOnVolume place, byte[] names, int[] ends, int count, BitSet found, ByteBuffer dst)
      throws IOException {
    for (PoolOnVolume other : places) {
      if (other != place && other.poolId().equals(place.poolId()) && other.deduplicates()) {
        other.dedup().newChunkLookup().find(names, ends, count, found, dst);
      }
    }
    for (Block block : blocks.values()) {
      chunksOf(block.data);
    }
    for (int i = 0; i < count; i++) {
      byte[] name = Arrays.copyOfRange(names, i * 32, i * 32 + 32);
      byte[] chunk = name[0] % 4 == 0 ? null : chunks.get(ByteBuffer.wrap(name));
      if (!found.get(i) && chunk != null) {
        ByteBuffer room = dst.duplicate();
        room.position(dst.position() + (i == 0 ? 0 : ends[i - 1]));
        room.put(chunk);
        found.set(i);
      }
    }
  }

  private synchronized void chunksOf(byte[] data) throws IOException {
    if (data.length == 0 || cut.put(data, data) != null) {
      return;
    }
    ChunkFunction function =
        new DedupScheme().chunkFunction(new PluginSettings(configuration, "dedup"));
    ByteBuffer bytes = ByteBuffer.allocateDirect(data.length).put(data);
    bytes.flip();
    int[] ends = new int[1];
    byte[] name = new byte[32];
    while (bytes.hasRemaining() && function.cut(bytes, true, ends) > 0) {
      function.fingerprints(bytes, ends, 1, name);
      byte[] chunk = new byte[ends[0]];
      bytes.get(chunk);
      chunks.put(ByteBuffer.wrap(name.clone()), chunk);
    }
  }

  /** A collection wants a block examined. */
  private void suspected(PoolOnVolume place, long id) {
    happened.count("blocks suspected");
    Block block = blocks.get(id);
    // Unreadable sectors are forgotten after a while.
    if (block != null
        && block.place == place
        && !block.deleted
        && files.faults() == 0
        && !mayBeHurt(block)) {
      fail(block + " is to be examined without any damage", null);
    }
  }

  private final class Owner implements BlockOwner {

    @Override
    public PlainBlock open(BlockRef ref) throws IOException {
      files.call();
      Block block = blocks.get(ref.blockId());
      if (block == null || block.deleted) {
        throw new BlockSkippedException(SkipReason.CHANGED, "it is gone");
      }
      int version = block.version.get();
      int file = block.files.get();
      byte[] data = block.data;
      EncodedBlock received = block.received;
      block.received = null;
      inReduction.incrementAndGet();
      return block.place.plainBlock(
          ref,
          new PoolOnVolume.Replica() {
            @Override
            public Closeable lock() {
              block.lock.lock();
              return block.lock::unlock;
            }

            @Override
            public boolean isUnchanged() {
              return block.version.get() == version && block.files.get() == file && !block.deleted;
            }

            @Override
            public void replaced() {
              block.files.incrementAndGet();
            }

            @Override
            public long length() {
              return data.length;
            }

            @Override
            public EncodedBlock encoded() {
              return received;
            }

            @Override
            public void closed() {
              try {
                if (received != null) {
                  received.close();
                }
              } catch (IOException e) {
                happenedInWork("closing what was received", e);
              } finally {
                inReduction.decrementAndGet();
              }
            }

            @Override
            public void mismatch() {
              fail("a plain block is said not to match its checksums: " + block, null);
            }
          });
    }

    @Override
    public SchemeChain chainOf(BlockRef ref) {
      Block block = blocks.get(ref.blockId());
      if (hazards.contains(Hazard.NO_MEMORY_IN_OWNER)) {
        files.call();
      }
      return block == null ? places.get(0).codec().chain() : block.place.codec().chain();
    }

    @Override
    public void onIoError(BlockRef block, IOException error) {
      happenedInWork("reducing " + block, error);
    }
  }

  private void fail(String what, Throwable cause) {
    failure.compareAndSet(null, what + (cause == null ? "" : ": " + text(cause)));
  }

  private static String text(Throwable cause) {
    StringWriter text = new StringWriter();
    cause.printStackTrace(new PrintWriter(text));
    return text.toString();
  }

  /** An exception is right if some call failed. */
  private void happenedInWork(String what, Throwable cause) {
    if (files.faults() == 0
        && (hit.isEmpty() || what.startsWith("collect") || what.startsWith("write"))) {
      fail(what + " failed though nothing was wrong", cause);
    } else {
      happened.count("failed: " + what.replaceAll(" .*", ""));
    }
  }

  private void runWorkers() throws InterruptedException {
    List<Thread> workers = new ArrayList<>();
    for (int i = 0; i < WORKERS; i++) {
      Random own = new Random(random.nextLong());
      Runnable work =
          () -> {
            try {
              for (int task = 0; task < TASKS && failure.get() == null; task++) {
                doSomething(own);
              }
            } catch (CrashException e) {
              // The end of this process.
              return;
            } catch (Throwable e) {
              fail("a worker ended", e);
            }
          };
      workers.add(scheduler.add("worker" + i, work));
    }
    for (Thread worker : workers) {
      worker.join();
    }
  }

  private void doSomething(Random own) {
    int what = own.nextInt(100);
    String name = "";
    try {
      if (what < 30 || blocks.size() < 4) {
        name = "write";
        write(own);
      } else if (what < 48) {
        name = "reduce";
        Block block = any(own);
        if (own.nextBoolean()) {
          reducer.offer(new BlockRef(block.place.poolId(), block.id));
        } else {
          reduceNow(block);
        }
      } else if (what < 62) {
        name = "read";
        read(any(own), "while others work");
      } else if (what < 86) {
        name = change(any(own), own);
      } else if (what < 94) {
        name = "collect";
        PoolOnVolume place = places.get(own.nextInt(places.size()));
        if (place.deduplicates()) {
          place.dedup().reclaim(line -> {});
        }
      } else if (rot.nextInt(3) == 0 && !hit.isEmpty()) {
        name = "scrub";
        memory.balance();
        PoolOnVolume place = places.get(own.nextInt(places.size()));
        if (place.deduplicates()) {
          scrub(place);
        }
      } else {
        name = "check";
        PoolOnVolume place = places.get(own.nextInt(places.size()));
        if (place.deduplicates()) {
          place.dedup().check(line -> {});
        }
      }
    } catch (IOException | OutOfMemoryError e) {
      happenedInWork(name.isEmpty() ? "change" : name, e);
    }
    happened.count(name.isEmpty() ? "nothing to change" : name);
  }

  private Block any(Random own) {
    List<Block> all = new ArrayList<>(blocks.values());
    // Other threads work on the youngest ones.
    return own.nextBoolean()
        ? all.get(own.nextInt(all.size()))
        : all.get(Math.max(0, all.size() - 1 - own.nextInt(5)));
  }

  /**
   * Blocks written at about the same time share data that are new to all of them; some data are
   * old.
   */
  private byte[] newData(Random own) {
    int count = 3 + own.nextInt(12);
    int newest = nextId.get();
    int first = Math.max(0, newest - own.nextInt(6));
    List<byte[]> pieces = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      byte[] text = text(own.nextInt(4) == 0 ? own.nextInt(newest + 8) : first + i);
      if (own.nextInt(8) == 0) {
        own.nextBytes(text);
      }
      pieces.add(text);
    }
    return concat(pieces);
  }

  private byte[] text(int number) {
    Random letters = new Random(seed ^ (number * 0x9E3779B97F4A7C15L));
    byte[] text = new byte[2000 + letters.nextInt(6000)];
    for (int i = 0; i < text.length; i++) {
      text[i] = (byte) ('a' + letters.nextInt(20));
    }
    return text;
  }

  private static byte[] concat(List<byte[]> pieces) {
    byte[] all = new byte[pieces.stream().mapToInt(piece -> piece.length).sum()];
    int at = 0;
    for (byte[] piece : pieces) {
      System.arraycopy(piece, 0, all, at, piece.length);
      at += piece.length;
    }
    return all;
  }

  private void write(Random own) throws IOException {
    PoolOnVolume place =
        own.nextInt(100) < hotPercent ? places.get(1) : places.get(own.nextInt(places.size()));
    byte[] data = newData(own);
    Block block = new Block(nextId.getAndIncrement(), place, data, own.nextInt(3) > 0);
    if (!place.deduplicates() && own.nextBoolean()) {
      if (own.nextBoolean()) {
        // Too long for memory.
        List<byte[]> pieces = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
          pieces.add(newData(own));
        }
        block.data = concat(pieces);
      }
      block.received = place.receive(block.id, block.data);
      happened.count("receive");
    }
    files.call();
    place.write(block.id, block.data, block.synced);
    blocks.put(block.id, block);
    if (own.nextInt(4) > 0) {
      reduceNow(block);
    }
  }

  private void reduceNow(Block block) {
    SkipReason reason = reducer.reduceNow(new BlockRef(block.place.poolId(), block.id));
    if (reason == SkipReason.VERIFICATION_FAILED) {
      fail(block + " is not given back as it was", null);
    }
    // What is not known yet to be damaged is found in the verification.
    if (reason == SkipReason.FAILED && files.faults() == 0 && hit.isEmpty()) {
      fail("reducing " + block + " failed though nothing was wrong", null);
    }
    happened.count("reduced: " + (reason == null ? "yes" : reason.name()));
    if (reason == null
        && block.place.deduplicates()
        && block.place.dedup().metrics().get("chunksAsDifferences") > 0) {
      happened.count("reduced beside differences");
    }
  }

  private void read(Block block, String when) throws IOException {
    int version = block.version.get();
    byte[] data = block.data;
    byte[] read;
    try {
      read = block.place.read(block.id);
    } catch (IOException e) {
      if (block.version.get() != version || block.deleted) {
        return;
      }
      if (mayBeHurt(block)) {
        happened.count("reads of damaged blocks");
        return;
      }
      throw e;
    }
    if (block.version.get() == version && !block.deleted && !Arrays.equals(read, data)) {
      fail(block + " reads other bytes " + when, null);
    }
    happened.blocksRead++;
  }

  /** Changes a block as stock HDFS does, if nobody else is about to; returns how. */
  private String change(Block block, Random own) throws IOException {
    int what = own.nextInt(10);
    if (!block.lock.tryLock()) {
      return "";
    }
    try {
      if (block.deleted) {
        return "";
      }
      PoolOnVolume place = block.place;
      if (what < 3) {
        block.version.incrementAndGet();
        block.deleted = true;
        place.delete(block.id);
        return "delete";
      }
      if (what < 5) {
        return move(block);
      }
      if (place.inflate(block.id)) {
        block.files.incrementAndGet();
        block.synced = true;
      }
      if (what < 7) {
        files.call();
        byte[] longer = concat(List.of(block.data, newData(own)));
        replace(block, longer, own.nextBoolean());
        return "append";
      }
      if (what < 9) {
        files.call();
        int length = 1 + own.nextInt(block.data.length);
        replace(block, Arrays.copyOf(block.data, length), own.nextBoolean());
        return "truncate";
      }
      block.version.incrementAndGet();
      return "inflate";
    } finally {
      block.lock.unlock();
    }
  }

  private void replace(Block block, byte[] data, boolean synced) throws IOException {
    block.version.incrementAndGet();
    block.place.write(block.id, data, synced);
    block.data = data;
    block.synced = synced;
    block.sumsSynced = synced;
  }

  private String move(Block block) throws IOException {
    PoolOnVolume target =
        places.stream()
            .filter(p -> p != block.place && p.poolId().equals(block.place.poolId()))
            .findFirst()
            .orElseThrow();
    block.place.copyTo(target, block.id, block.data);
    Block moved = new Block(block.id, target, block.data, true, block.lock);
    block.version.incrementAndGet();
    block.deleted = true;
    blocks.put(block.id, moved);
    block.place.delete(block.id);
    return "move";
  }

  /**
   * Waits until a block can be read. A container that was loaded while the disk failed is loaded
   * again some seconds later.
   */
  private void readInTime(Block block) throws IOException {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    files.limit(Long.MAX_VALUE);
    while (true) {
      try {
        block.place.read(block.id);
        files.limit(MAX_CALLS);
        return;
      } catch (IOException e) {
        if (!DiskErrors.isReadError(e) || System.nanoTime() > deadline) {
          throw e;
        }
        happened.count("read later");
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(100));
      }
    }
  }

  private void readAll(String when) {
    for (Block block : blocks.values()) {
      if (block.deleted) {
        continue;
      }
      try {
        boolean reduced;
        try {
          reduced = block.place.isReduced(block.id);
        } catch (NoSuchFileException e) {
          if (block.synced || !when.startsWith("after")) {
            throw e;
          }
          continue;
        }
        if (!reduced && !block.synced && when.startsWith("after")) {
          byte[] read = block.place.read(block.id);
          if (!Arrays.equals(read, block.data)) {
            // So it would be with stock HDFS.
            block.deleted = true;
            happened.count("lost as on stock HDFS");
            continue;
          }
        }
        if (when.equals(HEALED) && !mayBeHurt(block)) {
          readInTime(block);
        }
        read(block, when);
        if (!block.sumsSynced
            && when.startsWith("after")
            && !block.place.hasChecksums(block.id, block.data)) {
          block.deleted = true;
          happened.count("checksums lost as on stock HDFS");
        }
      } catch (IOException e) {
        fail(block + " can't be read " + when, e);
      }
      check();
    }
  }

  /** Removes names that came back after a power loss, and unknown ones. */
  private void dropWhatIsNotThere() throws IOException {
    for (PoolOnVolume place : places) {
      for (long id : place.blockIds()) {
        Block block = blocks.get(id);
        if (block == null || block.place != place || block.deleted) {
          place.delete(id);
        }
      }
      place.forceNames();
    }
    blocks.values().removeIf(block -> block.deleted);
    // The blocks as read are the state now; the next opening finds them durable.
    for (Block block : blocks.values()) {
      block.synced = true;
      block.sumsSynced = true;
    }
  }

  /** The store works, and a collection finishes. */
  private void work(String when) throws IOException {
    for (PoolOnVolume place : places) {
      Block block = new Block(nextId.getAndIncrement(), place, newData(random), true);
      place.write(block.id, block.data, true);
      blocks.put(block.id, block);
      SkipReason reason = reducer.reduceNow(new BlockRef(place.poolId(), block.id));
      for (int i = 0; reason == SkipReason.FAILED && i < 3 && !hit.isEmpty(); i++) {
        reason = reducer.reduceNow(new BlockRef(place.poolId(), block.id));
      }
      if (reason != null && reason != SkipReason.SMALL && reason != SkipReason.INCOMPRESSIBLE) {
        fail("a new block stays plain " + when + ": " + reason, null);
      }
      read(block, when);
      check();
      if (place.deduplicates()) {
        try {
          place.dedup().reclaim(line -> {});
        } catch (IOException e) {
          fail("a collection does not finish " + when, e);
        }
      }
      check();
    }
    readAll(when + ", after a collection");
  }

  private void awaitReducer() throws InterruptedException {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
    // Polling is a call, too, and a Reducer's thread may pause after a failure.
    files.limit(Long.MAX_VALUE);
    for (int looks = 1; reducer.pending() > 0; looks++) {
      checkKeepers();
      if (System.nanoTime() > deadline) {
        throw new AssertionError("the Reducer stands still");
      }
      if (looks % 100 == 0) {
        Thread.sleep(1);
      }
    }
    files.limit(MAX_CALLS);
    check();
  }

  private void checkKeepers() {
    files.call();
    for (Thread thread : keepers) {
      if (!thread.isAlive()) {
        throw new AssertionError(thread.getName() + " has ended");
      }
    }
  }

  private boolean isRotten(Path file) {
    return rotten.stream().anyMatch(file::endsWith);
  }

  private static long numberOf(Path container) {
    return Long.parseLong(container.getFileName().toString().substring(0, 12), 16);
  }

  private static Map<String, Long> gcFigures(PoolOnVolume place) {
    Map<String, Long> figures = new TreeMap<>(place.dedup().metrics());
    figures.keySet().removeIf(name -> !name.startsWith("gc"));
    return figures;
  }

  /**
   * Containers without live chunks are deleted, even if another one can't be read, or the disk is
   * full.
   */
  private void collectInSpiteOfFaults() throws IOException {
    PoolOnVolume place = places.get(random.nextInt(places.size()));
    if (!place.deduplicates()) {
      return;
    }
    for (Block block : blocks.values()) {
      if (block.place == place && random.nextInt(3) > 0) {
        block.deleted = true;
        block.version.incrementAndGet();
        place.delete(block.id);
      }
    }
    blocks.values().removeIf(block -> block.deleted);
    Set<Long> live = place.liveContainers();
    Set<Long> dead = place.sealedContainers();
    if (dead.isEmpty()) {
      return;
    }
    long last = dead.stream().mapToLong(id -> id).max().orElseThrow();
    dead.removeAll(live);
    dead.remove(last);
    for (Path file : place.containerFiles(".hdc")) {
      // The dead chunks of an empty one are gone; it was the last one then, and keeps its number
      // reserved. A damaged footer is rebuilt at a read of the container.
      if (Files.size(file) <= EMPTY_CONTAINER || isRotten(file)) {
        dead.remove(numberOf(file));
      }
    }
    boolean full = random.nextBoolean();
    if (full) {
      files.fill();
    } else {
      for (Path file : place.containerFiles(".hdc")) {
        // With a damaged directory, it is read as a whole, and then keeps that state for some
        // seconds, whether or not the disk can read it again.
        if (live.contains(numberOf(file)) && random.nextInt(2) == 0 && !isRotten(file)) {
          files.damage(file, 600);
        }
      }
    }
    tell("collecting from " + place + (full ? " on a full disk" : " with unreadable sectors"));
    for (int i = 0; i < 3; i++) {
      try {
        place.dedup().reclaim(line -> tell("collecting: " + line));
      } catch (IOException e) {
        tell("collection failed: " + e);
      }
    }
    files.heal();
    files.mend();
    dead.retainAll(place.sealedContainers());
    // What is needed for healing stays until that is done.
    boolean hurt = hit.keySet().stream().anyMatch(name -> name.startsWith(place + "/"));
    if (!dead.isEmpty() && !hurt) {
      throw new AssertionError(
          "containers in which nothing lives stay, because others can't be compacted: "
              + dead
              + "; those that were not sealed: "
              + place.containerFiles(".hdc.open")
              + "; "
              + gcFigures(place));
    }
    happened.count("collections in spite of faults");
    readAll("after collections that failed in part");
    check();
  }
}
