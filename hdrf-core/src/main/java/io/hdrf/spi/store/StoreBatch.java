/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.spi.store;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * Changes that a store makes all or not at all. Of several changes of one key, the last counts. For
 * one thread; may be written several times.
 */
public final class StoreBatch {

  /** One change: a value to put, or none to delete. */
  public static final class Change {
    private final Table table;
    private final byte[] key;
    private final byte[] value;

    Change(Table table, byte[] key, byte[] value) {
      this.table = table;
      this.key = key;
      this.value = value;
    }

    public Table table() {
      return table;
    }

    public byte[] key() {
      return key;
    }

    /** Returns the new value, or null to delete the entry. */
    public byte[] value() {
      return value;
    }
  }

  private final List<Change> changes = new ArrayList<>();

  /**
   * Puts a value, whether or not there is one. Neither array is copied; don't change them.
   *
   * @param key 1 to {@link MetadataStore#MAX_KEY_LENGTH} bytes
   * @param value up to {@link MetadataStore#MAX_VALUE_LENGTH} bytes
   * @throws IllegalArgumentException if one is too long, or the key is empty
   */
  public StoreBatch put(Table table, byte[] key, byte[] value) {
    checkKey(key);
    if (value.length > MetadataStore.MAX_VALUE_LENGTH) {
      throw new IllegalArgumentException("a value of " + value.length + " bytes");
    }
    changes.add(new Change(table, key, value));
    return this;
  }

  private static void checkKey(byte[] key) {
    if (key.length == 0 || key.length > MetadataStore.MAX_KEY_LENGTH) {
      throw new IllegalArgumentException("a key of " + key.length + " bytes");
    }
  }

  /** Deletes an entry, whether or not it is there. */
  public StoreBatch delete(Table table, byte[] key) {
    checkKey(key);
    changes.add(new Change(table, key, null));
    return this;
  }

  /** Returns the changes in the order in which they were added; unmodifiable. */
  public List<Change> changes() {
    return Collections.unmodifiableList(changes);
  }

  public int size() {
    return changes.size();
  }
}
