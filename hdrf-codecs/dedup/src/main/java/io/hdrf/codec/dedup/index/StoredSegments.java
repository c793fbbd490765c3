/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.index;

import io.hdrf.codec.dedup.dba.FingerprintVisitor;
import io.hdrf.codec.dedup.dba.SegmentSource;
import io.hdrf.spi.store.MetadataException;
import io.hdrf.spi.store.MetadataStore;
import io.hdrf.spi.store.StoreBatch;
import io.hdrf.spi.store.Table;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;

/**
 * The segments of the index as the metadata store holds them. Each has a generation in {@link
 * Table#STATE}, under {@code dedup.segment.} and its number in four bytes, that grows with every
 * batch of entries. Safe for use by many threads.
 */
final class StoredSegments implements SegmentSource {

  private static final byte[] PREFIX = "dedup.segment.".getBytes(StandardCharsets.US_ASCII);

  private static final int BATCH = 1024;

  private final MetadataStore store;

  StoredSegments(MetadataStore store) {
    this.store = store;
  }

  private static byte[] key(int segment) {
    return ByteBuffer.allocate(PREFIX.length + Integer.BYTES).put(PREFIX).putInt(segment).array();
  }

  /** Adds the next generation of a segment to a batch that has entries of it. */
  void addGeneration(StoreBatch batch, int segment, long generation) {
    batch.put(
        Table.STATE, key(segment), ByteBuffer.allocate(Long.BYTES).putLong(generation).array());
  }

  /**
   * Deletes a segment with all its entries. Each entry is passed once: a scan that begins again
   * would have to step over what was deleted before.
   *
   * @return how many entries there were
   */
  long delete(int segment) throws MetadataException {
    long deleted = deleteEntries(IndexEntry.prefix(segment), Integer.MAX_VALUE);
    // Last, so that it is found again if the process ends before that.
    Deletions.write(store, new StoreBatch().delete(Table.STATE, key(segment)));
    return deleted;
  }

  /**
   * Deletes entries whose keys begin with a prefix.
   *
   * @param most how many at most
   * @return how many were there
   */
  long deleteEntries(byte[] prefix, int most) throws MetadataException {
    // Not deleted from within the scan, during which the store must not be used.
    List<byte[]> keys = new ArrayList<>();
    store.scan(
        Table.CHUNKS,
        prefix,
        (key, value) -> {
          keys.add(key.clone());
          return keys.size() < most;
        });
    for (int first = 0; first < keys.size(); first += BATCH) {
      StoreBatch batch = new StoreBatch();
      keys.subList(first, Math.min(keys.size(), first + BATCH))
          .forEach(key -> batch.delete(Table.CHUNKS, key));
      Deletions.write(store, batch);
    }
    return keys.size();
  }

  @Override
  public Collection<Integer> segments() throws MetadataException {
    List<Integer> segments = new ArrayList<>();
    store.scan(
        Table.STATE,
        PREFIX,
        (key, value) -> {
          if (key.length == PREFIX.length + Integer.BYTES) {
            segments.add(ByteBuffer.wrap(key).getInt(PREFIX.length));
          }
          return true;
        });
    return segments;
  }

  @Override
  public long generation(int segment) throws MetadataException {
    byte[] value = store.get(Table.STATE, Collections.singletonList(key(segment))).get(0);
    return value == null || value.length != Long.BYTES ? 0 : ByteBuffer.wrap(value).getLong();
  }

  @Override
  public void scan(int segment, FingerprintVisitor visitor) throws IOException {
    store.scan(
        Table.CHUNKS,
        IndexEntry.prefix(segment),
        (key, value) -> key.length != IndexEntry.KEY_LENGTH || visitor.visit(key, Integer.BYTES));
  }
}
