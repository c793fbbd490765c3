/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.index;

import io.hdrf.codec.dedup.container.ContainerStore;
import io.hdrf.codec.dedup.container.Throttle;
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
import java.util.BitSet;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Rebuilds the entries of the store from the containers, one container after the other, and adds
 * lost entries of single containers. For one thread at a time.
 */
final class IndexRebuild {

  private static final Logger LOG = LoggerFactory.getLogger(IndexRebuild.class);

  private static final int BATCH = 1024;

  /** Entries without a segment that is known are deleted so many at once. */
  private static final int STRAYS = 1 << 19;

  /** So many containers that can't be read are named. */
  private static final int MAX_NAMED = 10;

  /** Does what came meanwhile. */
  interface Meanwhile {
    void run() throws IOException;
  }

  private final MetadataStore store;
  private final ContainerStore containers;
  private final StoredSegments segments;
  private final CompleteMark mark;
  private final EntryWriter writer;
  private final int sample;
  private final Candidates candidates = new Candidates();

  /** The number of containers that could not be read since the last rebuild began or ended. */
  private long unreadable;

  /**
   * @param sample of how many chunks of a group one gets an entry
   */
  IndexRebuild(
      MetadataStore store,
      ContainerStore containers,
      StoredSegments segments,
      CompleteMark mark,
      EntryWriter writer,
      int sample) {
    this.store = store;
    this.containers = containers;
    this.segments = segments;
    this.mark = mark;
    this.writer = writer;
    this.sample = sample;
  }

  /**
   * Takes all entries out of the store.
   *
   * @return false if it was stopped; then it is to be called again
   */
  boolean clear(BooleanSupplier stopping) throws MetadataException {
    mark.remove();
    writer.forgetSegments();
    for (int segment : segments.segments()) {
      if (stopping.getAsBoolean()) {
        return false;
      }
      segments.delete(segment);
    }
    while (segments.deleteEntries(new byte[0], STRAYS) > 0) {
      if (stopping.getAsBoolean()) {
        return false;
      }
    }
    return true;
  }

  /** Begins with an empty store: the chunks of all containers that there are now are to come. */
  void begin() throws MetadataException {
    unreadable = 0;
    mark.setPosition(new CompleteMark.Position(0, containers.last()));
  }

  /**
   * Goes on with putting in the chunks of all sound containers, and says that the store is complete
   * when that is done. Where it is stopped or fails, it goes on at the same container next time,
   * even after a restart.
   *
   * @param pace fails if this is to end
   * @param meanwhile is done after each batch
   * @return whether the store is complete now
   */
  boolean advance(
      BloomFilterArray filters, BooleanSupplier stopping, Throttle pace, Meanwhile meanwhile)
      throws IOException {
    CompleteMark.Position position = mark.position();
    if (position == null) {
      return mark.isSet();
    }
    for (long container = containers.next(position.next() - 1);
        container >= 0 && container <= position.last();
        container = containers.next(container)) {
      index(container, filters, stopping, pace, meanwhile);
      if (stopping.getAsBoolean()) {
        return false;
      }
      CompleteMark.Position now = mark.position();
      if (now == null || now.next() != position.next()) {
        // The store was emptied or put back: the rebuild begins again.
        return false;
      }
      position = new CompleteMark.Position(container + 1, position.last());
      mark.setPosition(position);
    }
    mark.set();
    if (unreadable > MAX_NAMED) {
      LOG.warn("{} more containers can't be indexed", unreadable - MAX_NAMED);
    }
    unreadable = 0;
    return true;
  }

  /**
   * Puts in those chunks of a container that have no entries, and of which the names are known.
   *
   * @param pace fails if this is to end
   * @param meanwhile is done after each batch
   */
  void index(
      long container,
      BloomFilterArray filters,
      BooleanSupplier stopping,
      Throttle pace,
      Meanwhile meanwhile)
      throws IOException {
    boolean loaded = containers.isLoaded(container);
    ContainerDirectory content;
    try {
      content = containers.directory(container);
    } catch (IOException | RuntimeException e) {
      unreadable++;
      if (unreadable <= MAX_NAMED) {
        LOG.warn("Container {} can't be indexed: {}", container, e.toString());
      }
      LOG.debug("Container {}", container, e);
      return;
    }
    if (!loaded) {
      pace.acquire(content.memory());
    }
    IndexUpdate entries = new IndexUpdate(BATCH);
    byte[] fingerprint = new byte[Fingerprinter.LENGTH];
    for (int i = 0; i < content.chunkCount() && !stopping.getAsBoolean(); i++) {
      if (hasEntry(content, i, sample)) {
        content.fingerprint(i, fingerprint, 0);
        entries.add(fingerprint, 0, ChunkRef.pack(container, content.number(i)));
      }
      if (entries.isFull()) {
        write(entries, filters);
        meanwhile.run();
        entries = new IndexUpdate(BATCH);
      }
    }
    write(entries, filters);
    meanwhile.run();
  }

  /** Returns whether a chunk of a container gets an entry. */
  static boolean hasEntry(ContainerDirectory content, int index, int sample) {
    return content.placeInGroup(index) % sample == 0 && !content.lacksFingerprint(index);
  }

  private void write(IndexUpdate all, BloomFilterArray filters) throws IOException {
    IndexUpdate entries = withoutStored(all, filters);
    if (entries.count() == 0) {
      return;
    }
    boolean waits = false;
    try {
      writer.write(entries, filters);
    } catch (MetadataException e) {
      // They are in the filters, which would get them again, and fill up, with each attempt.
      waits = writer.offer(entries);
      throw e;
    } finally {
      if (!waits) {
        entries.end();
      }
    }
  }

  private IndexUpdate withoutStored(IndexUpdate all, BloomFilterArray filters)
      throws MetadataException {
    byte[] fingerprints = all.fingerprints();
    filters.query(fingerprints, all.count(), candidates);
    List<byte[]> keys = new ArrayList<>();
    List<Integer> where = new ArrayList<>();
    for (int i = 0; i < all.count(); i++) {
      for (int j = 0; j < candidates.size(i); j++) {
        keys.add(IndexEntry.key(candidates.segment(i, j), fingerprints, i * Fingerprinter.LENGTH));
        where.add(i);
      }
    }
    if (keys.isEmpty()) {
      return all;
    }
    BitSet stored = new BitSet();
    List<byte[]> values = store.get(Table.CHUNKS, keys);
    for (int k = 0; k < keys.size(); k++) {
      byte[] value = values.get(k);
      if (value != null && IndexEntry.ref(value) == all.ref(where.get(k))) {
        stored.set(where.get(k));
      }
    }
    IndexUpdate rest = new IndexUpdate(all.count());
    for (int i = stored.nextClearBit(0); i < all.count(); i = stored.nextClearBit(i + 1)) {
      rest.add(fingerprints, i * Fingerprinter.LENGTH, all.ref(i));
    }
    return rest;
  }
}
