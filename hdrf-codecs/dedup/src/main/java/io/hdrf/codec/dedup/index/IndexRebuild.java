/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.index;

import io.hdrf.codec.dedup.container.ChunkRef;
import io.hdrf.codec.dedup.container.ContainerDirectory;
import io.hdrf.codec.dedup.container.ContainerInfo;
import io.hdrf.codec.dedup.container.ContainerStore;
import io.hdrf.codec.dedup.container.Fingerprinter;
import io.hdrf.codec.dedup.dba.BloomFilterArray;
import io.hdrf.metadata.Durability;
import io.hdrf.metadata.MetadataException;
import io.hdrf.metadata.MetadataStore;
import io.hdrf.metadata.StoreBatch;
import io.hdrf.metadata.Table;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Makes the entries of the store anew from the containers. For one thread at a time. */
final class IndexRebuild {

  private static final Logger LOG = LoggerFactory.getLogger(IndexRebuild.class);

  private static final int BATCH = 1024;

  private final MetadataStore store;
  private final ContainerStore containers;
  private final StoredSegments segments;
  private final CompleteMark mark;
  private final EntryWriter writer;
  private final int sample;

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

  /** Takes all entries out of the store, which is not complete any more. */
  void clear(BooleanSupplier stopping) throws MetadataException {
    StoreBatch state = new StoreBatch();
    mark.addRemoval(state);
    segments.addRemoval(state);
    store.write(state, Durability.PROCESS);
    writer.forgetSegments();
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

  /**
   * Puts in the chunks of all sound containers, and says that the store is complete.
   *
   * @return how many entries there are; -1 if it was stopped
   */
  long fill(BloomFilterArray filters, BooleanSupplier stopping) throws IOException {
    long entries = 0;
    for (ContainerInfo container : containers.containers()) {
      if (container.problem() == null && containers.isGood(container.id())) {
        entries += index(container.id(), filters, stopping);
      }
      if (stopping.getAsBoolean()) {
        return -1;
      }
    }
    mark.set();
    return entries;
  }

  private long index(long container, BloomFilterArray filters, BooleanSupplier stopping)
      throws IOException {
    ContainerDirectory content;
    try {
      content = containers.directory(container);
    } catch (IOException e) {
      LOG.warn("Container {} can't be indexed", container, e);
      return 0;
    }
    long count = 0;
    Publication entries = new Publication(BATCH);
    byte[] fingerprint = new byte[Fingerprinter.LENGTH];
    for (int i = 0; i < content.chunkCount() && !stopping.getAsBoolean(); i++) {
      if (content.placeInGroup(i) % sample == 0) {
        content.fingerprint(i, fingerprint, 0);
        entries.add(fingerprint, 0, ChunkRef.pack(container, content.number(i)));
        count++;
      }
      if (entries.isFull()) {
        write(entries, filters);
        entries = new Publication(BATCH);
      }
    }
    if (entries.count() > 0) {
      write(entries, filters);
    }
    return count;
  }

  private void write(Publication entries, BloomFilterArray filters) throws IOException {
    try {
      writer.write(entries, filters);
    } finally {
      entries.end();
    }
  }
}
