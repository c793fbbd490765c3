/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.index;

import io.hdrf.codec.dedup.container.ChunkPins;
import io.hdrf.codec.dedup.container.ContainerStore;
import io.hdrf.codec.dedup.container.Throttle;
import io.hdrf.codec.dedup.container.format.ChunkRef;
import io.hdrf.codec.dedup.container.format.Fingerprinter;
import io.hdrf.codec.dedup.dba.BloomFilterArray;
import io.hdrf.codec.dedup.dba.DbaSettings;
import io.hdrf.spi.io.DurableFiles;
import io.hdrf.spi.io.RateThrottle;
import io.hdrf.spi.store.MetadataException;
import io.hdrf.spi.store.MetadataStore;
import io.hdrf.spi.store.Table;
import java.io.Closeable;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.NavigableSet;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.LongPredicate;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds chunks by their fingerprints; {@link IndexLookup} says how. Only some of the chunks have
 * entries, in the filters and the metadata store or, where so configured, in memory ({@link
 * CuckooIndex}): the first new one of each block and every n-th after it. What lies between is
 * found by its neighbours, which stand in the same container. What is found is a hint: a {@link
 * ContainerStore} has to confirm it. What is lost, or can't be reached, costs space and nothing
 * else: the chunk is stored again. Safe for use by many threads, of which one, its own, calls
 * {@link #work}.
 */
public final class FingerprintIndex implements Closeable {

  private static final Logger LOG = LoggerFactory.getLogger(FingerprintIndex.class);

  private static final long LEAVE_NANOS = TimeUnit.MINUTES.toNanos(1);

  private final MetadataStore store;
  private final ContainerStore containers;
  private final ChunkPins chunkPins;
  private final Path directory;
  private final DurableFiles files;
  private final int sample;
  private final DbaSettings dba;
  private final StoredSegments segments;
  private final CompleteMark mark;
  private final EntryWriter writer;
  private final IndexRebuild rebuild;
  private final RecentPlaces cache;
  private final IndexCounters counters = new IndexCounters();
  private final AtomicLong removedSinceCompaction = new AtomicLong();
  private final StoreBackoff backoff;
  private final LongSupplier nanoTime;
  private final PlacesFile placesFile;
  private final RateThrottle throttle = new RateThrottle(RateThrottle.SYSTEM);

  /** Has the entries in memory alone; null if filters and store have them. */
  private final CuckooIndex inMemory;

  /** Whether an index in memory has taken everything out of the store that was left there. */
  private boolean storeLeft;

  /** When that is tried next. */
  private long leaveAt;

  private boolean leaveFailed;

  /** Null until the store was reached for the first time, and during the beginning of a rebuild. */
  private volatile BloomFilterArray filters;

  /** Containers of chunks that came while too many waited, or got their fingerprints later. */
  private final NavigableSet<Long> missed = new ConcurrentSkipListSet<>();

  /** The number of retired filters when their entries were deleted last; -1: never yet. */
  private long retired = -1;

  private boolean complete;

  /** As {@link CompleteMark#upto}, when it was read or written last. */
  private long upto = CompleteMark.NONE;

  /**
   * @param store may fail at any time
   * @param directory for the filters' files
   */
  public FingerprintIndex(
      MetadataStore store,
      ContainerStore containers,
      ChunkPins chunkPins,
      Path directory,
      DurableFiles files,
      IndexSettings settings) {
    this(store, containers, chunkPins, directory, files, settings, System::nanoTime);
  }

  /**
   * @param nanoTime as {@link System#nanoTime}
   */
  FingerprintIndex(
      MetadataStore store,
      ContainerStore containers,
      ChunkPins chunkPins,
      Path directory,
      DurableFiles files,
      IndexSettings settings,
      LongSupplier nanoTime) {
    this.store = store;
    this.containers = containers;
    this.chunkPins = chunkPins;
    this.directory = directory;
    this.files = files;
    this.sample = settings.sample();
    this.dba = settings.dba();
    this.segments = new StoredSegments(store);
    this.mark = new CompleteMark(store, sample);
    this.writer = new EntryWriter(store, segments, counters);
    this.rebuild = new IndexRebuild(store, containers, segments, mark, writer, sample);
    this.cache = new RecentPlaces(settings.cacheMemory(), containers.memory());
    this.nanoTime = nanoTime;
    this.leaveAt = nanoTime.getAsLong();
    this.backoff = new StoreBackoff(directory, counters, nanoTime);
    this.placesFile =
        new PlacesFile(
            directory.resolveSibling(PlacesFile.NAME), files, containers.identity(), sample);
    this.inMemory =
        settings.inMemory()
            ? new CuckooIndex(containers, placesFile, settings, counters, nanoTime)
            : null;
    throttle.setRate(settings.bytesPerSecond());
  }

  /** Has it known from now on where the entries are; to be called before the first block comes. */
  public void begin() {
    if (inMemory != null) {
      inMemory.begin();
    }
  }

  /** A new one, for one thread. */
  public IndexLookup newLookup() {
    return newLookup(chunkPins);
  }

  /**
   * A new one, for one thread, which does not keep what it finds from being collected: for a
   * collector, which copies the bytes before it drops anything.
   */
  public IndexLookup newLookupWithoutPins() {
    return newLookup(new ChunkPins());
  }

  private IndexLookup newLookup(ChunkPins pins) {
    return new IndexLookup(
        store,
        containers,
        pins,
        cache,
        backoff,
        counters,
        () -> filters,
        inMemory == null ? null : inMemory.places());
  }

  /**
   * Makes the new chunks of a block known. Never waits for the store.
   *
   * @param fingerprints {@code count} of them, one after the other, in the block's order
   * @param refs the chunks' references; the chunks are durable
   */
  public void publish(byte[] fingerprints, long[] refs, int count) {
    for (int i = 0; i < count; i += RecentPlaces.MAX_COUNT) {
      cache.put(fingerprints, refs, i, Math.min(count - i, RecentPlaces.MAX_COUNT));
    }
    if (inMemory != null) {
      inMemory.publish(fingerprints, refs, count);
      return;
    }
    for (int i = 0; i < count; ) {
      IndexUpdate entries = new IndexUpdate((count - i) / sample + 1);
      for (; i < count && !entries.isFull(); i += sample) {
        entries.add(fingerprints, i * Fingerprinter.LENGTH, refs[i]);
      }
      if (!writer.offer(entries)) {
        counters.dropped.add(entries.count());
        for (int j = 0; j < entries.count(); j++) {
          missed.add(ChunkRef.container(entries.ref(j)));
        }
      }
    }
  }

  /**
   * Returns the number of entries of an index in memory, which knows neither fingerprints nor
   * references; -1 if filters and store have them.
   */
  public long entriesInMemory() {
    return inMemory == null ? -1 : inMemory.places().count();
  }

  /**
   * Shows each entry that the store has.
   *
   * @param visitor is given the chunk's reference, or -1 if the entry is not what it must be;
   *     returns false to end
   */
  public void forEachEntry(LongPredicate visitor) throws MetadataException {
    store.scan(Table.CHUNKS, new byte[0], (key, value) -> visitor.test(IndexEntry.ref(value)));
  }

  /** For tests. */
  CuckooIndex inMemory() {
    return inMemory;
  }

  /** Returns the number of entries that wait to be written. */
  public long pending() {
    return writer.waiting();
  }

  /**
   * Does what has to be done in the background.
   *
   * @param stopping whether to return soon
   */
  public void work(BooleanSupplier stopping) {
    for (Long more = containers.pollFingerprinted();
        more != null;
        more = containers.pollFingerprinted()) {
      missed.add(more);
    }
    if (inMemory != null) {
      workInMemory(stopping);
      return;
    }
    if (backoff.isDown() || backoff.isFull()) {
      return;
    }
    Throttle pace = pace(stopping);
    // Before it is looked what waits, and what was missed.
    long settled = containers.lastSettled();
    try {
      // One that was put back to an earlier time names an earlier container.
      if (!complete || filters == null || !mark.isSet() || mark.upto() != upto) {
        open(stopping);
      }
      BloomFilterArray array = filters;
      if (array == null) {
        return;
      }
      maintain(array, stopping);
      if (!array.isComplete()) {
        return;
      }
      if (!complete) {
        complete = rebuild.advance(array, stopping, pace, () -> maintain(array, stopping));
        if (complete) {
          LOG.info("The fingerprint index in {} is complete", directory);
        }
      }
      if (complete) {
        addMissed(array, stopping, pace, settled);
      }
      deleteRetired(array, stopping);
      nothingIsMissingUpTo(settled);
      backoff.recovered();
    } catch (InterruptedIOException e) {
      LOG.debug("Containers are read for the index later", e);
    } catch (IOException e) {
      backoff.failedToChange(e);
    }
  }

  /**
   * All chunks up to this container were published. Remembers up to where all their entries are
   * written.
   */
  private void nothingIsMissingUpTo(long container) throws MetadataException {
    Long first = missed.ceiling(Long.MIN_VALUE);
    long written = first == null ? container : Math.min(container, first - 1);
    if (written > upto && writer.waiting() == 0) {
      mark.setUpto(written);
      upto = written;
    }
  }

  private Throttle pace(BooleanSupplier stopping) {
    return bytes -> {
      if (!throttle.take(bytes, stopping)) {
        throw new InterruptedIOException("the store is being closed");
      }
    };
  }

  private void workInMemory(BooleanSupplier stopping) {
    Throttle pace = pace(stopping);
    try {
      inMemory.open(pace);
      leaveStore(stopping);
      inMemory.fill(stopping, pace);
      for (Long container : new ArrayList<>(missed)) {
        if (inMemory.add(container, pace)) {
          missed.remove(container);
        }
      }
    } catch (IOException e) {
      LOG.debug("The index in memory is filled later", e);
    }
  }

  /** Takes out what filters and store have of the time when they were used, which is old soon. */
  private void leaveStore(BooleanSupplier stopping) {
    if (storeLeft || nanoTime.getAsLong() - leaveAt < 0) {
      return;
    }
    try {
      clearFilters();
      storeLeft = rebuild.clear(stopping);
    } catch (IOException e) {
      if (!leaveFailed) {
        LOG.warn(
            "Entries of the time before hdrf.dedup.index was cuckoo can't be deleted, in the"
                + " metadata store or in {}, and take space there. This is tried every minute: see"
                + " that the store can be reached and the directory be written. If you gave the"
                + " store up, there is nothing to do",
            directory,
            e);
        leaveFailed = true;
      }
      leaveAt = nanoTime.getAsLong() + LEAVE_NANOS;
    }
  }

  private void maintain(BloomFilterArray array, BooleanSupplier stopping) throws MetadataException {
    do {
      if (array.isComplete()) {
        writer.writeWaiting(array, stopping);
      }
    } while (!stopping.getAsBoolean() && array.maintain());
  }

  private void open(BooleanSupplier stopping) throws IOException {
    if (placesFile.exists()) {
      // The index was in memory meanwhile, and the store may have been out of reach.
      mark.remove();
      placesFile.delete();
    }
    complete = mark.isSet();
    if (complete || mark.position() != null) {
      if (filters == null) {
        retired = -1;
        filters = openFilters();
      }
      missLater();
      return;
    }
    LOG.info("The fingerprint index in {} is made anew from the containers", directory);
    counters.rebuilds.increment();
    BloomFilterArray old = filters;
    filters = null;
    if (old != null) {
      old.close();
    }
    if (!rebuild.clear(stopping)) {
      return;
    }
    clearFilters();
    BloomFilterArray fresh = openFilters();
    boolean begun = false;
    try {
      fresh.maintain();
      // The containers have what was published before.
      writer.clear();
      missed.clear();
      upto = containers.lastSettled();
      mark.setUpto(upto);
      rebuild.begin();
      filters = fresh;
      begun = true;
    } finally {
      if (!begun) {
        fresh.close();
      }
    }
  }

  /**
   * Has those containers read of which the store may lack entries: they waited when a process
   * ended, or came after the time to which the store was put back.
   */
  private void missLater() throws MetadataException {
    long stored = mark.upto();
    if (stored == upto) {
      return;
    }
    if (stored != CompleteMark.NONE) {
      for (long id = containers.next(stored); id >= 0; id = containers.next(id)) {
        missed.add(id);
      }
    }
    upto = stored;
  }

  private BloomFilterArray openFilters() throws IOException {
    return BloomFilterArray.open(directory, files, dba, segments, containers.memory());
  }

  /** In the order of ids, so that the next start goes on where this one ends. */
  private void addMissed(
      BloomFilterArray array, BooleanSupplier stopping, Throttle pace, long settled)
      throws IOException {
    for (Long container : new ArrayList<>(missed)) {
      if (stopping.getAsBoolean()) {
        return;
      }
      // Before it is read: later misses are for the next time.
      missed.remove(container);
      boolean added = false;
      try {
        rebuild.index(container, array, stopping, pace, () -> maintain(array, stopping));
        // Else only some of its batches may have been written.
        added = !stopping.getAsBoolean();
      } finally {
        if (!added) {
          missed.add(container);
        }
      }
      nothingIsMissingUpTo(settled);
    }
  }

  /** Entries whose filters were given up for want of memory are not found any more. */
  private void deleteRetired(BloomFilterArray array, BooleanSupplier stopping)
      throws MetadataException {
    long now = array.counters().retired();
    if (now == retired) {
      return;
    }
    for (int segment : segments.segments()) {
      if (stopping.getAsBoolean()) {
        return;
      }
      if (!array.isKnown(segment)) {
        long deleted = segments.delete(segment);
        counters.removed.add(deleted);
        removedSinceCompaction.addAndGet(deleted);
        writer.writeWaiting(array, stopping);
      }
    }
    retired = now;
  }

  private void clearFilters() throws IOException {
    if (!Files.isDirectory(directory)) {
      return;
    }
    try (DirectoryStream<Path> entries = Files.newDirectoryStream(directory)) {
      for (Path entry : entries) {
        files.deleteIfExists(entry);
      }
    }
    files.forceDirectory(directory);
  }

  /**
   * Forgets chunks that are about to be dropped; a failure does no harm.
   *
   * @param container where they are
   * @param numbers their numbers
   */
  public void remove(long container, BitSet numbers) {
    BloomFilterArray array = filters;
    if (array == null || backoff.isDown()) {
      return;
    }
    try {
      removedSinceCompaction.addAndGet(
          new EntryRemover(store, array, counters)
              .remove(container, containers.directory(container), numbers));
    } catch (MetadataException e) {
      backoff.failedToChange(e);
    } catch (IOException e) {
      LOG.warn("Entries of container {} stay in the index, without harm", container, e);
    }
  }

  /**
   * Compacts the store's table once the removed entries are a quarter of those left; a failure does
   * no harm. May take a minute.
   */
  public void reclaim() {
    long removed = removedSinceCompaction.get();
    if (removed == 0 || backoff.isDown()) {
      return;
    }
    try {
      if (removed * 4 >= store.estimatedCount(Table.CHUNKS)) {
        store.compact(Table.CHUNKS);
        removedSinceCompaction.addAndGet(-removed);
      }
    } catch (MetadataException e) {
      backoff.failedToChange(e);
    }
  }

  /** Figures by name. */
  public Map<String, Long> metrics() {
    Map<String, Long> values = new LinkedHashMap<>(counters.asMap());
    values.put("indexPending", pending());
    values.put("indexCacheMemoryBytes", cache.memory());
    values.put("indexEntriesInMemory", Math.max(0, entriesInMemory()));
    values.put("indexEntriesMemoryBytes", inMemory == null ? 0 : inMemory.places().memory());
    values.put("indexContainersToRead", inMemory == null ? 0L : inMemory.toRead());
    BloomFilterArray array = filters;
    if (array != null) {
      array
          .counters()
          .asMap()
          .forEach(
              (name, value) ->
                  values.put(
                      "dba" + Character.toUpperCase(name.charAt(0)) + name.substring(1), value));
    }
    return values;
  }

  /**
   * Writes what waits, as far as the store takes it now, and the filters that changed; or what is
   * in memory.
   */
  @Override
  public void close() throws IOException {
    cache.close();
    if (inMemory != null) {
      inMemory.close();
    }
    BloomFilterArray array = filters;
    filters = null;
    if (array == null) {
      return;
    }
    try {
      if (!backoff.isDown() && !backoff.isFull()) {
        writer.writeWaiting(array, () -> false);
        // Nobody appends any more.
        nothingIsMissingUpTo(containers.last());
      }
    } catch (MetadataException e) {
      LOG.info(
          "Entries of {} chunks are added after the next start, from their containers",
          pending(),
          e);
    } finally {
      writer.clear();
      array.close();
    }
  }
}
