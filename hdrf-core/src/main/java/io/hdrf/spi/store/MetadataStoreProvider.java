/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.spi.store;

import java.io.IOException;

/**
 * A kind of store, found by {@link java.util.ServiceLoader} in a plug-in jar. It has a public
 * constructor without arguments, no state, and is safe for use by many threads.
 */
public interface MetadataStoreProvider {

  /** The name in {@code hdrf.metadata.store}; the store's settings are {@code metadata.<name>}. */
  String name();

  /** Every provider returns {@link MetadataSpiVersion#CURRENT}, which the compiler copies. */
  int spiVersion();

  /**
   * Checks the settings, without connecting to anything.
   *
   * @throws io.hdrf.spi.BadSettingException names the key that is wrong
   */
  void checkSettings(io.hdrf.spi.PluginSettings settings) throws IOException;

  /**
   * Opens the store of one pool on one volume, and makes it where there is none. Called on a thread
   * on which nobody waits.
   *
   * @throws MetadataException if that is not possible now, or at all
   */
  MetadataStore open(StoreContext context) throws MetadataException;

  /**
   * Makes room for an empty store after the one there was found damaged and closed. What it held is
   * kept under another name, for people to look at, where it is files; a store that can't do that
   * does nothing, and is emptied by {@link MetadataStore#clear} when it is opened again.
   */
  default void setAside(StoreContext context) throws IOException {}
}
