/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.index;

import io.hdrf.codec.dedup.container.ChunkRef;
import io.hdrf.codec.dedup.container.ContainerDirectory;
import io.hdrf.codec.dedup.container.ContainerInfo;
import io.hdrf.codec.dedup.container.ContainerStore;
import io.hdrf.codec.dedup.container.Fingerprinter;
import io.hdrf.codec.dedup.dba.BloomFilterArray;
import io.hdrf.codec.dedup.dba.Candidates;
import io.hdrf.codec.dedup.dba.DbaSettings;
import io.hdrf.codec.dedup.liveness.Liveness;
import io.hdrf.io.DurableFiles;
import io.hdrf.metadata.Durability;
import io.hdrf.metadata.MetadataException;
import io.hdrf.metadata.MetadataStore;
import io.hdrf.metadata.StoreBatch;
import io.hdrf.metadata.Table;
import java.io.Closeable;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds chunks by their fingerprints: in a cache of what was seen lately; then by the Bloom filter
 * array, which knows of most new chunks that they are new, and of others in which segments to look;
 * then in these segments of the metadata store. What is found is a hint: a {@link ContainerStore}
 * has to confirm it. What is lost, or can't be reached, costs space and nothing else: the chunk is
 * stored again. Safe for use by many threads, of which one, its keeper, calls {@link #work}.
 */
public final class FingerprintIndex implements Closeable {

  private static final Logger LOG = LoggerFactory.getLogger(FingerprintIndex.class);

  /** Present in {@link Table#STATE} if the store has the whole index. */
  private static final byte[] COMPLETE = "dedup.index".getBytes(StandardCharsets.US_ASCII);

  private static final byte[] FORMAT = {IndexEntry.VERSION};

  /** Entries of one batch. */
  private static final int BATCH = 1024;

  /** How many entries may wait; then the index is made anew when there is time. */
  private static final int MAX_WAITING = 1 << 18;

  private static final long RETRY_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final MetadataStore store;
  private final ContainerStore containers;
  private final Liveness liveness;
  private final Path directory;
  private final DurableFiles files;
  private final DbaSettings settings;
  private final StoredSegments segments;
  private final RefCache cache;
  private final IndexCounters counters = new IndexCounters();

  /** Null until the store was reached for the first time, and while the index is made anew. */
  private volatile BloomFilterArray filters;

  /** Until when the store is left alone after a failure, by {@link System#nanoTime}. */
  private volatile long avoidUntil;

  private volatile boolean avoided;

  /** Guards the next two. */
  private final Object waitingLock = new Object();

  private final Deque<Publication> waiting = new ArrayDeque<>();
  private int waitingEntries;

  /** Of segments that entries were added to since start; for the keeper. */
  private final Map<Integer, Long> generations = new HashMap<>();

  private volatile boolean rebuildWanted;

  /**
   * @param store may fail at any time
   * @param directory for the filters' files
   * @param cacheMemory in bytes
   */
  public FingerprintIndex(
      MetadataStore store,
      ContainerStore containers,
      Liveness liveness,
      Path directory,
      DurableFiles files,
      DbaSettings settings,
      long cacheMemory) {
    this.store = store;
    this.containers = containers;
    this.liveness = liveness;
    this.directory = directory;
    this.files = files;
    this.settings = settings;
    this.segments = new StoredSegments(store);
    this.cache = new RefCache(cacheMemory);
  }

  /** Looks chunks up. For one thread; used again and again. */
  public final class Finder {
    private final Candidates candidates = new Candidates();
    private final byte[] absent = new byte[BATCH * Fingerprinter.LENGTH];
    private final int[] positions = new int[BATCH];

    /**
     * Finds chunks that new blocks may refer to; to be called under a {@link Liveness#pin}.
     *
     * @param fingerprints {@code count} of them, one after the other
     * @param count at most {@link #MAX_COUNT}
     * @param refs gets each chunk's reference, or -1
     */
    public void find(byte[] fingerprints, int count, long[] refs) {
      int unknown = 0;
      for (int i = 0; i < count; i++) {
        int offset = i * Fingerprinter.LENGTH;
        long ref = cache.get(Prefix.of(fingerprints, offset));
        refs[i] = ref != RefCache.NONE && confirm(ref, fingerprints, offset) ? ref : RefCache.NONE;
        if (refs[i] == RefCache.NONE) {
          System.arraycopy(
              fingerprints, offset, absent, unknown * Fingerprinter.LENGTH, Fingerprinter.LENGTH);
          positions[unknown] = i;
          unknown++;
        }
      }
      counters.foundInCache.add(count - unknown);
      if (unknown > 0) {
        findInStore(unknown, refs);
      }
    }

    private void findInStore(int unknown, long[] refs) {
      BloomFilterArray array = filters;
      if (array == null || isAvoided()) {
        counters.notLookedUp.add(unknown);
        return;
      }
      array.query(absent, unknown, candidates);
      List<byte[]> keys = new ArrayList<>();
      List<Integer> owners = new ArrayList<>();
      int negative = 0;
      for (int i = 0; i < unknown; i++) {
        int size = candidates.size(i);
        negative += size == 0 ? 1 : 0;
        for (int j = 0; j < size; j++) {
          keys.add(IndexEntry.key(candidates.segment(i, j), absent, i * Fingerprinter.LENGTH));
          owners.add(i);
        }
      }
      counters.newByFilters.add(negative);
      if (!keys.isEmpty()) {
        readKeys(keys, owners, refs);
      }
    }

    private void readKeys(List<byte[]> keys, List<Integer> owners, long[] refs) {
      List<byte[]> values;
      try {
        values = store.get(Table.CHUNKS, keys);
      } catch (MetadataException e) {
        failed(e);
        counters.notLookedUp.add(owners.size());
        return;
      }
      counters.keysRead.add(keys.size());
      long neighbours = -1;
      for (int i = 0; i < values.size(); i++) {
        int owner = owners.get(i);
        int position = positions[owner];
        if (values.get(i) == null || refs[position] != RefCache.NONE) {
          continue;
        }
        long ref = IndexEntry.ref(values.get(i));
        if (ref == RefCache.NONE || !confirm(ref, absent, owner * Fingerprinter.LENGTH)) {
          counters.unconfirmed.increment();
          continue;
        }
        refs[position] = ref;
        counters.foundInStore.increment();
        if (ChunkRef.container(ref) != neighbours) {
          neighbours = ChunkRef.container(ref);
          remember(neighbours);
        }
      }
    }
  }

  /** The most fingerprints of one call of {@link Finder#find}. */
  public static final int MAX_COUNT = BATCH;

  public Finder newFinder() {
    return new Finder();
  }

  /** First acquired, then confirmed: see {@link Liveness}. */
  private boolean confirm(long ref, byte[] fingerprints, int offset) {
    try {
      return liveness.acquire(ref) && containers.holds(ref, fingerprints, offset);
    } catch (IOException e) {
      LOG.debug("{} can't be confirmed", ChunkRef.toString(ref), e);
      return false;
    }
  }

  /** What lies beside a chunk that was seen again is likely to be seen again, too. */
  private void remember(long container) {
    try {
      ContainerDirectory content = containers.directory(container);
      byte[] fingerprint = new byte[Fingerprinter.LENGTH];
      for (int i = 0; i < content.chunkCount(); i++) {
        content.fingerprint(i, fingerprint, 0);
        cache.put(Prefix.of(fingerprint, 0), ChunkRef.pack(container, content.number(i)));
      }
    } catch (IOException e) {
      LOG.debug("Container {} can't be read", container, e);
    }
  }

  private boolean isAvoided() {
    return avoided && System.nanoTime() - avoidUntil < 0;
  }

  private void failed(MetadataException e) {
    counters.failures.increment();
    if (!avoided) {
      LOG.warn(
          "The fingerprint index in {} can't be used: {}. New chunks are stored without looking for"
              + " them until it can",
          directory,
          e.getMessage());
    }
    avoidUntil = System.nanoTime() + RETRY_NANOS;
    avoided = true;
  }

  /**
   * Makes chunks known. Never waits for the store.
   *
   * @param fingerprints {@code count} of them, one after the other
   * @param refs the chunks' references; the chunks are durable
   * @param lengths the chunks' lengths in bytes
   */
  public void publish(byte[] fingerprints, long[] refs, int[] lengths, int count) {
    for (int i = 0; i < count; i++) {
      cache.put(Prefix.of(fingerprints, i * Fingerprinter.LENGTH), refs[i]);
    }
    for (int from = 0; from < count; from += BATCH) {
      offer(new Publication(fingerprints, refs, lengths, from, Math.min(count, from + BATCH)));
    }
  }

  private void offer(Publication publication) {
    synchronized (waitingLock) {
      if (waitingEntries + publication.count() > MAX_WAITING) {
        counters.dropped.add(publication.count());
        rebuildWanted = true;
        return;
      }
      waiting.add(publication);
      waitingEntries += publication.count();
    }
  }

  /** How many entries wait to be written. */
  public long pending() {
    synchronized (waitingLock) {
      return waitingEntries;
    }
  }

  /**
   * Does what has to be done in the background.
   *
   * @param stopping whether to return soon
   */
  public void work(BooleanSupplier stopping) {
    if (isAvoided()) {
      return;
    }
    try {
      if (filters == null || !isComplete() || rebuildWanted) {
        open(stopping);
      }
      BloomFilterArray array = filters;
      writeWaiting(array, stopping);
      while (array != null && !stopping.getAsBoolean() && array.maintain()) {
        writeWaiting(array, stopping);
      }
      avoided = false;
    } catch (MetadataException e) {
      failed(e);
    } catch (IOException e) {
      counters.failures.increment();
      LOG.warn("The filters of the fingerprint index in {} can't be kept", directory, e);
      avoidUntil = System.nanoTime() + RETRY_NANOS;
      avoided = true;
    }
  }

  private boolean isComplete() throws MetadataException {
    byte[] value = store.get(Table.STATE, Collections.singletonList(COMPLETE)).get(0);
    return Arrays.equals(value, FORMAT);
  }

  private void open(BooleanSupplier stopping) throws IOException {
    if (isComplete() && !rebuildWanted) {
      filters = BloomFilterArray.open(directory, files, settings, segments);
      return;
    }
    rebuild(stopping);
  }

  /** Makes the index anew from the containers. */
  private void rebuild(BooleanSupplier stopping) throws IOException {
    LOG.info("The fingerprint index in {} is made anew from the containers", directory);
    counters.rebuilds.increment();
    BloomFilterArray old = filters;
    filters = null;
    generations.clear();
    if (old != null) {
      old.close();
    }
    clearStore(stopping);
    clearFilters();
    BloomFilterArray fresh = BloomFilterArray.open(directory, files, settings, segments);
    fresh.maintain();
    // What was published before is in the containers as well.
    forgetWaiting();
    rebuildWanted = false;
    filters = fresh;
    long chunks = 0;
    for (ContainerInfo container : containers.containers()) {
      if (container.problem() == null && containers.isGood(container.id())) {
        chunks += index(container.id(), fresh, stopping);
      }
      if (stopping.getAsBoolean()) {
        return;
      }
    }
    store.write(new StoreBatch().put(Table.STATE, COMPLETE, FORMAT), Durability.PROCESS);
    LOG.info("The fingerprint index in {} has {} chunks", directory, chunks);
  }

  private void forgetWaiting() {
    synchronized (waitingLock) {
      waiting.forEach(Publication::end);
      waiting.clear();
      waitingEntries = 0;
    }
  }

  private void clearStore(BooleanSupplier stopping) throws MetadataException {
    StoreBatch state = new StoreBatch().delete(Table.STATE, COMPLETE);
    segments.addRemoval(state);
    store.write(state, Durability.PROCESS);
    List<byte[]> found = new ArrayList<>();
    do {
      found.clear();
      store.scan(
          Table.CHUNKS,
          new byte[0],
          (key, value) -> {
            found.add(key.clone());
            return found.size() < BATCH;
          });
      StoreBatch batch = new StoreBatch();
      found.forEach(key -> batch.delete(Table.CHUNKS, key));
      store.write(batch, Durability.PROCESS);
    } while (!found.isEmpty() && !stopping.getAsBoolean());
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

  private long index(long container, BloomFilterArray array, BooleanSupplier stopping)
      throws IOException {
    ContainerDirectory content;
    try {
      content = containers.directory(container);
    } catch (IOException e) {
      LOG.warn("Container {} can't be indexed", container, e);
      return 0;
    }
    byte[] fingerprints = new byte[BATCH * Fingerprinter.LENGTH];
    long[] refs = new long[BATCH];
    int[] lengths = new int[BATCH];
    int count = 0;
    for (int i = 0; i < content.chunkCount() && !stopping.getAsBoolean(); i++) {
      content.fingerprint(i, fingerprints, count * Fingerprinter.LENGTH);
      refs[count] = ChunkRef.pack(container, content.number(i));
      lengths[count] = content.length(i);
      count++;
      if (count == BATCH || i + 1 == content.chunkCount()) {
        Publication entries = new Publication(fingerprints, refs, lengths, 0, count);
        try {
          write(entries, array);
        } finally {
          entries.end();
        }
        count = 0;
      }
    }
    return content.chunkCount();
  }

  private void writeWaiting(BloomFilterArray array, BooleanSupplier stopping) throws IOException {
    while (array != null && !stopping.getAsBoolean()) {
      Publication next;
      synchronized (waitingLock) {
        next = waiting.peek();
      }
      if (next == null) {
        return;
      }
      write(next, array);
      synchronized (waitingLock) {
        // Not there any more if there was a rebuild.
        if (waiting.peek() == next) {
          waiting.remove();
          waitingEntries -= next.count();
        }
      }
    }
  }

  /** Into the filters first: what the store holds must never be missing there. */
  private void write(Publication entries, BloomFilterArray array) throws IOException {
    if (entries.segments() == null) {
      int[] given = new int[entries.count()];
      entries.setSegments(given, array.insert(entries.fingerprints(), entries.count(), given));
    }
    StoreBatch batch = new StoreBatch();
    Set<Integer> touched = new TreeSet<>();
    for (int i = 0; i < entries.count(); i++) {
      int segment = entries.segments()[i];
      if (segment >= 0) {
        batch.put(
            Table.CHUNKS,
            IndexEntry.key(segment, entries.fingerprints(), i * Fingerprinter.LENGTH),
            IndexEntry.value(entries.ref(i), entries.length(i)));
        touched.add(segment);
      }
    }
    Map<Integer, Long> next = new HashMap<>();
    for (int segment : touched) {
      Long last = generations.get(segment);
      long generation = (last == null ? segments.generation(segment) : last) + 1;
      segments.addGeneration(batch, segment, generation);
      next.put(segment, generation);
    }
    store.write(batch, Durability.PROCESS);
    entries.end();
    generations.putAll(next);
    counters.written.add(entries.count());
  }

  /**
   * Forgets chunks that are about to be dropped; a failure does no harm.
   *
   * @param container where they are
   * @param numbers their numbers
   */
  public void remove(long container, BitSet numbers) {
    BloomFilterArray array = filters;
    if (array == null || isAvoided()) {
      return;
    }
    try {
      ContainerDirectory content = containers.directory(container);
      byte[] fingerprints = new byte[BATCH * Fingerprinter.LENGTH];
      long[] refs = new long[BATCH];
      int count = 0;
      for (int i = 0; i < content.chunkCount(); i++) {
        if (numbers.get(content.number(i))) {
          content.fingerprint(i, fingerprints, count * Fingerprinter.LENGTH);
          refs[count] = ChunkRef.pack(container, content.number(i));
          count++;
        }
        if (count == BATCH || (i + 1 == content.chunkCount() && count > 0)) {
          remove(array, fingerprints, refs, count);
          count = 0;
        }
      }
    } catch (MetadataException e) {
      failed(e);
    } catch (IOException e) {
      LOG.warn("Entries of container {} stay in the index, without harm", container, e);
    }
  }

  private void remove(BloomFilterArray array, byte[] fingerprints, long[] refs, int count)
      throws MetadataException {
    Candidates candidates = new Candidates();
    array.query(fingerprints, count, candidates);
    List<byte[]> keys = new ArrayList<>();
    List<Long> wanted = new ArrayList<>();
    List<Integer> where = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      for (int j = 0; j < candidates.size(i); j++) {
        int segment = candidates.segment(i, j);
        keys.add(IndexEntry.key(segment, fingerprints, i * Fingerprinter.LENGTH));
        wanted.add(refs[i]);
        where.add(segment);
      }
    }
    if (keys.isEmpty()) {
      return;
    }
    List<byte[]> values = store.get(Table.CHUNKS, keys);
    StoreBatch batch = new StoreBatch();
    Map<Integer, Integer> deleted = new HashMap<>();
    for (int i = 0; i < keys.size(); i++) {
      if (values.get(i) != null && IndexEntry.ref(values.get(i)) == wanted.get(i)) {
        batch.delete(Table.CHUNKS, keys.get(i));
        deleted.merge(where.get(i), 1, Integer::sum);
      }
    }
    store.write(batch, Durability.PROCESS);
    deleted.forEach(array::deleted);
    counters.removed.add(batch.size());
  }

  /** Has the index made anew from the containers. */
  public void wantRebuild() {
    rebuildWanted = true;
  }

  /** Figures by name. */
  public Map<String, Long> metrics() {
    Map<String, Long> values = new LinkedHashMap<>(counters.asMap());
    values.put("indexPending", pending());
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

  /** Writes what waits, as far as the store takes it now, and the filters that changed. */
  @Override
  public void close() throws IOException {
    BloomFilterArray array = filters;
    filters = null;
    if (array == null) {
      return;
    }
    try {
      if (!isAvoided()) {
        writeWaiting(array, () -> false);
      }
    } catch (MetadataException e) {
      LOG.info("Entries of {} chunks are not in the index", pending(), e);
    } finally {
      forgetWaiting();
      array.close();
    }
  }
}
