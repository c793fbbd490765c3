/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.heal;

import io.hdrf.codec.dedup.container.ChunkPins;
import io.hdrf.codec.dedup.container.CompactionResult;
import io.hdrf.codec.dedup.container.ContainerStore;
import io.hdrf.codec.dedup.container.Replacements;
import io.hdrf.codec.dedup.container.format.ChunkRef;
import io.hdrf.codec.dedup.container.format.ContainerDirectory;
import io.hdrf.codec.dedup.container.format.Fingerprinter;
import io.hdrf.codec.dedup.index.FingerprintIndex;
import io.hdrf.spi.io.BufferPool;
import io.hdrf.spi.io.RateThrottle;
import io.hdrf.spi.scheme.ChunkLookup;
import io.hdrf.spi.scheme.CorruptFrameException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Heals containers: looks for their damaged chunks in other containers and on other volumes, and
 * has the containers rewritten with what it finds. Chunks keep their numbers, so that blocks notice
 * nothing. Nobody who has a chunk is believed: its bytes are compared with its fingerprint.
 *
 * <p>A damaged group is made anew if each of its chunks that anybody needs is sound or found;
 * damaged ones that nobody needs are dropped. One collection heals {@value #MAX_CONTAINERS}
 * containers, of each {@value #MAX_BYTES} bytes, those first that were not tried for longest, and
 * looks for nothing later than an hour after it began: a disk that dies is to be reported as one.
 * Metrics may be asked for by any thread; else for one thread at a time.
 */
public final class ChunkHealer {

  private static final Logger LOG = LoggerFactory.getLogger(ChunkHealer.class);

  static final int MAX_CONTAINERS = 16;

  /** Some 64 groups; they lie in memory until the container is rewritten. */
  static final int MAX_BYTES = 16 << 20;

  /** How many chunks before and behind the damaged ones are looked for with them. */
  private static final int NEIGHBOURS = 64;

  private static final int MAX_NEIGHBOUR_BYTES = 4 << 20;

  /** Of one batch, with room for their neighbours. */
  private static final int MAX_WANTED = ChunkLookup.MAX_CHUNKS - 2 * NEIGHBOURS;

  private static final int KEPT_COLLECTIONS = 1000;

  static final long MAX_NANOS = TimeUnit.HOURS.toNanos(1);

  private final ContainerStore containers;
  private final FingerprintIndex index;
  private final List<ChunkLookup> sources;
  private final RateThrottle throttle = new RateThrottle(RateThrottle.SYSTEM);
  private final BooleanSupplier stopping;
  private final LongSupplier nanoTime;

  /** Of this collection; what is not found anywhere does not count. */
  private int rewritten;

  /** When the first container was looked at, which is after all recipes were read; or null. */
  private Long began;

  private long notHealedNow;

  private long collections;

  /** The last collection that tried to heal each of some containers. */
  private final Map<Long, Long> lastTried = new HashMap<>();

  /** Since start, but the last one; guarded by this object. */
  private long chunksHealed;

  private long bytesHealed;
  private long containersHealed;
  private long chunksNotHealed;

  /**
   * @param sources where to look, in this order; none: nothing is healed
   * @param bytesPerSecond at which containers are rewritten, 0 for no limit
   * @param stopping returns true to end the work
   * @param nanoTime as {@link System#nanoTime}
   */
  public ChunkHealer(
      ContainerStore containers,
      FingerprintIndex index,
      List<ChunkLookup> sources,
      int bytesPerSecond,
      BooleanSupplier stopping,
      LongSupplier nanoTime) {
    this.containers = containers;
    this.index = index;
    this.sources = new ArrayList<>(sources);
    this.stopping = stopping;
    this.nanoTime = nanoTime;
    throttle.setRate(bytesPerSecond);
  }

  /** A collection begins. */
  public void beginCollection() {
    rewritten = 0;
    collections++;
    lastTried.values().removeIf(tried -> tried < collections - KEPT_COLLECTIONS);
    notHealedNow = 0;
    began = null;
  }

  /** It has ended. */
  public synchronized void endCollection() {
    chunksNotHealed = notHealedNow;
  }

  /**
   * Heals what can be, within the limits of the collection.
   *
   * @param damaged chunks by container; the cycle is over these, and knows all references. Loses
   *     those that are healed, also if this fails later
   * @throws InterruptedIOException if the work is to end
   */
  public void heal(Map<Long, BitSet> damaged, ChunkPins.Cycle cycle) throws InterruptedIOException {
    if (sources.isEmpty()) {
      return;
    }
    List<Long> ids = new ArrayList<>(damaged.keySet());
    // Those that cost the least first: of a disk that dies as much as can be had. But some that
    // can't be healed must not keep the others from it for ever.
    ids.sort(
        Comparator.comparingLong((Long id) -> lastTried.getOrDefault(id, 0L))
            .thenComparingInt(id -> damaged.get(id).cardinality()));
    for (long id : ids) {
      BitSet dead = cycle.dead(id, damaged.get(id));
      BitSet needed = minus(damaged.get(id), dead);
      if (needed.isEmpty()) {
        continue;
      }
      if (rewritten < MAX_CONTAINERS && hasTime()) {
        lastTried.put(id, collections);
        needed = tryToHeal(id, needed, dead, cycle);
      } else {
        LOG.warn(
            "{} chunks of {} are not healed now: too many containers are damaged",
            needed.cardinality(),
            containers.file(id));
      }
      notHealedNow += needed.cardinality();
      if (needed.isEmpty()) {
        damaged.remove(id);
        lastTried.remove(id);
      } else {
        damaged.put(id, needed);
      }
    }
  }

  private boolean hasTime() {
    long now = nanoTime.getAsLong();
    began = began == null ? now : began;
    return now - began < MAX_NANOS;
  }

  private static BitSet minus(BitSet from, BitSet what) {
    BitSet rest = (BitSet) from.clone();
    rest.andNot(what);
    return rest;
  }

  /** Returns those of the needed chunks that are damaged still. */
  private BitSet tryToHeal(long id, BitSet needed, BitSet dead, ChunkPins.Cycle cycle)
      throws InterruptedIOException {
    try {
      return minus(needed, heal(id, needed, dead, cycle));
    } catch (InterruptedIOException e) {
      throw e;
    } catch (ClosedByInterruptException e) {
      InterruptedIOException ended = new InterruptedIOException("the healing ends");
      ended.initCause(e);
      throw ended;
    } catch (IOException | RuntimeException | OutOfMemoryError e) {
      LOG.warn("{}: {} chunks can't be healed", containers.file(id), needed.cardinality(), e);
      return needed;
    }
  }

  /** Returns the chunks that were healed. */
  private BitSet heal(long id, BitSet needed, BitSet dead, ChunkPins.Cycle cycle)
      throws IOException {
    if (!containers.isSealed(id) || containers.mayHaveMore(id)) {
      LOG.info(
          "{}: {} chunks can't be healed, since what they were is not known",
          containers.file(id),
          needed.cardinality());
      return new BitSet();
    }
    ContainerDirectory content = containers.directory(id);
    Replacements found = find(content, needed, cycle.dead(id, content.numbers()));
    if (found.isEmpty()) {
      LOG.info(
          "{}: {} damaged chunks are not all to be had elsewhere",
          containers.file(id),
          needed.cardinality());
      return new BitSet();
    }
    rewritten++;
    // What the disk reads again is kept as long as any other that nobody needs.
    BitSet gone = containers.damaged(id, dead, this::pace);
    CompactionResult result = rewrite(id, found, gone, cycle);
    BitSet healed = result.replaced();
    long bytes = 0;
    for (int n = healed.nextSetBit(0); n >= 0; n = healed.nextSetBit(n + 1)) {
      bytes += content.length(content.indexOf(n));
    }
    LOG.info(
        "{}: {} of {} damaged chunks were healed, {} bytes",
        containers.file(id),
        healed.cardinality(),
        needed.cardinality(),
        bytes);
    synchronized (this) {
      chunksHealed += healed.cardinality();
      bytesHealed += bytes;
      containersHealed += healed.isEmpty() ? 0 : 1;
    }
    // Also what the disk reads again now.
    BitSet right = (BitSet) needed.clone();
    for (int n = needed.nextSetBit(0); n >= 0; n = needed.nextSetBit(n + 1)) {
      right.set(n, !containers.isBad(ChunkRef.pack(id, n)));
    }
    return right;
  }

  private CompactionResult rewrite(long id, Replacements found, BitSet dead, ChunkPins.Cycle cycle)
      throws IOException {
    return new CondemnedChunks(cycle, index, id, dead, false).drop(containers, found, this::pace);
  }

  /** Looks for the needed chunks, and keeps those of groups of which it finds all. */
  private Replacements find(ContainerDirectory content, BitSet needed, BitSet dead)
      throws IOException {
    Replacements found = containers.newReplacements(MAX_BYTES);
    int group = -1;
    for (int n = needed.nextSetBit(0); n >= 0; n = needed.nextSetBit(n + 1)) {
      int index = content.indexOf(n);
      if (index < 0) {
        throw new CorruptFrameException("chunk " + n + " is not in the directory");
      }
      if (!hasTime()) {
        LOG.warn("The hour is over; not all damaged chunks are looked for");
        break;
      }
      if (content.groupOf(index) != group) {
        group = content.groupOf(index);
        find(content, group, needed, dead, found);
      }
    }
    return found;
  }

  private void find(
      ContainerDirectory content, int group, BitSet needed, BitSet dead, Replacements found)
      throws IOException {
    int[] wanted = new int[content.endChunk(group) - content.firstChunk(group)];
    int count = 0;
    long bytes = 0;
    for (int i = content.firstChunk(group); i < content.endChunk(group); i++) {
      if (needed.get(content.number(i))) {
        wanted[count] = i;
        count++;
        bytes += content.length(i);
      }
    }
    boolean all = found.hasRoomFor(bytes);
    for (int first = 0; all && first < count; first += MAX_WANTED) {
      int end = Math.min(count, first + MAX_WANTED);
      BitSet batch = new BitSet();
      for (int i = first; i < end; i++) {
        batch.set(wanted[i]);
      }
      all = find(content, withNeighbours(content, wanted, first, end, dead), batch, found);
    }
    for (int i = 0; !all && i < count; i++) {
      found.remove(content.number(wanted[i]));
    }
  }

  /**
   * Some chunks and those that lie around them: few chunks have entries in an index, and what lies
   * beside one is found by it.
   *
   * @param dead all that are, which must not be asked for: who finds a chunk seems to need it
   */
  private static int[] withNeighbours(
      ContainerDirectory content, int[] wanted, int first, int end, BitSet dead) {
    int before = Math.max(0, wanted[first] - NEIGHBOURS);
    int behind = Math.min(content.chunkCount(), wanted[end - 1] + 1 + NEIGHBOURS);
    int[] asked = new int[end - first + 2 * NEIGHBOURS];
    int count = 0;
    long bytes = 0;
    for (int i = before; i < wanted[first]; i++) {
      bytes += content.length(i);
      if (!dead.get(content.number(i)) && bytes <= MAX_NEIGHBOUR_BYTES) {
        asked[count++] = i;
      }
    }
    for (int i = first; i < end; i++) {
      asked[count++] = wanted[i];
    }
    for (int i = wanted[end - 1] + 1; i < behind; i++) {
      bytes += content.length(i);
      if (!dead.get(content.number(i)) && bytes <= MAX_NEIGHBOUR_BYTES) {
        asked[count++] = i;
      }
    }
    return Arrays.copyOf(asked, count);
  }

  /**
   * Returns whether all needed chunks of a batch were found.
   *
   * @param asked indexes of chunks
   * @param needed those of them that are
   */
  private boolean find(ContainerDirectory content, int[] asked, BitSet needed, Replacements found)
      throws IOException {
    int count = asked.length;
    byte[] fingerprints = new byte[count * Fingerprinter.LENGTH];
    int[] ends = new int[count];
    BitSet missing = new BitSet();
    for (int i = 0; i < count; i++) {
      content.fingerprint(asked[i], fingerprints, i * Fingerprinter.LENGTH);
      ends[i] = (i == 0 ? 0 : ends[i - 1]) + content.length(asked[i]);
      missing.set(i, needed.get(asked[i]));
    }
    ByteBuffer bytes = BufferPool.shared().take(ends[count - 1]);
    try {
      for (ChunkLookup source : sources) {
        BitSet has = new BitSet();
        ask(source, fingerprints, ends, has, bytes);
        has.and(missing);
        for (int i = has.nextSetBit(0); i >= 0; i = has.nextSetBit(i + 1)) {
          ByteBuffer chunk = bytes.duplicate();
          chunk.limit(ends[i]);
          chunk.position(i == 0 ? 0 : ends[i - 1]);
          missing.set(i, !found.offer(content, asked[i], chunk));
        }
        if (missing.isEmpty()) {
          return true;
        }
      }
      return false;
    } finally {
      BufferPool.shared().give(bytes);
    }
  }

  private void ask(
      ChunkLookup source, byte[] fingerprints, int[] ends, BitSet found, ByteBuffer bytes)
      throws IOException {
    pace(ends[ends.length - 1]);
    try {
      source.find(fingerprints, ends, ends.length, found, bytes);
    } catch (InterruptedIOException | ClosedByInterruptException e) {
      throw e;
    } catch (IOException e) {
      LOG.warn("Damaged chunks can't be looked for everywhere: {}", e.getMessage());
    }
  }

  private void pace(long bytes) throws InterruptedIOException {
    if (!throttle.take(bytes, stopping)) {
      throw new InterruptedIOException("the healing ends");
    }
  }

  /** Sums since start, and what the last collection could not heal. */
  public synchronized Map<String, Long> metrics() {
    Map<String, Long> values = new LinkedHashMap<>();
    values.put("healContainers", containersHealed);
    values.put("healChunks", chunksHealed);
    values.put("healBytes", bytesHealed);
    values.put("healChunksLeft", chunksNotHealed);
    return values;
  }
}
