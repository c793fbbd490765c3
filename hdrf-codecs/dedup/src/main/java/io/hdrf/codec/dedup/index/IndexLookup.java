/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.index;

import io.hdrf.codec.dedup.container.ChunkPins;
import io.hdrf.codec.dedup.container.ContainerStore;
import io.hdrf.codec.dedup.container.format.ChunkRef;
import io.hdrf.codec.dedup.container.format.ContainerDirectory;
import io.hdrf.codec.dedup.container.format.Fingerprinter;
import io.hdrf.codec.dedup.dba.BloomFilterArray;
import io.hdrf.codec.dedup.dba.Candidates;
import io.hdrf.spi.store.MetadataException;
import io.hdrf.spi.store.MetadataStore;
import io.hdrf.spi.store.Table;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks chunks up, a batch at once: in the cache; in the directories of the containers where others
 * of this batch and of the last ones were found; in the filters and the segments of the store that
 * these name, or in the entries that are kept in memory; and, where that found any, in the
 * directories of their containers. For one thread; used again and again.
 */
public final class IndexLookup {

  private static final Logger LOG = LoggerFactory.getLogger(IndexLookup.class);

  /** The most fingerprints of one call of {@link #find}. */
  public static final int MAX_COUNT = 1024;

  /** The most directories that are read of one batch because hints name them, and differences. */
  static final int MAX_FOLLOWED = 64;

  /** No reference, and no container. */
  static final long NONE = -1;

  private final MetadataStore store;
  private final ContainerStore containers;
  private final ChunkPins chunkPins;
  private final RecentPlaces cache;
  private final StoreBackoff backoff;
  private final IndexCounters counters;
  private final Supplier<BloomFilterArray> filters;

  /** Has entries in the place of filters and store; null where these have them. */
  private final SampledPlaces sampled;

  private final RecentContainers recentContainers;
  private final Candidates candidates = new Candidates();

  /** The chunks of the batch that are not found yet, by their place in it. */
  private final int[] unknown = new int[MAX_COUNT];

  private int unknownCount;

  /** Fingerprints of these. */
  private final byte[] absent = new byte[MAX_COUNT * Fingerprinter.LENGTH];

  /** Whether the filters named a segment for a chunk of the batch, by its place in it. */
  private final boolean[] suspected = new boolean[MAX_COUNT];

  /** The reference that a chunk of the batch may have, by its place in it. */
  private final long[] hints = new long[MAX_COUNT];

  /** The container in which a chunk of the batch may be, by its place in it. */
  private final long[] places = new long[MAX_COUNT];

  /** The chunks that were found elsewhere than in the cache, by their place in the batch. */
  private final int[] found = new int[MAX_COUNT];

  private int foundCount;

  /** The chunks that may be in the container looked at, by their place in the batch. */
  private final int[] proposed = new int[MAX_COUNT];

  private int proposedCount;

  /** The references of these. */
  private final long[] proposedRefs = new long[MAX_COUNT];

  /** The bases of these; negative of whole ones. */
  private final long[] proposedBases = new long[MAX_COUNT];

  /** Whether the bases of these were asked for; false between two containers. */
  private final boolean[] confirmed = new boolean[MAX_COUNT];

  /** The containers that hints name. */
  private final long[] hinted = new long[MAX_COUNT];

  /** For how many chunks, each. */
  private final int[] hintedChunks = new int[MAX_COUNT];

  /** Directories that were read for this batch because hints named them. */
  private int followed;

  /** Directories that were read for this batch because bases lie there. */
  private int followedToBases;

  private byte[] fingerprints;
  private long[] refs;

  /** The bases of chunks that were found, by their place in the batch; -1 of whole ones. */
  private final long[] bases = new long[MAX_COUNT];

  /**
   * @param filters null as long as there are none
   * @param sampled null if filters and store have the entries
   */
  IndexLookup(
      MetadataStore store,
      ContainerStore containers,
      ChunkPins chunkPins,
      RecentPlaces cache,
      StoreBackoff backoff,
      IndexCounters counters,
      Supplier<BloomFilterArray> filters,
      SampledPlaces sampled) {
    this.store = store;
    this.containers = containers;
    this.chunkPins = chunkPins;
    this.cache = cache;
    this.backoff = backoff;
    this.counters = counters;
    this.filters = filters;
    this.sampled = sampled;
    this.recentContainers = new RecentContainers(containers);
  }

  /**
   * Finds chunks that new blocks may refer to; to be called under a {@link ChunkPins#pin}.
   *
   * @param batch fingerprints of {@code count} chunks, one after the other
   * @param count at most {@link #MAX_COUNT}
   * @param into gets each chunk's reference, or -1
   */
  public void find(byte[] batch, int count, long[] into) {
    fingerprints = batch;
    refs = into;
    foundCount = 0;
    followed = 0;
    followedToBases = 0;
    // The last call may have ended with an error.
    proposedCount = 0;
    Arrays.fill(confirmed, false);
    recentContainers.nextBatch();
    findInCache(count);
    findBeside();
    if (unknownCount > 0 && sampled == null) {
      findInStore();
    } else if (unknownCount > 0) {
      findInMemory();
    }
    cache.put(fingerprints, refs, found, foundCount);
  }

  private void findInCache(int count) {
    cache.find(fingerprints, count, places);
    for (int i = 0; i < count; i++) {
      refs[i] = NONE;
      unknown[i] = i;
    }
    unknownCount = count;
    followHints(false);
    forgetFound();
    counters.foundInCache.add(count - unknownCount);
  }

  /**
   * Takes the unknown chunks that are where the hints say. Container by container, so that none is
   * loaded twice for a batch, and those in memory first, before the others push them out. Of these
   * some are loaded, those that have the most chunks: what is scattered wider is stored again.
   *
   * @param numbered whether references are known, not only containers
   */
  private void followHints(boolean numbered) {
    int count = 0;
    int place = 0;
    for (int i = 0; i < unknownCount; i++) {
      long container = hintedContainer(unknown[i], numbered);
      if (container != NONE) {
        place = place < count && hinted[place] == container ? place : find(container, count);
        if (place == count) {
          hinted[place] = container;
          hintedChunks[place] = 0;
          count++;
        }
        hintedChunks[place]++;
      }
    }
    for (int i = 0; i < count; i++) {
      if (containers.isLoaded(hinted[i])) {
        followHints(hinted[i], numbered);
        hintedChunks[i] = 0;
      } else if (!containers.exists(hinted[i])) {
        // Hints stay when a container goes.
        hintedChunks[i] = 0;
      }
    }
    for (int i = mostHinted(count); i >= 0 && followed < MAX_FOLLOWED; i = mostHinted(count)) {
      followed++;
      followHints(hinted[i], numbered);
      hintedChunks[i] = 0;
    }
  }

  /** Returns which container left is hinted for the most chunks; -1 if there is none. */
  private int mostHinted(int count) {
    int most = -1;
    for (int i = 0; i < count; i++) {
      if (hintedChunks[i] > (most < 0 ? 0 : hintedChunks[most])) {
        most = i;
      }
    }
    return most;
  }

  private long hintedContainer(int chunk, boolean numbered) {
    if (!numbered) {
      return places[chunk];
    }
    return hints[chunk] == NONE ? NONE : ChunkRef.container(hints[chunk]);
  }

  /** Returns the place of a hinted container; {@code count} if it is none yet. */
  private int find(long container, int count) {
    int place = 0;
    while (place < count && hinted[place] != container) {
      place++;
    }
    return place;
  }

  private void followHints(long container, boolean numbered) {
    ContainerDirectory content = numbered ? null : directoryOrNull(container);
    if (!numbered && content == null) {
      return;
    }
    for (int i = 0; i < unknownCount; i++) {
      int chunk = unknown[i];
      if (hintedContainer(chunk, numbered) == container) {
        if (numbered) {
          propose(chunk, hints[chunk]);
        } else {
          proposeFrom(container, content, chunk);
        }
      }
    }
    confirmBases();
    for (int i = 0; i < proposedCount; i++) {
      take(i);
    }
    proposedCount = 0;
  }

  private ContainerDirectory directoryOrNull(long container) {
    try {
      return containers.directory(container);
    } catch (IOException e) {
      LOG.debug("Container {} can't be read", container, e);
      return null;
    }
  }

  private void proposeFrom(long container, ContainerDirectory content, int chunk) {
    int index = content.find(fingerprints, chunk * Fingerprinter.LENGTH);
    if (index >= 0) {
      propose(chunk, ChunkRef.pack(container, content.number(index)));
    }
  }

  /**
   * Proposes the place of a chunk, if it is the wanted one and new blocks may refer to it. First
   * acquired, then confirmed: see {@link ChunkPins}. A chunk that is kept as a difference is there
   * only if its base is, which is acquired here and confirmed by {@link #confirmBases}.
   */
  private void propose(int chunk, long ref) {
    try {
      long base =
          chunkPins.acquire(ref)
              ? containers.baseIfHeld(ref, fingerprints, chunk * Fingerprinter.LENGTH)
              : ContainerStore.NOT_HELD;
      if (base != ContainerStore.NOT_HELD && (base < 0 || chunkPins.acquire(base))) {
        proposed[proposedCount] = chunk;
        proposedRefs[proposedCount] = ref;
        proposedBases[proposedCount] = base;
        proposedCount++;
      }
    } catch (IOException e) {
      LOG.debug("{} can't be confirmed", ChunkRef.toString(ref), e);
    }
  }

  /**
   * Drops what is proposed and has a base that is not there. Container by container, so that no
   * directory is loaded twice for what one container has.
   */
  private void confirmBases() {
    for (int i = 0; i < proposedCount; i++) {
      if (proposedBases[i] >= 0 && !confirmed[i]) {
        long container = ChunkRef.container(proposedBases[i]);
        boolean isRead = containers.exists(container) && !containers.isLoaded(container);
        boolean tooMany = isRead && followedToBases >= MAX_FOLLOWED;
        followedToBases += isRead && !tooMany ? 1 : 0;
        for (int j = i; j < proposedCount; j++) {
          if (proposedBases[j] >= 0 && ChunkRef.container(proposedBases[j]) == container) {
            confirmed[j] = true;
            if (tooMany || !isBase(proposedBases[j])) {
              proposedRefs[j] = NONE;
            }
          }
        }
      }
    }
    int kept = 0;
    for (int i = 0; i < proposedCount; i++) {
      confirmed[i] = false;
      if (proposedRefs[i] != NONE) {
        proposed[kept] = proposed[i];
        proposedRefs[kept] = proposedRefs[i];
        proposedBases[kept] = proposedBases[i];
        kept++;
      }
    }
    proposedCount = kept;
  }

  private boolean isBase(long ref) {
    try {
      return containers.lengthOfBase(ref, false) > 0;
    } catch (IOException e) {
      LOG.debug("{} can't be confirmed", ChunkRef.toString(ref), e);
      return false;
    }
  }

  /** Takes a place that is proposed and confirmed. */
  private void take(int i) {
    int chunk = proposed[i];
    refs[chunk] = proposedRefs[i];
    bases[chunk] = proposedBases[i];
    recentContainers.found(ChunkRef.container(proposedRefs[i]));
  }

  /**
   * Returns the base of a chunk of the last batch that was found, which is held as the chunk is: a
   * block that refers to one refers to both.
   *
   * @return its reference; -1 if the chunk is whole
   */
  public long base(int chunk) {
    return bases[chunk];
  }

  private void findBeside() {
    if (unknownCount == 0) {
      return;
    }
    for (long container : recentContainers.toSearch()) {
      ContainerDirectory content = directoryOrNull(container);
      if (content != null) {
        findIn(container, content);
      }
    }
    forgetFound();
  }

  private void findIn(long container, ContainerDirectory content) {
    for (int i = 0; i < unknownCount; i++) {
      int chunk = unknown[i];
      if (refs[chunk] == NONE || ChunkRef.container(refs[chunk]) < container) {
        proposeFrom(container, content, chunk);
      }
    }
    confirmBases();
    int added = 0;
    for (int i = 0; i < proposedCount; i++) {
      if (refs[proposed[i]] == NONE) {
        found[foundCount++] = proposed[i];
        added++;
      }
      take(i);
    }
    proposedCount = 0;
    counters.foundBeside.add(added);
  }

  private void findInStore() {
    BloomFilterArray array = filters.get();
    if (array == null || backoff.isResting()) {
      counters.notLookedUp.add(unknownCount);
      return;
    }
    copyUnknown();
    array.query(absent, unknownCount, candidates);
    List<byte[]> keys = new ArrayList<>();
    List<Integer> owners = new ArrayList<>();
    for (int i = 0; i < unknownCount; i++) {
      int size = candidates.size(i);
      suspected[unknown[i]] = size > 0;
      for (int j = 0; j < size; j++) {
        keys.add(IndexEntry.key(candidates.segment(i, j), absent, i * Fingerprinter.LENGTH));
        owners.add(unknown[i]);
      }
    }
    try {
      if (!keys.isEmpty() && readKeys(keys, owners)) {
        // Only some of the chunks that were stored again have entries for the later copy: so those
        // that the store named count as unknown until the containers were searched.
        findBeside();
      }
      countNew();
    } catch (MetadataException e) {
      backoff.failed(e);
      counters.notLookedUp.add(unknownCount);
    }
  }

  private void copyUnknown() {
    for (int i = 0; i < unknownCount; i++) {
      System.arraycopy(
          fingerprints,
          unknown[i] * Fingerprinter.LENGTH,
          absent,
          i * Fingerprinter.LENGTH,
          Fingerprinter.LENGTH);
    }
  }

  private void findInMemory() {
    copyUnknown();
    sampled.find(absent, unknownCount, hints);
    for (int i = 0; i < unknownCount; i++) {
      places[unknown[i]] = hints[i];
    }
    followHints(false);
    if (countFound(places)) {
      // As for those that the store named.
      findBeside();
    }
  }

  /**
   * Counts the chunks that were followed to where they may be.
   *
   * @param followed where that is, by their place in the batch
   * @return whether any chunk was found
   */
  private boolean countFound(long[] followed) {
    boolean any = false;
    for (int i = 0; i < unknownCount; i++) {
      int chunk = unknown[i];
      if (refs[chunk] != NONE) {
        any = true;
        found[foundCount++] = chunk;
        counters.foundInStore.increment();
      } else if (followed[chunk] != NONE) {
        counters.unconfirmed.increment();
      }
    }
    return any;
  }

  /** Returns whether any chunk was found. */
  private boolean readKeys(List<byte[]> keys, List<Integer> owners) throws MetadataException {
    long asked = System.nanoTime();
    List<byte[]> values = store.get(Table.CHUNKS, keys);
    backoff.answered(System.nanoTime() - asked);
    counters.keysRead.add(keys.size());
    for (int i = 0; i < unknownCount; i++) {
      hints[unknown[i]] = NONE;
    }
    for (int i = 0; i < values.size(); i++) {
      if (values.get(i) != null) {
        long ref = IndexEntry.ref(values.get(i));
        int chunk = owners.get(i);
        // The earlier copy may be sound.
        if (ref != NONE
            && !containers.isBad(ref)
            && (hints[chunk] == NONE || Long.compareUnsigned(ref, hints[chunk]) > 0)) {
          hints[chunk] = ref;
        }
      }
    }
    followHints(true);
    return countFound(hints);
  }

  private void forgetFound() {
    int before = unknownCount;
    unknownCount = 0;
    for (int i = 0; i < before; i++) {
      if (refs[unknown[i]] == NONE) {
        unknown[unknownCount] = unknown[i];
        unknownCount++;
      }
    }
  }

  private void countNew() {
    int byStore = 0;
    for (int i = 0; i < unknownCount; i++) {
      byStore += suspected[unknown[i]] ? 1 : 0;
    }
    counters.newByStore.add(byStore);
    counters.newByFilters.add(unknownCount - byStore);
  }
}
