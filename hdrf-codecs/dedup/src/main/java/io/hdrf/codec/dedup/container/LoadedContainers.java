/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.container;

import io.hdrf.codec.dedup.container.format.ContainerFormat;
import io.hdrf.codec.dedup.container.format.ContainerNames;
import io.hdrf.spi.io.CorruptFileException;
import io.hdrf.spi.io.UnknownFormatVersionException;
import io.hdrf.spi.scheme.CorruptFrameException;
import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.concurrent.ConcurrentSkipListMap;

/**
 * Containers for reading, whether they are open or sealed. Of the sealed ones, those that were used
 * last stay loaded, bounded in number and memory. Safe for use by many threads; no lock is held
 * while a file is read that users of other containers would wait for.
 */
final class LoadedContainers {

  private final ContainerContext context;
  private final ConcurrentSkipListMap<Long, Container> containers;
  private final ContainerLoader loader;
  private final RepairQueue repairs;

  /** The sealed ones, the least recently used first. Guarded by this object, as is the next. */
  private final LinkedHashMap<Long, LoadedContainer> loaded = new LinkedHashMap<>(16, 0.75f, true);

  private long memory;

  /**
   * @param containers all of the store
   * @param repairs gets those that should get their directory again
   */
  LoadedContainers(
      ContainerContext context,
      ConcurrentSkipListMap<Long, Container> containers,
      ContainerLoader loader,
      RepairQueue repairs) {
    this.context = context;
    this.containers = containers;
    this.loader = loader;
    this.repairs = repairs;
  }

  Container find(long id) throws MissingChunkException {
    Container container = containers.get(id);
    if (container == null) {
      throw new MissingChunkException(
          context.file(id, ContainerNames.SEALED) + ": there is no such file");
    }
    return container;
  }

  /** A container for reading, to be released by the caller. */
  LoadedContainer acquire(Container container) throws IOException {
    while (true) {
      IOException problem = container.problem();
      if (problem != null) {
        throw unrecovered(container, problem);
      }
      OpenContainer open = container.open();
      LoadedContainer found = null;
      if (open == null) {
        found = acquireSealed(container);
        if (found.origin() == LoadedContainer.Origin.REBUILT || found.readError() != null) {
          repairs.want(container.id());
        }
      } else {
        found = open.acquire();
        if (found == null && container.open() == open) {
          throw new IOException(
              context.file(container.id(), ContainerNames.OPEN) + ": the store is closed");
        }
      }
      if (found != null) {
        return found;
      }
    }
  }

  private IOException unrecovered(Container container, IOException problem) {
    Path path = context.file(container.id(), ContainerNames.OPEN);
    if (problem instanceof UnknownFormatVersionException) {
      int found = ((UnknownFormatVersionException) problem).found();
      return new UnknownFormatVersionException(
          path, found, ContainerFormat.OLDEST_VERSION, ContainerFormat.VERSION);
    }
    String message = path + " could not be recovered: " + problem.getMessage();
    return problem instanceof CorruptFileException
        ? new CorruptFrameException(message, problem)
        : new IOException(message, problem);
  }

  /** As {@link #acquire}, with a file of its own; the caller holds the maintenance lock. */
  LoadedContainer acquireAlone(Container container) throws IOException {
    while (true) {
      LoadedContainer shared = acquire(container);
      try {
        return shared.reopen();
      } catch (NoSuchFileException e) {
        if (container.open() != null || !shared.path().toString().endsWith(ContainerNames.OPEN)) {
          throw e;
        }
        // It was sealed just now.
      } finally {
        shared.release();
      }
    }
  }

  /** An interrupt closed the file: of this thread, which gives up, or of another one. */
  void forget(Container container, LoadedContainer gone, ClosedChannelException e)
      throws IOException {
    OpenContainer open = container.open();
    if (open != null) {
      open.forget(gone);
    }
    forget(gone);
    if (Thread.currentThread().isInterrupted()) {
      throw e;
    }
  }

  private LoadedContainer acquireSealed(Container container) throws IOException {
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
   * A sealed container, to be released by the caller; one of which the disk could not read all is
   * loaded again. Meanwhile, and where no more of it can be read now, others have what could be
   * read before.
   */
  LoadedContainer reload(Container container) throws IOException {
    LoadedContainer known = peek(container);
    if (known == null) {
      return acquireSealed(container);
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
    return acquireSealed(container);
  }

  /** A sealed container if it is loaded, or null; the caller releases it. */
  synchronized LoadedContainer peek(Container container) {
    LoadedContainer found = loaded.get(container.id());
    return found != null && found.acquire() ? found : null;
  }

  /** A number that changes whenever the container's file does. */
  synchronized int generation(Container container) {
    return container.generation();
  }

  /** Keeps a container, in addition to its user; false if its file was replaced meanwhile. */
  private synchronized boolean put(Container container, int generation, LoadedContainer fresh) {
    if (container.generation() != generation) {
      return false;
    }
    fresh.acquire();
    memory += fresh.directory().memory();
    remove(loaded.put(container.id(), fresh));
    Iterator<LoadedContainer> oldest = loaded.values().iterator();
    while (loaded.size() > 1 && isTooMuch()) {
      LoadedContainer victim = oldest.next();
      oldest.remove();
      remove(victim);
    }
    return true;
  }

  private boolean isTooMuch() {
    return loaded.size() > context.settings().maxOpenFiles()
        || memory > context.settings().directoryMemory();
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

  /** Whether a sealed container is loaded. */
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
