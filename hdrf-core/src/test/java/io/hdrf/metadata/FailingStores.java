/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.metadata;

import io.hdrf.sample.MapStoreProvider;
import io.hdrf.spi.PluginSettings;
import io.hdrf.spi.store.MetadataException;
import io.hdrf.spi.store.MetadataSpiVersion;
import io.hdrf.spi.store.MetadataStore;
import io.hdrf.spi.store.MetadataStoreProvider;
import io.hdrf.spi.store.StoreBatch;
import io.hdrf.spi.store.StoreContext;
import io.hdrf.spi.store.Table;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

/** Stores in maps that fail, freeze, forget and go back in time on a test's request. */
final class FailingStores implements MetadataStoreProvider {

  /** An entry's place. */
  record Key(Table table, byte[] bytes) {
    @Override
    public boolean equals(Object other) {
      return other instanceof Key key && key.table == table && Arrays.equals(key.bytes, bytes);
    }

    @Override
    public int hashCode() {
      return Arrays.hashCode(bytes) + table.code();
    }
  }

  private final MetadataStoreProvider stores = new MapStoreProvider();
  final AtomicInteger setAside = new AtomicInteger();
  volatile MetadataException failure;
  volatile MetadataException scanFailure;
  volatile CountDownLatch frozen;
  volatile String forgets;

  /** Whether they can't be set aside, like a server's. */
  volatile boolean fixed;

  /** Runs once, before the next batch is written. */
  volatile Action beforeWrite;

  interface Action {
    void run(StoreBatch batch) throws MetadataException;
  }

  @Override
  public String name() {
    return "map";
  }

  @Override
  public int spiVersion() {
    return MetadataSpiVersion.CURRENT;
  }

  @Override
  public void checkSettings(PluginSettings settings) {}

  @Override
  public MetadataStore open(StoreContext context) throws MetadataException {
    enter();
    MetadataStore store = stores.open(context);
    return (MetadataStore)
        Proxy.newProxyInstance(
            MetadataStore.class.getClassLoader(),
            new Class<?>[] {MetadataStore.class},
            (proxy, method, arguments) -> {
              if (!method.getName().equals("close")) {
                enter();
              }
              if (method.getName().equals("mayForget")) {
                return forgets;
              }
              Action action = beforeWrite;
              if (method.getName().equals("write") && action != null) {
                beforeWrite = null;
                action.run((StoreBatch) arguments[0]);
              }
              MetadataException wanted = scanFailure;
              if (method.getName().equals("scan") && wanted != null) {
                throw wanted;
              }
              try {
                return method.invoke(store, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  @Override
  public void setAside(StoreContext context) throws MetadataException {
    setAside.incrementAndGet();
    failure = null;
    scanFailure = null;
    if (!fixed) {
      stores.open(context).clear();
    }
  }

  private void enter() throws MetadataException {
    CountDownLatch latch = frozen;
    if (latch != null) {
      try {
        latch.await();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
    MetadataException wanted = failure;
    if (wanted != null) {
      throw wanted;
    }
  }

  /** Returns everything in a store, to be restored later. */
  Map<Key, byte[]> copy(StoreContext context) throws MetadataException {
    Map<Key, byte[]> entries = new HashMap<>();
    for (Table table : Table.values()) {
      stores
          .open(context)
          .scan(
              table,
              new byte[0],
              (key, value) -> {
                entries.put(new Key(table, key), value);
                return true;
              });
    }
    return entries;
  }

  void empty(StoreContext context) {
    try {
      restore(context, Map.of());
    } catch (MetadataException e) {
      throw new AssertionError(e);
    }
  }

  void restore(StoreContext context, Map<Key, byte[]> entries) throws MetadataException {
    MetadataStore store = stores.open(context);
    store.clear();
    StoreBatch batch = new StoreBatch();
    entries.forEach((key, value) -> batch.put(key.table(), key.bytes(), value));
    store.write(batch);
  }

  byte[] value(StoreContext context, Table table, byte[] key) throws MetadataException {
    return copy(context).get(new Key(table, key));
  }

  void set(StoreContext context, Table table, byte[] key, byte[] value) throws MetadataException {
    stores.open(context).write(new StoreBatch().put(table, key, value));
  }

  void delete(StoreContext context, Table table, byte[] key) throws MetadataException {
    stores.open(context).write(new StoreBatch().delete(table, key));
  }

  void write(StoreContext context, StoreBatch batch) throws MetadataException {
    stores.open(context).write(batch);
  }
}
