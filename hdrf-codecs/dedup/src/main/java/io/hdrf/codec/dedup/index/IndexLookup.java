/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.index;

import io.hdrf.codec.dedup.container.ChunkPins;
import io.hdrf.codec.dedup.container.ContainerStore;
import io.hdrf.codec.dedup.container.format.ChunkRef;
import io.hdrf.codec.dedup.container.format.ContainerDirectory;
import io.hdrf.codec.dedup.container.format.Fingerprinter;
import io.hdrf.codec.dedup.container.format.SlotHash;
import io.hdrf.codec.dedup.dba.BloomFilterArray;
import io.hdrf.codec.dedup.dba.Candidates;
import io.hdrf.spi.store.MetadataException;
import io.hdrf.spi.store.MetadataStore;
import io.hdrf.spi.store.Table;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks chunks up, a batch at once: in the cache; in the directories of the containers where others
 * of this batch and of the last ones were found; in the filters and the segments of the store that
 * these name; and, where that found any, in the directories of their containers. For one thread;
 * used again and again.
 */
public final class IndexLookup {

  private static final Logger LOG = LoggerFactory.getLogger(IndexLookup.class);

  /** The most fingerprints of one call of {@link #find}. */
  public static final int MAX_COUNT = 1024;

  private final MetadataStore store;
  private final ContainerStore containers;
  private final ChunkPins chunkPins;
  private final RefCache cache;
  private final StoreBackoff backoff;
  private final IndexCounters counters;
  private final Supplier<BloomFilterArray> filters;
  private final RecentContainers recentContainers;
  private final Candidates candidates = new Candidates();

  /** The chunks of the batch that are not found yet, by their place in it. */
  private final int[] unknown = new int[MAX_COUNT];

  private int unknownCount;

  /** Fingerprints of these. */
  private final byte[] absent = new byte[MAX_COUNT * Fingerprinter.LENGTH];

  /** Whether the filters named a segment for a chunk of the batch, by its place in it. */
  private final boolean[] suspected = new boolean[MAX_COUNT];

  private byte[] fingerprints;
  private long[] refs;

  /**
   * @param filters null as long as there are none
   */
  IndexLookup(
      MetadataStore store,
      ContainerStore containers,
      ChunkPins chunkPins,
      RefCache cache,
      StoreBackoff backoff,
      IndexCounters counters,
      Supplier<BloomFilterArray> filters) {
    this.store = store;
    this.containers = containers;
    this.chunkPins = chunkPins;
    this.cache = cache;
    this.backoff = backoff;
    this.counters = counters;
    this.filters = filters;
    this.recentContainers = new RecentContainers(containers);
  }

  /**
   * Finds chunks that new blocks may refer to; to be called under a {@link ChunkPins#pin}.
   *
   * @param batch fingerprints of {@code count} chunks, one after the other
   * @param count at most {@link #MAX_COUNT}
   * @param found gets each chunk's reference, or -1
   */
  public void find(byte[] batch, int count, long[] found) {
    fingerprints = batch;
    refs = found;
    recentContainers.nextBatch();
    findInCache(count);
    findBeside();
    if (unknownCount > 0) {
      findInStore();
    }
  }

  private void findInCache(int count) {
    unknownCount = 0;
    for (int i = 0; i < count; i++) {
      long ref = cache.get(SlotHash.prefix(fingerprints, i * Fingerprinter.LENGTH));
      if (ref == RefCache.NONE || !accept(i, ref)) {
        refs[i] = RefCache.NONE;
        unknown[unknownCount] = i;
        unknownCount++;
      }
    }
    counters.foundInCache.add(count - unknownCount);
  }

  /** Takes a chunk that may be the wanted one, if it is. */
  private boolean accept(int chunk, long ref) {
    if (!confirm(ref, fingerprints, chunk * Fingerprinter.LENGTH)) {
      return false;
    }
    refs[chunk] = ref;
    recentContainers.found(ChunkRef.container(ref));
    return true;
  }

  /** First acquired, then confirmed: see {@link ChunkPins}. */
  private boolean confirm(long ref, byte[] wanted, int offset) {
    try {
      return chunkPins.acquire(ref) && containers.holds(ref, wanted, offset);
    } catch (IOException e) {
      LOG.debug("{} can't be confirmed", ChunkRef.toString(ref), e);
      return false;
    }
  }

  private void findBeside() {
    if (unknownCount == 0) {
      return;
    }
    for (long container : recentContainers.toSearch()) {
      try {
        findIn(container, containers.directory(container));
      } catch (IOException e) {
        LOG.debug("Container {} can't be read", container, e);
      }
    }
  }

  private void findIn(long container, ContainerDirectory content) {
    int before = unknownCount;
    unknownCount = 0;
    for (int i = 0; i < before; i++) {
      int chunk = unknown[i];
      int index = content.find(fingerprints, chunk * Fingerprinter.LENGTH);
      if (index < 0 || !accept(chunk, ChunkRef.pack(container, content.number(index)))) {
        unknown[unknownCount] = chunk;
        unknownCount++;
      } else {
        remember(chunk);
      }
    }
    counters.foundBeside.add(before - unknownCount);
  }

  private void remember(int chunk) {
    cache.put(SlotHash.prefix(fingerprints, chunk * Fingerprinter.LENGTH), refs[chunk]);
  }

  private void findInStore() {
    BloomFilterArray array = filters.get();
    if (array == null || backoff.isResting()) {
      counters.notLookedUp.add(unknownCount);
      return;
    }
    for (int i = 0; i < unknownCount; i++) {
      System.arraycopy(
          fingerprints,
          unknown[i] * Fingerprinter.LENGTH,
          absent,
          i * Fingerprinter.LENGTH,
          Fingerprinter.LENGTH);
    }
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
        forgetFound();
        findBeside();
      }
      countNew();
    } catch (MetadataException e) {
      backoff.failed(e);
      counters.notLookedUp.add(unknownCount);
    }
  }

  /** Returns whether any chunk was found. */
  private boolean readKeys(List<byte[]> keys, List<Integer> owners) throws MetadataException {
    long asked = System.nanoTime();
    List<byte[]> values = store.get(Table.CHUNKS, keys);
    backoff.answered(System.nanoTime() - asked);
    counters.keysRead.add(keys.size());
    boolean any = false;
    for (int i = 0; i < values.size(); i++) {
      int chunk = owners.get(i);
      if (values.get(i) == null || refs[chunk] != RefCache.NONE) {
        continue;
      }
      long ref = IndexEntry.ref(values.get(i));
      if (ref == RefCache.NONE || !accept(chunk, ref)) {
        counters.unconfirmed.increment();
        continue;
      }
      any = true;
      remember(chunk);
      counters.foundInStore.increment();
    }
    return any;
  }

  private void forgetFound() {
    int before = unknownCount;
    unknownCount = 0;
    for (int i = 0; i < before; i++) {
      if (refs[unknown[i]] == RefCache.NONE) {
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
