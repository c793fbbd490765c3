/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.spi.store;

import java.io.IOException;

/**
 * A kind of store, found by {@link java.util.ServiceLoader} in a plug-in jar. It has a public
 * constructor without arguments, no state, and is safe for use by many threads.
 */
public interface MetadataStoreProvider {

  /**
   * Returns the name in {@code hdrf.metadata.store}; the store's settings are {@code
   * metadata.<name>}.
   */
  String name();

  /** Returns {@link MetadataSpiVersion#CURRENT}, in every provider; the compiler copies it. */
  int spiVersion();

  /**
   * Checks the settings, without connecting to anything.
   *
   * @throws io.hdrf.spi.BadSettingException if a setting is wrong, with its key
   */
  void checkSettings(io.hdrf.spi.PluginSettings settings) throws IOException;

  /**
   * Opens the store of one pool on one volume, and creates it where there is none. Called on a
   * thread that nobody waits for.
   *
   * @throws MetadataException if that is not possible now, or at all
   */
  MetadataStore open(StoreContext context) throws MetadataException;

  /**
   * Moves a store aside that was found damaged and closed, to make room for an empty one. A store
   * of files keeps the old content under another name, for people to look at. A store that can't do
   * that does nothing, and {@link MetadataStore#clear} empties it when it is opened again.
   */
  default void setAside(StoreContext context) throws IOException {}
}
