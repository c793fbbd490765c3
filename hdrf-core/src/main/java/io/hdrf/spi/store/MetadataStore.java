/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.spi.store;

import java.io.Closeable;
import java.io.IOException;
import java.util.List;

/**
 * A store of small entries about one block pool on one volume: an index of what the files on the
 * volume say, which can be lost at any time and made again from them. It has several {@link Table}s
 * of keys and values.
 *
 * <p>Safe for use by many threads. Every call may block for the store's own time-out, so none may
 * be made where a client waits or a lock of the dataset is held. Every call throws one of the kinds
 * of {@link MetadataException}; after an exception of a call that writes, each of its changes may
 * or may not have been made, but those of a {@link StoreBatch} only all together.
 */
public interface MetadataStore extends Closeable {

  /** In bytes; the least is 1. */
  int MAX_KEY_LENGTH = 64;

  /** In bytes; a value may be empty. */
  int MAX_VALUE_LENGTH = 4096;

  /** The strongest level that this store keeps; a write that asks for more gets this one. */
  Durability durability();

  /**
   * Looks up many keys at once.
   *
   * @return as many values as keys, in their order; null where there is no entry. The arrays belong
   *     to the caller
   */
  List<byte[]> get(Table table, List<byte[]> keys) throws MetadataException;

  /**
   * Puts each entry whose key is not there yet. Each alone is atomic: of several callers that put
   * one key, one puts it, and all others are told its value. The same holds for a key that stands
   * in {@code entries} twice.
   *
   * @return for each entry the value that was there before, or null if it was put
   */
  List<byte[]> putIfAbsent(Table table, List<StoreEntry> entries, Durability durability)
      throws MetadataException;

  /** Makes all changes of a batch, or none. */
  void write(StoreBatch batch, Durability durability) throws MetadataException;

  /**
   * Shows the entries whose keys begin with a prefix, in no particular order. An entry that is
   * neither put nor deleted meanwhile is shown exactly once; any other at most once with each of
   * its values.
   *
   * @param prefix may be empty
   */
  void scan(Table table, byte[] prefix, StoreVisitor visitor) throws MetadataException;

  /**
   * Why entries may vanish without having been deleted, such as to make room; or that some did
   * since this was last asked. Records in such a store are never vouched for, and all are compared
   * with the blocks when it becomes null again. Asked now and then.
   *
   * @return a few words for people; null if everything is kept, as by default
   */
  default String mayForget() throws MetadataException {
    return null;
  }

  /** About how many entries a table has; cheap. */
  long estimatedCount(Table table) throws MetadataException;

  /**
   * Gives back the room of entries that were deleted, where the store keeps it for later. Rewrites
   * what is left of the table, at some 100 MB a second, but gives up when the store is closed or
   * the thread is interrupted, which it then stays. A hint: by default nothing is done.
   */
  default void compact(Table table) throws MetadataException {}

  /** Deletes every entry of every table. Not atomic: {@link Table#STATE} is emptied first. */
  void clear() throws MetadataException;

  /** Waits for calls that go on, then frees everything. Calls after that throw. */
  @Override
  void close() throws IOException;
}
