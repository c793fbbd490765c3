/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.spi.store;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * A store of small entries about one block pool on one volume: an index of the files on the volume.
 * It can be lost at any time and made again from them. It has several {@link Table}s of keys and
 * values.
 *
 * <p>Safe for use by many threads. Every call may block for the store's own time-out, so make none
 * while a client waits or while holding a lock of the dataset. Every call throws one of the kinds
 * of {@link MetadataException}; after an exception of a call that writes, each of its changes may
 * or may not have been made, but those of a {@link StoreBatch} only all together.
 */
public interface MetadataStore extends Closeable {

  /** The longest key in bytes; the shortest has 1 byte. */
  int MAX_KEY_LENGTH = 64;

  /** The longest value in bytes; a value may be empty. */
  int MAX_VALUE_LENGTH = 4096;

  /**
   * Looks up many keys at once.
   *
   * @return as many values as keys, in their order; null where there is no entry. The arrays belong
   *     to the caller
   */
  List<byte[]> get(Table table, List<byte[]> keys) throws MetadataException;

  /**
   * Makes all changes of a batch, or none. Once this has returned, they survive the end of the
   * DataNode's process, however sudden, as far as the store is on this machine; a server promises
   * what its operator has set. A loss of power may take them.
   */
  void write(StoreBatch batch) throws MetadataException;

  /**
   * Passes the entries whose keys begin with a prefix to a visitor, in no particular order. An
   * entry that is neither put nor deleted meanwhile is visited exactly once; any other at most once
   * with each of its values.
   *
   * @param prefix may be empty
   */
  void scan(Table table, byte[] prefix, StoreVisitor visitor) throws MetadataException;

  /**
   * Returns why entries may vanish without having been deleted, such as to make room; or that some
   * vanished since the last call. Records in such a store are never trusted, and all are compared
   * with the blocks when this becomes null again. Called now and then.
   *
   * @return a few words for people; null if everything is kept, as by default
   */
  default String mayForget() throws MetadataException {
    return null;
  }

  /** Returns about how many entries a table has; cheap. */
  long estimatedCount(Table table) throws MetadataException;

  /**
   * Reclaims the space of deleted entries, where the store keeps it for later use. Rewrites the
   * rest of the table, at some 100 MB a second, but gives up when the store is closed or the thread
   * is interrupted; the thread stays interrupted. A hint: does nothing by default.
   */
  default void compact(Table table) throws MetadataException {}

  /** Returns whether a key begins with a prefix, for {@link #scan}. */
  static boolean startsWith(byte[] key, byte[] prefix) {
    return key.length >= prefix.length
        && ByteBuffer.wrap(key, 0, prefix.length).equals(ByteBuffer.wrap(prefix));
  }

  /** Deletes every entry of every table. Not atomic: {@link Table#STATE} is emptied first. */
  void clear() throws MetadataException;

  /** Waits for running calls, then frees everything. Later calls throw. */
  @Override
  void close() throws IOException;
}
