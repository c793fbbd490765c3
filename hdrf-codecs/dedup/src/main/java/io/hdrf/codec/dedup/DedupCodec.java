/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup;

import io.hdrf.codec.dedup.container.ChunkAppender;
import io.hdrf.codec.dedup.container.ChunkPins;
import io.hdrf.codec.dedup.container.ContainerSettings;
import io.hdrf.codec.dedup.container.ContainerStore;
import io.hdrf.codec.dedup.container.MissingChunkException;
import io.hdrf.codec.dedup.container.RunReader;
import io.hdrf.codec.dedup.delta.RecentBases;
import io.hdrf.codec.dedup.gc.BlockReferences;
import io.hdrf.codec.dedup.gc.GarbageCollector;
import io.hdrf.codec.dedup.gc.ReferenceCheck;
import io.hdrf.codec.dedup.heal.ChunkHealer;
import io.hdrf.codec.dedup.index.FingerprintIndex;
import io.hdrf.codec.dedup.scrub.ScrubFile;
import io.hdrf.codec.dedup.scrub.Scrubber;
import io.hdrf.spi.scheme.BlockCodec;
import io.hdrf.spi.scheme.BlockSource;
import io.hdrf.spi.scheme.ChunkLookup;
import io.hdrf.spi.scheme.CorruptFrameException;
import io.hdrf.spi.scheme.FrameChain;
import io.hdrf.spi.scheme.FrameSink;
import io.hdrf.spi.scheme.Pin;
import io.hdrf.spi.scheme.Prefetch;
import io.hdrf.spi.scheme.SchemeContext;
import io.hdrf.spi.scheme.StoredPayloads;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Deduplication on one volume and block pool. Safe for use by many threads. */
final class DedupCodec implements BlockCodec {

  /** The containers' directory in the store's. */
  static final String CONTAINERS = "containers";

  private static final Logger LOG = LoggerFactory.getLogger(DedupCodec.class);

  /** A check that is asked for may take this part of the heap. */
  private static final int PART_OF_A_CHECK = 8;

  /** To be closed with it, the last one first. */
  private final Deque<Closeable> opened;

  private final DedupSettings settings;
  final ContainerStore containers;
  final FingerprintIndex index;
  private final ChunkPins chunkPins = new ChunkPins();

  /** Null if no differences are made. */
  private final RecentBases bases;

  /** Likewise. */
  final OlderBases olderBases;

  private final StoredPayloads payloads;
  private final ChunkHealer healer;
  private final GarbageCollector collector;
  private final Scrubber scrubber;
  private final BackgroundThreads background;
  private final DedupCounters counters = new DedupCounters();
  final Queue<BlockDeduplicator> idle = new ConcurrentLinkedQueue<>();
  private volatile boolean closed;

  /** Whether work that takes long is to end. */
  private volatile boolean leaving;

  /**
   * @param opened gets what is opened here, so that it is closed even if this fails
   */
  private DedupCodec(
      SchemeContext context,
      DedupSettings settings,
      ContainerStore containers,
      Deque<Closeable> opened) {
    this.settings = settings;
    this.containers = containers;
    this.opened = opened;
    this.index =
        new FingerprintIndex(
            context.metadata(),
            containers,
            chunkPins,
            context.storeDirectory().resolve("filters"),
            context.files(),
            settings.index());
    opened.push(index);
    this.bases =
        settings.delta() ? new RecentBases(settings.deltaMemory(), context.memory()) : null;
    if (bases != null) {
      opened.push(bases);
    }
    this.olderBases = bases == null ? null : new OlderBases(containers, bases);
    this.payloads = context.payloads();
    this.healer =
        new ChunkHealer(
            containers,
            index,
            sources(context),
            settings.healRate(),
            () -> leaving,
            System::nanoTime);
    this.collector =
        new GarbageCollector(
            containers,
            index,
            chunkPins,
            new BlockReferences() {
              @Override
              public void forEach(Visitor visitor, boolean first) throws IOException {
                payloads.forEachKnown(references(visitor), first);
              }

              @Override
              public void damaged(long blockId, IOException why) {
                payloads.damaged(blockId, DedupCodec.this::needsDamaged, why);
              }
            },
            healer,
            settings.gc(),
            () -> leaving);
    opened.push(collector);
    this.scrubber =
        new Scrubber(
            containers,
            new ScrubFile(
                context.storeDirectory().resolve(ScrubFile.NAME),
                context.files(),
                context.volumeId()),
            settings.heal(),
            settings.scrubRate(),
            TimeUnit.SECONDS.toMillis(settings.scrubIntervalSeconds()),
            () -> leaving,
            System::currentTimeMillis,
            collector::wholeCycles);
    this.background =
        new BackgroundThreads(
            context.storeDirectory().toString(),
            containers,
            index,
            collector,
            settings,
            scrubber,
            olderBases,
            () -> leaving);
  }

  /** Where damaged chunks are looked for. */
  private List<ChunkLookup> sources(SchemeContext context) {
    if (!settings.heal() || settings.fingerprint() != FingerprintFunction.SHA256) {
      return Collections.emptyList();
    }
    // Copies that no block needs must not stay for ever where damage can't be healed.
    ChunkLookup here = new StoreLookup(index.newLookupWithoutPins(), containers, new ChunkPins());
    return Arrays.asList(here, context.newLookupElsewhere());
  }

  static DedupCodec open(SchemeContext context) throws IOException {
    DedupSettings settings = new DedupSettings(context.settings());
    if (settings.fingerprint() == FingerprintFunction.SHA1) {
      LOG.warn(
          "{} is sha1, for which different chunks with one fingerprint can be made: for comparison"
              + " only, not for data that you want to keep",
          context.settings().key("fingerprint"));
    }
    Path directory = context.storeDirectory();
    Deque<Closeable> opened = new ArrayDeque<>();
    opened.push(StoreLock.acquire(directory));
    DedupCodec codec = null;
    boolean done = false;
    try {
      Map<List<Integer>, FrameChain> chains = new ConcurrentHashMap<>();
      ContainerStore containers =
          ContainerStore.open(
              directory.resolve(CONTAINERS),
              context.files(),
              ContainerSettings.of(context.volumeId())
                  .idsSince(millis(directory.resolve(CONTAINERS)))
                  .containerSize(settings.containerSize())
                  .groupSize(settings.groupSize())
                  .maxChunks(settings.maxChunks())
                  .baseMemory(settings.baseMemory())
                  .directoryMemory(settings.directoryMemory())
                  .sharedGroupMemory(settings.groupMemory())
                  .memory(context.memory()),
              ids -> chain(context, chains, ids),
              settings.fingerprint());
      opened.push(containers);
      codec = new DedupCodec(context, settings, containers, opened);
      codec.index.begin();
      codec.background.start();
      done = true;
      return codec;
    } finally {
      if (!done) {
        if (codec != null) {
          // Threads that have begun work on the store until they are joined.
          codec.close();
        } else {
          closeAll(opened);
        }
      }
    }
  }

  /** Closes all, the last one first, even if one of them fails. */
  private static void closeAll(Deque<Closeable> opened) throws IOException {
    Closeable last = opened.poll();
    if (last != null) {
      try (Closeable rest = () -> closeAll(opened)) {
        last.close();
      }
    }
  }

  /** The time; where the clock was set back, that of the last container that came or went. */
  private static long millis(Path containers) throws IOException {
    long now = System.currentTimeMillis();
    try {
      return Math.max(now, Files.getLastModifiedTime(containers).toMillis());
    } catch (NoSuchFileException e) {
      return now;
    }
  }

  private static FrameChain chain(
      SchemeContext context, Map<List<Integer>, FrameChain> chains, int[] ids) throws IOException {
    List<Integer> key = new ArrayList<>();
    for (int id : ids) {
      key.add(id);
    }
    FrameChain chain = chains.get(key);
    if (chain == null) {
      chain = context.frameChain(ids);
      chains.put(key, chain);
    }
    return chain;
  }

  private static StoredPayloads.Visitor references(BlockReferences.Visitor visitor) {
    return new StoredPayloads.Visitor() {
      @Override
      public void frame(long blockId, int originalLength, ByteBuffer payload) throws IOException {
        Recipe.parse(
            payload,
            (container, first, count) -> visitor.reference(blockId, container, first, count));
      }

      @Override
      public void fileRead(long bytes) throws IOException {
        visitor.fileRead(bytes);
      }
    };
  }

  /** As the former, with the bases that recipes name. */
  private static StoredPayloads.Visitor recipes(BlockReferences.Visitor visitor) {
    return new StoredPayloads.Visitor() {
      @Override
      public void frame(long blockId, int originalLength, ByteBuffer payload) throws IOException {
        show(blockId, payload, visitor);
      }

      @Override
      public void fileRead(long bytes) throws IOException {
        visitor.fileRead(bytes);
      }
    };
  }

  /** Shows what a frame names, the bases first. */
  private static void show(long blockId, ByteBuffer payload, BlockReferences.Visitor visitor)
      throws IOException {
    Recipe.parse(
        payload.duplicate(),
        (container, first, count) -> {},
        (container, first, count) -> visitor.base(blockId, container, first, count));
    Recipe.parseChunks(
        payload, (container, first, count) -> visitor.reference(blockId, container, first, count));
  }

  private boolean needsDamaged(ByteBuffer payload) throws IOException {
    boolean[] chunk = new boolean[1];
    boolean[] base = new boolean[1];
    Recipe.parse(
        payload.duplicate(),
        (container, first, count) ->
            chunk[0] = chunk[0] || containers.isDamaged(container, first, count),
        (container, first, count) ->
            base[0] = base[0] || (!chunk[0] && containers.isDamaged(container, first, count)));
    if (base[0]) {
      // A base may be named that no chunk of the frame takes any more.
      Recipe.parseChunks(
          payload,
          (container, first, count) ->
              chunk[0] = chunk[0] || containers.needsDamagedBase(container, first, count));
    }
    return chunk[0];
  }

  BlockDeduplicator newDeduplicator(int maxOwn) {
    ContainerCap cap = settings.newContainerCap();
    FrameBases frameBases = new FrameBases(containers, cap);
    BlockDifferences differences =
        bases == null
            ? null
            : new BlockDifferences(containers, chunkPins, bases, frameBases, counters);
    return new BlockDeduplicator(settings, index, cap, frameBases, differences, counters, maxOwn);
  }

  @Override
  public void encode(long length, BlockSource source, FrameChain tail, FrameSink sink)
      throws IOException {
    BlockDeduplicator deduplicator = idle.poll();
    if (deduplicator == null) {
      deduplicator = newDeduplicator(BlockDeduplicator.MAX_OWN);
    }
    boolean done = false;
    try (Pin pin = chunkPins.pin();
        ChunkAppender appender = containers.appender(tail)) {
      deduplicator.encode(length, source, appender, sink);
      done = true;
    } finally {
      // After a failure the buffers may hold part of a block.
      if (done && !closed) {
        idle.add(deduplicator);
      } else {
        deduplicator.close();
      }
    }
    background.wake();
  }

  @Override
  public void decode(ByteBuffer payload, ByteBuffer frame) throws IOException {
    counters.runsPrefetched.add(prefetch(payload, containers));
    try (RunReader reader = containers.newRunReader()) {
      Recipe.parseChunks(
          payload, (container, first, count) -> reader.read(container, first, count, frame));
    } catch (CorruptFrameException e) {
      counters.damagedReads.increment();
      throw e;
    } catch (MissingChunkException e) {
      counters.damagedReads.increment();
      throw new CorruptFrameException(e.getMessage(), e);
    }
    if (frame.hasRemaining()) {
      throw new CorruptFrameException(
          "the chunks of a recipe have " + frame.remaining() + " bytes too few");
    }
  }

  /**
   * Starts to read all runs of a frame but the first, which is read next anyway. Runs lie apart
   * where versions of a file share chunks.
   *
   * @return how many were begun
   */
  static int prefetch(ByteBuffer payload, ContainerStore containers) throws IOException {
    int[] runsAndBegun = new int[2];
    Recipe.parse(
        payload.duplicate(),
        (container, first, count) -> {
          if (runsAndBegun[0]++ > 0 && containers.prefetch(container, first, count)) {
            runsAndBegun[1]++;
          }
        });
    return runsAndBegun[1];
  }

  @Override
  public Prefetch newPrefetch() {
    return new RecipesAhead(containers, settings.readGap());
  }

  @Override
  public boolean findDamage(ByteBuffer payload) throws IOException {
    boolean[] found = new boolean[1];
    Recipe.parse(
        payload,
        (container, first, count) -> found[0] |= containers.findDamage(container, first, count));
    return found[0];
  }

  @Override
  public Pin pin() {
    return chunkPins.pin();
  }

  @Override
  public Map<String, Long> reclaim(Consumer<String> progress) throws IOException {
    collector.retryFailed();
    return collector.collect(progress).asMap();
  }

  @Override
  public Map<String, Long> check(Consumer<String> problems) throws IOException {
    return new ReferenceCheck(
            containers,
            (visitor, first) -> payloads.forEach(recipes(visitor)),
            index,
            problems,
            Runtime.getRuntime().maxMemory() / PART_OF_A_CHECK,
            () -> leaving)
        .run();
  }

  @Override
  public void leave() {
    leaving = true;
  }

  @Override
  public ChunkLookup newChunkLookup() {
    return settings.fingerprint() == FingerprintFunction.SHA256
        ? new StoreLookup(index.newLookup(), containers, chunkPins)
        : null;
  }

  @Override
  public Map<String, Long> metrics() {
    Map<String, Long> values = new LinkedHashMap<>(counters.asMap());
    values.put("directoryMemoryBytes", containers.directoryMemory());
    values.putAll(index.metrics());
    values.putAll(collector.metrics());
    values.putAll(scrubber.metrics());
    values.putAll(healer.metrics());
    return values;
  }

  @Override
  public void close() throws IOException {
    synchronized (this) {
      if (closed) {
        return;
      }
      closed = true;
      leaving = true;
    }
    try (Closeable rest = () -> closeAll(opened)) {
      background.close();
      for (BlockDeduplicator d = idle.poll(); d != null; d = idle.poll()) {
        d.close();
      }
    }
  }
}
