/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.spi.store;

/** A key and its value; neither is copied, and the caller must not change them. */
public final class StoreEntry {
  private final byte[] key;
  private final byte[] value;

  /**
   * @param key 1 to {@link MetadataStore#MAX_KEY_LENGTH} bytes
   * @param value up to {@link MetadataStore#MAX_VALUE_LENGTH} bytes
   * @throws IllegalArgumentException if one is too long, or the key is empty
   */
  public StoreEntry(byte[] key, byte[] value) {
    checkKey(key);
    if (value.length > MetadataStore.MAX_VALUE_LENGTH) {
      throw new IllegalArgumentException("a value of " + value.length + " bytes");
    }
    this.key = key;
    this.value = value;
  }

  static void checkKey(byte[] key) {
    if (key.length == 0 || key.length > MetadataStore.MAX_KEY_LENGTH) {
      throw new IllegalArgumentException("a key of " + key.length + " bytes");
    }
  }

  public byte[] key() {
    return key;
  }

  public byte[] value() {
    return value;
  }
}
