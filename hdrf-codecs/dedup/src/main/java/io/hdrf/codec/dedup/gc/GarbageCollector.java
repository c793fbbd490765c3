/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.gc;

import io.hdrf.codec.dedup.container.ChunkPins;
import io.hdrf.codec.dedup.container.CompactionResult;
import io.hdrf.codec.dedup.container.ContainerInfo;
import io.hdrf.codec.dedup.container.ContainerStore;
import io.hdrf.codec.dedup.container.Replacements;
import io.hdrf.codec.dedup.container.format.ContainerDirectory;
import io.hdrf.codec.dedup.heal.ChunkHealer;
import io.hdrf.codec.dedup.heal.CondemnedChunks;
import io.hdrf.codec.dedup.index.FingerprintIndex;
import io.hdrf.spi.TaskProgress;
import io.hdrf.spi.TaskProgress.Unit;
import io.hdrf.spi.io.RateThrottle;
import io.hdrf.spi.scheme.UnreadableBlocksException;
import java.io.Closeable;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.channels.ClosedByInterruptException;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes away chunks that no block refers to. Nothing on disk says which these are: each cycle goes
 * through the recipes of all blocks, and what it finds is forgotten when the process ends; so a
 * crash at any moment loses no more than the work.
 *
 * <p>A chunk is dropped only if two cycles in a row, {@link GcSettings#minAgeSeconds} apart, found
 * no reference to it, its container has been sealed for as long, and less of the container than
 * {@link GcSettings#livePercent} is live. A container that is still written to is sealed when so
 * little of it is live, unless a block in work has it. Directories of sealed containers are read
 * only where enough chunks may be dead, and some others, so that damage is found. If any block file
 * can't be read, nothing is dropped. Containers are gone through in ranges, so that memory is
 * bounded, with all recipes for each range. A container that can't be read or compacted, or has
 * lost chunks that are needed, is left out, and tried again ever less often. Chunks that are known
 * to be damaged are healed, once it is known who needs them; blocks that need others are reported.
 *
 * <p>Safe for use by many threads; cycles are run one after the other.
 */
public final class GarbageCollector implements Closeable {

  private static final Logger LOG = LoggerFactory.getLogger(GarbageCollector.class);

  /** The longest time from a block's first look for a chunk until its file is in place. */
  private static final long PIN_MILLIS = TimeUnit.MINUTES.toMillis(15);

  /** The number of containers whose directories a cycle reads whatever may be dead in them. */
  private static final int SOME_DIRECTORIES = 256;

  /** The part of the share of dead bytes below which a share of dead chunks counts as few. */
  private static final int FEW = 4;

  /** About the bytes of a container's directory for each chunk. */
  private static final int DIRECTORY_BYTES = 41;

  /** A block's file that is read counts as so many bytes at least: the disk has to move for it. */
  private static final int FILE_BYTES = 64 << 10;

  /** The longest wait for blocks in work before a look whether the collection has to end. */
  private static final long LOOK_MILLIS = 100;

  private static final int PROGRESS_BLOCKS = 10_000;
  private static final int PROGRESS_CONTAINERS = 1_000;
  private static final String RECIPES = "reading recipes of blocks";
  private static final String EXAMINING = "examining containers";
  private static final String CONTAINERS = "rewriting containers";

  private final ContainerStore containers;
  private final FingerprintIndex index;
  private final ChunkPins chunkPins;
  private final BlockReferences references;
  private final ChunkHealer healer;
  private final GcSettings settings;
  private final BooleanSupplier stopping;
  private final LongSupplier nanoTime;
  private final LongSupplier currentTimeMillis;
  private final long pinMillis;
  private final int someDirectories;
  private final RateThrottle throttle = new RateThrottle(RateThrottle.SYSTEM);
  private final GcResult total = new GcResult();

  /** Guards cycles; {@link #total} is guarded by the object itself. */
  private final Object cycleLock = new Object();

  private final DeadChunks deadBefore;

  private final CollectionMemory memory;
  private final SuspectReports suspects;

  /**
   * Sealed containers in which chunks could not be found in the last cycle. All blocks that were in
   * work then, which may have put chunks there, are in place before the references are read again.
   */
  private final Set<Long> damagedBefore = new HashSet<>();

  /** Cycles since the last one that ended; written under both locks, read under this object's. */
  private long abortedInARow;

  /** Block files for which the last cycle was aborted; as the former. */
  private long blocksUnreadable;

  /** Guarded by {@link #cycleLock}. */
  private final FailedContainers failures = new FailedContainers();

  /** Cycles that ran to their end; guarded by this object. */
  private long wholeCycles;

  /**
   * @param healer of the same containers; used by this collector alone
   */
  public GarbageCollector(
      ContainerStore containers,
      FingerprintIndex index,
      ChunkPins chunkPins,
      BlockReferences references,
      ChunkHealer healer,
      GcSettings settings,
      BooleanSupplier stopping) {
    this(
        containers,
        index,
        chunkPins,
        references,
        healer,
        settings,
        stopping,
        System::nanoTime,
        System::currentTimeMillis,
        PIN_MILLIS,
        SOME_DIRECTORIES);
  }

  /**
   * @param nanoTime as {@link System#nanoTime}
   * @param currentTimeMillis as {@link System#currentTimeMillis}
   * @param pinMillis how long a block may be in work
   * @param someDirectories how many directories a cycle reads whatever may be dead
   */
  GarbageCollector(
      ContainerStore containers,
      FingerprintIndex index,
      ChunkPins chunkPins,
      BlockReferences references,
      ChunkHealer healer,
      GcSettings settings,
      BooleanSupplier stopping,
      LongSupplier nanoTime,
      LongSupplier currentTimeMillis,
      long pinMillis,
      int someDirectories) {
    this.containers = containers;
    this.index = index;
    this.chunkPins = chunkPins;
    this.references = references;
    this.healer = healer;
    this.settings = settings;
    this.stopping = stopping;
    this.nanoTime = nanoTime;
    this.currentTimeMillis = currentTimeMillis;
    this.pinMillis = pinMillis;
    this.someDirectories = someDirectories;
    deadBefore =
        new DeadChunks(
            TimeUnit.SECONDS.toNanos(settings.minAgeSeconds()),
            settings.bytesOfMemory(),
            containers.memory());
    memory = new CollectionMemory(containers.memory(), settings.bytesOfMemory(), stopping);
    suspects = new SuspectReports(containers, references);
    throttle.setRate(settings.bytesPerSecond());
  }

  /**
   * Runs a cycle; with a minimum age of 0 two of them, so that chunks that are dead now are dropped
   * now.
   *
   * @param progress receives messages
   * @throws IOException if nothing could be concluded, or the store is being closed
   */
  public GcResult collect(Consumer<String> progress) throws IOException {
    synchronized (cycleLock) {
      GcResult result = new GcResult();
      boolean twice = settings.minAgeSeconds() == 0;
      for (int i = 0; i < (twice ? 2 : 1); i++) {
        GcResult cycle = new GcResult();
        try {
          cycle(cycle, progress);
          cycle.whole = true;
          ended(0, 0);
        } catch (UnreadableBlocksException e) {
          ended(abortedInARow + 1, e.count());
          throw e;
        } catch (IOException | RuntimeException | Error e) {
          ended(abortedInARow + 1, blocksUnreadable);
          throw e;
        } finally {
          result.add(cycle);
          synchronized (this) {
            total.add(cycle);
          }
        }
      }
      index.reclaim();
      return result;
    }
  }

  /** Returns the number of cycles since start that ran to their end. */
  public synchronized long wholeCycles() {
    return wholeCycles;
  }

  /** Lets the next cycle try containers that failed in earlier ones. */
  public void retryFailed() {
    synchronized (cycleLock) {
      failures.clear();
    }
  }

  private synchronized void ended(long newAbortedInARow, long newBlocksUnreadable) {
    abortedInARow = newAbortedInARow;
    blocksUnreadable = newBlocksUnreadable;
    wholeCycles += newAbortedInARow == 0 ? 1 : 0;
  }

  /** Forgets what it remembers, and gives the memory back; no more cycles follow. */
  @Override
  public void close() {
    deadBefore.close();
    memory.close();
  }

  /** Sums since start, and how the last collections ended. */
  public synchronized Map<String, Long> metrics() {
    Map<String, Long> values = new HashMap<>();
    total
        .asMap()
        .forEach(
            (name, value) ->
                values.put(
                    "gc" + Character.toUpperCase(name.charAt(0)) + name.substring(1), value));
    values.put("gcAbortedInARow", abortedInARow);
    values.put("gcBlocksUnreadable", blocksUnreadable);
    values.put("gcBlocksSuspected", suspects.reported());
    return values;
  }

  private void cycle(GcResult result, Consumer<String> progress) throws IOException {
    // The first time, the footer of each is read.
    List<ContainerInfo> all = new ArrayList<>();
    for (ContainerInfo container : containers.containers()) {
      requireOpen();
      all.add(container);
    }
    long bytes = memory.reserve(ContainerRange.memory(all));
    try {
      cycle(ContainerRange.of(all, bytes), result, progress);
    } finally {
      memory.release(bytes);
    }
  }

  /** Begins with any range, so that each has its turn in processes that end early. */
  private void cycle(List<ContainerRange> ranges, GcResult result, Consumer<String> progress)
      throws IOException {
    failures.beginCycle();
    Collections.rotate(ranges, ThreadLocalRandom.current().nextInt(ranges.size()));
    int directories = (int) (((long) someDirectories + ranges.size() - 1) / ranges.size());
    // Tried again, so that no block is suspected for an error that has passed.
    Map<Long, BitSet> damaged = containers.damagedChunks(this::pace);
    healer.beginCollection();
    suspects.beginCycle();
    int done = 0;
    for (ContainerRange range : ranges) {
      done++;
      String part = ranges.size() == 1 ? "" : ", part " + done + " of " + ranges.size();
      Map<Long, BitSet> damagedThere = new HashMap<>(damaged);
      damagedThere.keySet().removeIf(id -> !range.contains(id));
      cycle(range, done == 1, directories, damagedThere, result, part, progress);
    }
    suspects.endCycle();
    healer.endCollection();
    failures.endCycle();
  }

  private void cycle(
      ContainerRange range,
      boolean first,
      int directories,
      Map<Long, BitSet> damagedChunks,
      GcResult result,
      String part,
      Consumer<String> progress)
      throws IOException {
    ChunkPins.Cycle cycle = chunkPins.begin(range.from(), range.to());
    try {
      awaitPins();
      // Before the blocks are read: chunks added later to other containers are not examined.
      List<ContainerInfo> readable = readableContainers(range, result);
      readReferences(range, first, cycle, damagedChunks, result, part, progress);
      Map<Long, BitSet> dead = new HashMap<>();
      Set<Long> damaged = new HashSet<>();
      Set<Long> waiting = new HashSet<>();
      long now = nanoTime.getAsLong();
      Set<Long> some = anyOf(readable, directories);
      long examined = 0;
      for (ContainerInfo container : readable) {
        if (++examined % PROGRESS_CONTAINERS == 0) {
          count(EXAMINING + part, examined, readable.size(), Unit.COUNT, progress);
        }
        if (container.sealed()
            && !some.contains(container.id())
            && !damagedBefore.contains(container.id())
            && !deadBefore.hasSome(container.id())
            && !mayBeWorthIt(container, cycle)) {
          estimate(container, cycle, result);
          continue;
        }
        BitSet found = examine(container, cycle, result);
        if (!found.isEmpty()) {
          dead.put(container.id(), found);
        }
        boolean sealed = container.sealed() || seal(container, found, cycle);
        if (sealed && !found.isEmpty()) {
          waiting.add(container.id());
        }
        if (container.sealed() && mayHaveMore(container)) {
          damaged.add(container.id());
        }
      }
      // Whatever becomes of the compactions: what was found dead now may go next time.
      Map<Long, BitSet> deadFirst = deadBefore.replace(range, dead, now);
      waiting.removeAll(deadFirst.keySet());
      result.containersWaiting += waiting.size();
      Set<Long> damagedTwice = new HashSet<>(damaged);
      damagedTwice.retainAll(damagedBefore);
      damagedBefore.removeIf(range::contains);
      damagedBefore.addAll(damaged);
      compact(
          candidates(readable, deadFirst, damagedTwice, cycle, result),
          cycle,
          result,
          part,
          progress);
    } finally {
      chunkPins.end();
    }
  }

  /**
   * Returns some containers, whose directories are read whatever may be dead in them, so that
   * damage is found. Others each time, by chance: turns by their ids would have to be remembered
   * when the process ends, and would never end where containers come as fast.
   */
  private static Set<Long> anyOf(List<ContainerInfo> readable, int directories) {
    Set<Long> chosen = new HashSet<>();
    long wanted = Math.min(readable.size(), directories);
    while (chosen.size() < wanted) {
      chosen.add(readable.get(ThreadLocalRandom.current().nextInt(readable.size())).id());
    }
    return chosen;
  }

  /**
   * Returns whether so many chunks of a container may be dead that its directory is to be read,
   * which tells which ones these are and what they take. Where they are few, they are more than the
   * share of the bytes that makes a container worth it only if they are several times as long as
   * the others; that is found out when chance takes the container.
   */
  private boolean mayBeWorthIt(ContainerInfo container, ChunkPins.Cycle cycle) {
    long dead = (long) container.chunkCount() - cycle.referredTo(container.id());
    return dead * 100 * FEW > (long) container.chunkCount() * (100 - settings.livePercent());
  }

  /** Counts a container without its directory. */
  private static void estimate(ContainerInfo container, ChunkPins.Cycle cycle, GcResult result) {
    long live = Math.min(container.chunkCount(), cycle.referredTo(container.id()));
    result.chunks += container.chunkCount();
    result.liveChunks += live;
    if (container.chunkCount() > 0) {
      result.garbageBytes +=
          container.fileBytes() / container.chunkCount() * (container.chunkCount() - live);
    }
  }

  /** A container to compact. */
  private static final class Candidate {
    private final ContainerInfo container;

    /** The chunks that may go, if nothing has become of them meanwhile. */
    private final BitSet dead;

    /** About the number of bytes to write. */
    private final long liveBytes;

    /** Whether chunks that were not found in it may go, too, if no block needs them. */
    private final boolean mend;

    Candidate(ContainerInfo container, BitSet dead, boolean mend, long liveBytes) {
      this.container = container;
      this.dead = dead;
      this.mend = mend;
      this.liveBytes = liveBytes;
    }
  }

  /**
   * Returns the containers worth compacting. Those that need the least room come first: on a full
   * disk a container that is wholly dead makes room for the rest.
   *
   * @param damaged those that lost chunks before the cycle; they are worth it when no block needs
   *     these
   */
  private List<Candidate> candidates(
      List<ContainerInfo> readable,
      Map<Long, BitSet> deadFirst,
      Set<Long> damaged,
      ChunkPins.Cycle cycle,
      GcResult result) {
    List<Candidate> candidates = new ArrayList<>();
    for (ContainerInfo container : readable) {
      BitSet wanted = deadFirst.get(container.id());
      boolean mend = damaged.contains(container.id());
      if (wanted == null && mend) {
        wanted = new BitSet();
      }
      if (wanted == null || !container.sealed() || !isOldEnough(container)) {
        continue;
      }
      if (failures.isPutOff(container.id())) {
        result.containersPutOff++;
        continue;
      }
      try {
        ContainerDirectory content = containers.directory(container.id());
        wanted.and(content.numbers());
        BitSet dead = cycle.dead(container.id(), wanted);
        if (mend || isWorthIt(content, dead)) {
          long live = content.storedBytes() - content.storedBytes(dead);
          candidates.add(new Candidate(container, dead, mend, live));
        }
      } catch (IOException | RuntimeException | OutOfMemoryError e) {
        fail(container, e, result);
      }
    }
    candidates.sort(Comparator.comparingLong(candidate -> candidate.liveBytes));
    return candidates;
  }

  /** Where the clock was ahead once, only the time counts for which the chunks have been dead. */
  private boolean isOldEnough(ContainerInfo container) {
    long age = currentTimeMillis.getAsLong() - container.sealTime();
    return age < 0 || age >= TimeUnit.SECONDS.toMillis(settings.minAgeSeconds());
  }

  private void fail(ContainerInfo container, Throwable why, GcResult result) {
    if (failures.isPutOff(container.id())) {
      result.containersPutOff++;
      return;
    }
    result.containersFailed++;
    failures.add(container.id(), containers.file(container.id()), why);
  }

  private void awaitPins() throws IOException {
    try {
      long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(pinMillis);
      while (!chunkPins.awaitOlderPins(Math.min(pinMillis, LOOK_MILLIS))) {
        requireOpen();
        if (System.nanoTime() - end >= 0) {
          throw new IOException(
              "a block has been in work for "
                  + TimeUnit.MILLISECONDS.toMinutes(pinMillis)
                  + " minutes; nothing was collected");
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted");
    }
  }

  private List<ContainerInfo> readableContainers(ContainerRange range, GcResult result) {
    List<ContainerInfo> readable = new ArrayList<>();
    for (ContainerInfo container : containers.containers()) {
      if (!range.contains(container.id())) {
        continue;
      }
      if (container.problem() == null) {
        readable.add(container);
      } else {
        fail(container, new IOException(container.problem()), result);
      }
    }
    return readable;
  }

  /**
   * @param damaged chunks, by container, that are healed, or else blocks that refer to them are
   *     reported; gets those of containers that are lost
   */
  private void readReferences(
      ContainerRange range,
      boolean first,
      ChunkPins.Cycle cycle,
      Map<Long, BitSet> damaged,
      GcResult result,
      String part,
      Consumer<String> progress)
      throws IOException {
    SuspectBlocks found = suspects.blocks(damaged);
    LostChunks lost = new LostChunks(containers, range, damaged);
    Map<Long, BitSet> still = damaged;
    try {
      readReferences(first, cycle, lost, found, result, RECIPES + part, progress);
      still = new HashMap<>(damaged);
      healer.heal(still, cycle);
    } finally {
      suspects.report(found, still);
    }
  }

  /**
   * @param lost gets the chunks that blocks refer to
   * @param found gets the blocks that refer to damaged chunks
   */
  private void readReferences(
      boolean firstRange,
      ChunkPins.Cycle cycle,
      LostChunks lost,
      SuspectBlocks found,
      GcResult result,
      String step,
      Consumer<String> progress)
      throws IOException {
    long[] blocks = {0};
    references.forEach(
        new BlockReferences.Visitor() {
          private long last;

          @Override
          public void reference(long blockId, long container, int first, int count)
              throws IOException {
            // Nothing can be collected from a container that is gone, marked or not.
            if (lost.add(container, first, count) || containers.exists(container)) {
              cycle.mark(container, first, count);
            }
            found.add(blockId, container, first, count);
            if (blocks[0] > 0 && last == blockId) {
              return;
            }
            last = blockId;
            blocks[0]++;
            result.blocksRead = Math.max(result.blocksRead, blocks[0]);
            if (blocks[0] % PROGRESS_BLOCKS == 0) {
              count(step, blocks[0], 0, Unit.COUNT, progress);
            }
            requireOpen();
          }

          @Override
          public void fileRead(long bytes) throws IOException {
            pace(Math.max(bytes, FILE_BYTES));
          }
        },
        firstRange);
    count(step, blocks[0], 0, Unit.COUNT, progress);
  }

  /** Cheap for one whose directory was just read. */
  private boolean mayHaveMore(ContainerInfo container) {
    try {
      return containers.mayHaveMore(container.id());
    } catch (IOException | RuntimeException | OutOfMemoryError e) {
      LOG.debug("{} can't be read", container, e);
      return false;
    }
  }

  private BitSet examine(ContainerInfo container, ChunkPins.Cycle cycle, GcResult result)
      throws InterruptedIOException {
    if (!containers.isLoaded(container.id())) {
      pace((long) DIRECTORY_BYTES * container.chunkCount());
    }
    ContainerDirectory content;
    try {
      content = containers.directory(container.id());
    } catch (IOException | RuntimeException | OutOfMemoryError e) {
      fail(container, e, result);
      return new BitSet();
    }
    BitSet present = content.numbers();
    BitSet dead = cycle.dead(container.id(), present);
    result.garbageBytes += content.storedBytes(dead);
    result.chunks += present.cardinality();
    result.liveChunks += present.cardinality() - dead.cardinality();
    // Else most containers would be remembered in the end, for a few chunks each.
    return container.sealed() && !isWorthIt(content, dead) ? new BitSet() : dead;
  }

  /**
   * Lets a container grow old in which there is enough to drop, and a damaged one when no block
   * needs what was lost.
   *
   * @return whether it was sealed now
   */
  private boolean seal(ContainerInfo container, BitSet dead, ChunkPins.Cycle cycle) {
    long id = container.id();
    try {
      ContainerDirectory content = containers.directory(id);
      boolean damaged = containers.mayHaveMore(id);
      if (damaged ? cycle.missing(id, content.numbers()).isEmpty() : isWorthIt(content, dead)) {
        return containers.sealIdle(id);
      }
    } catch (IOException | RuntimeException | OutOfMemoryError e) {
      LOG.warn("{} could not be sealed; what is dead in it stays", container, e);
    }
    return false;
  }

  private static void count(
      String step, long done, long total, Unit unit, Consumer<String> progress) {
    progress.accept(new TaskProgress(step, done, total, unit).encode());
  }

  private void compact(
      List<Candidate> candidates,
      ChunkPins.Cycle cycle,
      GcResult result,
      String part,
      Consumer<String> progress)
      throws IOException {
    String step = CONTAINERS + part;
    long total = candidates.stream().mapToLong(candidate -> candidate.liveBytes).sum();
    long done = 0;
    for (Candidate candidate : candidates) {
      count(step, done, total, Unit.BYTES, progress);
      compact(candidate, cycle, result);
      done += candidate.liveBytes;
    }
    if (!candidates.isEmpty()) {
      count(step, done, total, Unit.BYTES, progress);
    }
  }

  private void compact(Candidate candidate, ChunkPins.Cycle cycle, GcResult result)
      throws IOException {
    try {
      compactNow(candidate, cycle, result);
    } catch (InterruptedIOException | ClosedByInterruptException e) {
      throw e;
    } catch (IOException | RuntimeException | OutOfMemoryError e) {
      fail(candidate.container, e, result);
    }
  }

  private void compactNow(Candidate candidate, ChunkPins.Cycle cycle, GcResult result)
      throws IOException {
    long container = candidate.container.id();
    CompactionResult compaction =
        new CondemnedChunks(cycle, index, container, candidate.dead, candidate.mend)
            .drop(containers, Replacements.NONE, this::pace);
    result.chunksDropped += compaction.chunksDropped();
    result.bytesFreed += compaction.bytesFreed();
    result.garbageBytes -= compaction.bytesFreed();
    result.bytesWritten += compaction.bytesWritten();
    if (compaction.chunksKept() == 0) {
      result.containersDeleted++;
    } else {
      result.containersCompacted++;
    }
  }

  private void pace(long bytes) throws InterruptedIOException {
    if (!throttle.take(bytes, stopping)) {
      requireOpen();
      throw new InterruptedIOException("interrupted");
    }
  }

  private void requireOpen() throws InterruptedIOException {
    if (stopping.getAsBoolean()) {
      throw new InterruptedIOException("the store is being closed");
    }
  }

  private boolean isWorthIt(ContainerDirectory content, BitSet dead) {
    if (dead.isEmpty()) {
      return false;
    }
    long all = content.storedBytes();
    long live = all - content.storedBytes(dead);
    return live * 100 < all * settings.livePercent();
  }
}
