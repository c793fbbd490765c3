/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.container;

import java.io.IOException;
import java.util.Iterator;
import java.util.LinkedHashMap;

/**
 * Sealed containers that are loaded, bounded in number and memory; the least recently used go
 * first. Safe for use by many threads; no lock is held while a file is read that users of other
 * containers would wait for.
 */
final class ContainerCache {

  /** Loads a sealed container. */
  interface Loader {
    LoadedContainer load(Container container) throws IOException;
  }

  private final int maxFiles;
  private final long maxMemory;
  private final Loader loader;
  private final LinkedHashMap<Long, LoadedContainer> loaded = new LinkedHashMap<>(16, 0.75f, true);
  private long memory;

  ContainerCache(int maxFiles, long maxMemory, Loader loader) {
    this.maxFiles = maxFiles;
    this.maxMemory = maxMemory;
    this.loader = loader;
  }

  /** The container, loaded if need be; the caller releases it. */
  LoadedContainer acquire(Container container) throws IOException {
    LoadedContainer found = peek(container);
    if (found != null) {
      return found;
    }
    synchronized (container.loading()) {
      while (true) {
        found = peek(container);
        if (found != null) {
          return found;
        }
        int generation = generation(container);
        LoadedContainer fresh = loader.load(container);
        if (put(container, generation, fresh)) {
          return fresh;
        }
        fresh.release();
      }
    }
  }

  /**
   * As {@link #acquire}; but one of which the disk could not read all is loaded anew. Meanwhile,
   * and where no more of it can be read now, others have what could be read before.
   */
  LoadedContainer acquireAnew(Container container) throws IOException {
    LoadedContainer known = peek(container);
    if (known == null) {
      return acquire(container);
    }
    if (known.readError() == null) {
      return known;
    }
    int chunks = known.directory().chunkCount();
    known.release();
    int generation = generation(container);
    LoadedContainer fresh = loader.load(container);
    boolean more = fresh.readError() == null || fresh.directory().chunkCount() > chunks;
    if (more && put(container, generation, fresh)) {
      return fresh;
    }
    fresh.release();
    return acquire(container);
  }

  /** The container if it is loaded, or null; the caller releases it. */
  synchronized LoadedContainer peek(Container container) {
    LoadedContainer found = loaded.get(container.id());
    return found != null && found.acquire() ? found : null;
  }

  /** A number that changes whenever the container's file does. */
  synchronized int generation(Container container) {
    return container.generation();
  }

  /** Keeps a container, in addition to its user; false if its file was replaced meanwhile. */
  synchronized boolean put(Container container, int generation, LoadedContainer fresh) {
    if (container.generation() != generation) {
      return false;
    }
    fresh.acquire();
    memory += fresh.directory().memory();
    remove(loaded.put(container.id(), fresh));
    Iterator<LoadedContainer> oldest = loaded.values().iterator();
    while (loaded.size() > 1 && (loaded.size() > maxFiles || memory > maxMemory)) {
      LoadedContainer victim = oldest.next();
      oldest.remove();
      remove(victim);
    }
    return true;
  }

  private void remove(LoadedContainer container) {
    if (container != null) {
      memory -= container.directory().memory();
      container.release();
    }
  }

  /** Forgets a container whose file was replaced or deleted. Whoever uses it can go on. */
  synchronized void replaced(Container container) {
    container.nextGeneration();
    container.setInfo(null);
    remove(loaded.remove(container.id()));
  }

  /** Keeps what was read from a footer, unless the file was replaced meanwhile. */
  synchronized void setInfo(Container container, int generation, ContainerInfo info) {
    if (container.generation() == generation) {
      container.setInfo(info);
    }
  }

  /** Forgets a loaded container whose file was closed by an interrupt. */
  synchronized void forget(LoadedContainer container) {
    if (loaded.remove(container.id(), container)) {
      remove(container);
    }
  }

  synchronized void clear() {
    loaded.values().forEach(this::remove);
    loaded.clear();
  }

  /** Whether a container is loaded. */
  synchronized boolean contains(long id) {
    return loaded.containsKey(id);
  }

  /** About how many bytes the directories take. */
  synchronized long memory() {
    return memory;
  }

  synchronized int size() {
    return loaded.size();
  }
}
