/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.spi.store;

import io.hdrf.sample.MapStoreProvider;
import io.hdrf.spi.PluginSettings;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;

/**
 * A store with a fault: the scan for plain blocks gets nothing from it. In a package that plug-ins
 * share with HDRF, so that a jar needs to name this class alone.
 */
public final class FlawedStoreProvider implements MetadataStoreProvider {

  /** Whether the fault shows. */
  public static volatile boolean flawed;

  private final MapStoreProvider stores = new MapStoreProvider();

  @Override
  public String name() {
    return "flawed";
  }

  @Override
  public int spiVersion() {
    return MetadataSpiVersion.CURRENT;
  }

  @Override
  public void checkSettings(PluginSettings settings) {}

  @Override
  public MetadataStore open(StoreContext context) {
    MetadataStore store = stores.open(context);
    return (MetadataStore)
        Proxy.newProxyInstance(
            MetadataStore.class.getClassLoader(),
            new Class<?>[] {MetadataStore.class},
            (proxy, method, arguments) -> {
              if (flawed && Thread.currentThread().getName().startsWith("hdrf-plain-block-scan")) {
                throw new IllegalStateException("a fault of the store");
              }
              try {
                return method.invoke(store, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }
}
