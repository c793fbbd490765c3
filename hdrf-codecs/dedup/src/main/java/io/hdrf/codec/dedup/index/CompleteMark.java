/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.index;

import io.hdrf.spi.store.MetadataException;
import io.hdrf.spi.store.MetadataStore;
import io.hdrf.spi.store.StoreBatch;
import io.hdrf.spi.store.Table;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Collections;

/**
 * The state of the index, in {@link Table#STATE}: complete, or, during a rebuild, the next
 * container to put in and the last one; the chunks of later containers came with their blocks, up
 * to a container that is named, too: what a process had not written when it ended is behind that.
 * {@code docs/formats.md} ("Fingerprint index") has its bytes. Safe for use by many threads.
 */
final class CompleteMark {

  private static final byte[] KEY = "dedup.index".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] REBUILD_KEY = "dedup.rebuild".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] UPTO_KEY = "dedup.upto".getBytes(StandardCharsets.US_ASCII);

  /** No container is named, as by builds before it. */
  static final long NONE = -2;

  /** The progress of a rebuild. Immutable. */
  static final class Position {
    private final long next;
    private final long last;

    Position(long next, long last) {
      this.next = next;
      this.last = last;
    }

    /** The container to go on with. */
    long next() {
      return next;
    }

    /** The last container to put in. */
    long last() {
      return last;
    }
  }

  private final MetadataStore store;
  private final byte[] value;

  /**
   * @param sample from 1 to {@link IndexSettings#MAX_SAMPLE}
   */
  CompleteMark(MetadataStore store, int sample) {
    this.store = store;
    this.value = new byte[] {IndexEntry.VERSION, (byte) sample};
  }

  /** Returns whether the store has the whole index as it is to be. */
  boolean isSet() throws MetadataException {
    return Arrays.equals(get(KEY), value);
  }

  /** Returns the progress of a rebuild for these settings; null if none is under way. */
  Position position() throws MetadataException {
    byte[] found = get(REBUILD_KEY);
    if (found == null || found.length != value.length + 2 * Long.BYTES) {
      return null;
    }
    ByteBuffer in = ByteBuffer.wrap(found);
    for (byte expected : value) {
      if (in.get() != expected) {
        return null;
      }
    }
    return new Position(in.getLong(), in.getLong());
  }

  /**
   * Returns the last container of those whose chunks have their entries, but for what a rebuild
   * that is under way is to put in; -1 if there is none yet, {@link #NONE} if that is not said.
   */
  long upto() throws MetadataException {
    byte[] found = get(UPTO_KEY);
    return found == null || found.length != Long.BYTES ? NONE : ByteBuffer.wrap(found).getLong();
  }

  void setUpto(long container) throws MetadataException {
    store.write(new StoreBatch().put(Table.STATE, UPTO_KEY, encoded(container)));
  }

  private static byte[] encoded(long container) {
    return ByteBuffer.allocate(Long.BYTES).putLong(container).array();
  }

  private byte[] get(byte[] key) throws MetadataException {
    return store.get(Table.STATE, Collections.singletonList(key)).get(0);
  }

  void set() throws MetadataException {
    store.write(new StoreBatch().put(Table.STATE, KEY, value).delete(Table.STATE, REBUILD_KEY));
  }

  void setPosition(Position position) throws MetadataException {
    byte[] encoded =
        ByteBuffer.allocate(value.length + 2 * Long.BYTES)
            .put(value)
            .putLong(position.next())
            .putLong(position.last())
            .array();
    store.write(new StoreBatch().put(Table.STATE, REBUILD_KEY, encoded));
  }

  /** The store has not the whole index, and none is under way. */
  void remove() throws MetadataException {
    // The first one alone says as much.
    Deletions.write(
        store,
        new StoreBatch()
            .delete(Table.STATE, KEY)
            .delete(Table.STATE, REBUILD_KEY)
            .delete(Table.STATE, UPTO_KEY));
  }
}
