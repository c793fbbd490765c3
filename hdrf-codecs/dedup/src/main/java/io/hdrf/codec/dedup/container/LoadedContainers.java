/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.container;

import io.hdrf.codec.dedup.container.format.ContainerDirectory;
import io.hdrf.codec.dedup.container.format.ContainerNames;
import io.hdrf.spi.io.CorruptFileException;
import io.hdrf.spi.io.UnknownFormatVersionException;
import io.hdrf.spi.memory.MemoryShare;
import io.hdrf.spi.scheme.CorruptFrameException;
import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.concurrent.ConcurrentSkipListMap;

/**
 * Containers for reading, whether they are open or sealed, and their directories for those who look
 * for chunks. Of the sealed ones, those that were used last stay loaded, bounded in number and
 * memory. A container that has a group index is read by it, and its directory is loaded only where
 * it is asked for: containers and directories share the memory, and neither can push out the other
 * from its half. Safe for use by many threads; no lock is held while a file is read that users of
 * other containers would wait for.
 */
final class LoadedContainers implements Closeable {

  /** Bytes that a budget leaves in any case: some directories of long chunks, or one of short. */
  private static final long MIN_SHARE = 4 << 20;

  private final ContainerContext context;
  private final MemoryShare memory;
  private final ConcurrentSkipListMap<Long, Container> containers;
  private final ContainerLoader loader;
  private final RepairQueue repairs;
  private final FileShares.Share share = FileShares.open();

  /** The sealed ones, the least recently used first. Guarded by this object, as are the next. */
  private final LinkedHashMap<Long, LoadedContainer> loaded = new LinkedHashMap<>(16, 0.75f, true);

  /** Directories of containers that are read without them, the least recently used first. */
  private final LinkedHashMap<Long, LoadedDirectory> directories =
      new LinkedHashMap<>(16, 0.75f, true);

  /** What {@link #loaded} takes. */
  private long containerMemory;

  /** What {@link #directories} take. */
  private long directoryMemory;

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
    long most = context.settings().directoryMemory();
    this.memory =
        context
            .settings()
            .memory()
            .open(
                "Directories",
                MemoryShare.Kind.CACHE,
                Math.min(most, MIN_SHARE),
                most,
                this::shrink);
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
        wantRepair(container, found.known());
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

  private void wantRepair(Container container, LoadedDirectory known) {
    if (known != null
        && (known.origin() == LoadedDirectory.Origin.REBUILT || known.readError() != null)) {
      repairs.want(container.id());
    }
  }

  private IOException unrecovered(Container container, IOException problem) {
    Path path = context.file(container.id(), ContainerNames.OPEN);
    if (problem instanceof UnknownFormatVersionException) {
      return ((UnknownFormatVersionException) problem).of(path);
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
    LoadedDirectory before = known.known();
    known.release();
    int generation = generation(container);
    LoadedContainer fresh = loader.load(container);
    boolean more = fresh.known() == null || before.isLessThan(fresh.known());
    if (more && put(container, generation, fresh)) {
      return fresh;
    }
    fresh.release();
    return acquireSealed(container);
  }

  /** The directory of a container; of an open one that of what was written. */
  LoadedDirectory directory(Container container) throws IOException {
    LoadedDirectory found = peekDirectory(container);
    if (found == null) {
      LoadedContainer source = acquire(container);
      try {
        found = source.known();
      } finally {
        source.release();
      }
    }
    if (found == null) {
      found = loadDirectory(container);
    }
    wantRepair(container, found);
    return found;
  }

  private LoadedDirectory loadDirectory(Container container) throws IOException {
    synchronized (container.loading()) {
      while (true) {
        LoadedDirectory found = peekDirectory(container);
        if (found != null) {
          return found;
        }
        int generation = generation(container);
        LoadedDirectory fresh = loader.loadDirectory(container);
        if (put(container, generation, fresh)) {
          if (!container.areFingerprintsFinal() && fresh.content().lacksFingerprints()) {
            // Only here, as it goes through all differences.
            repairs.want(container.id());
          }
          return fresh;
        }
      }
    }
  }

  /**
   * As {@link #directory}, for a sealed container; one of which the disk could not read all is
   * loaded again, as by {@link #reload}.
   */
  LoadedDirectory reloadDirectory(Container container) throws IOException {
    LoadedDirectory known = peekDirectory(container);
    if (known == null || known.readError() == null) {
      return directory(container);
    }
    int generation = generation(container);
    LoadedDirectory fresh = loader.loadDirectory(container);
    if (known.isLessThan(fresh) && put(container, generation, fresh)) {
      return fresh;
    }
    return directory(container);
  }

  private synchronized LoadedDirectory peekDirectory(Container container) {
    memory.touch();
    return directories.get(container.id());
  }

  /** The durable content of a container, open or sealed. */
  ContainerDirectory durable(long id) throws IOException {
    Container found = find(id);
    OpenContainer open = found.open();
    return open != null ? open.forced() : directory(found).content();
  }

  /** What can be read in a container: {@link #durable}, and what is not durable yet. */
  ContainerDirectory written(long id) throws IOException {
    Container found = find(id);
    OpenContainer open = found.open();
    return open != null ? open.written() : directory(found).content();
  }

  /** As {@link #durable}, or null if chunks of the container may be lost. */
  ContainerDirectory findable(Container container) throws IOException {
    OpenContainer open = container.open();
    if (open != null) {
      return open.forced();
    }
    LoadedDirectory known = directory(container);
    return known.origin() == LoadedDirectory.Origin.LOSSY ? null : known.content();
  }

  /** Returns whether there may be chunks in a container that {@link #durable} does not have. */
  boolean mayHaveMore(long id) throws IOException {
    Container found = find(id);
    OpenContainer open = found.open();
    return open != null ? open.isDamaged() : findable(found) == null;
  }

  /** A sealed container if it is loaded, or null; the caller releases it. */
  synchronized LoadedContainer peek(Container container) {
    LoadedContainer found = loaded.get(container.id());
    memory.touch();
    return found != null && found.acquire() ? found : null;
  }

  /** A number that changes whenever the container's file does. */
  synchronized int generation(Container container) {
    return container.generation();
  }

  /**
   * Keeps a container, in addition to its user, if the budget has room for it; false if its file
   * was replaced meanwhile.
   */
  private synchronized boolean put(Container container, int generation, LoadedContainer fresh) {
    if (container.generation() != generation) {
      return false;
    }
    remove(loaded.remove(container.id()));
    if (reserveContainer(fresh.memory())) {
      fresh.acquire();
      containerMemory += fresh.memory();
      loaded.put(container.id(), fresh);
      makeRoom();
    }
    return true;
  }

  /** Keeps a directory if the budget has room; false if the file was replaced meanwhile. */
  private synchronized boolean put(Container container, int generation, LoadedDirectory fresh) {
    if (container.generation() != generation) {
      return false;
    }
    remove(directories.remove(container.id()));
    if (reserveDirectory(fresh.content().memory())) {
      directoryMemory += fresh.content().memory();
      directories.put(container.id(), fresh);
      makeRoom();
    }
    return true;
  }

  /** Reserves memory, for which what was used least may have to go; false if there is none. */
  private boolean reserveContainer(long bytes) {
    boolean any = true;
    while (any && !memory.tryReserve(bytes)) {
      any = removeOldest();
    }
    return any;
  }

  /** As the former; containers, which are small, go only where they take more than it would. */
  private boolean reserveDirectory(long bytes) {
    while (!memory.tryReserve(bytes)) {
      if (!directories.isEmpty()) {
        removeOldestDirectory();
      } else if (containerMemory > bytes) {
        removeOldestContainer();
      } else {
        return false;
      }
    }
    return true;
  }

  /** Removes something of the kind that takes more; false if there is nothing. */
  private boolean removeOldest() {
    if (!directories.isEmpty() && (loaded.isEmpty() || directoryMemory >= containerMemory)) {
      removeOldestDirectory();
      return true;
    }
    if (loaded.isEmpty()) {
      return false;
    }
    removeOldestContainer();
    return true;
  }

  private synchronized void shrink(long bytes) {
    long goal = containerMemory + directoryMemory - bytes;
    while (containerMemory + directoryMemory > goal && removeOldest()) {
      // Others need it more.
    }
  }

  /** Lets go of what takes more than this store's share of the process's descriptors. */
  synchronized void trim() {
    makeRoom();
  }

  /** One container and one directory stay, however large they are, if the budget has room. */
  private void makeRoom() {
    int mostFiles = Math.min(context.settings().maxOpenFiles(), FileShares.now());
    while (loaded.size() > Math.max(1, mostFiles)) {
      removeOldestContainer();
    }
    long mostMemory = context.settings().directoryMemory();
    while (containerMemory + directoryMemory > mostMemory) {
      if (directories.size() > 1 && (directoryMemory > mostMemory / 2 || loaded.size() <= 1)) {
        removeOldestDirectory();
      } else if (loaded.size() > 1) {
        removeOldestContainer();
      } else {
        return;
      }
    }
  }

  private void removeOldestDirectory() {
    Iterator<LoadedDirectory> oldest = directories.values().iterator();
    LoadedDirectory victim = oldest.next();
    oldest.remove();
    remove(victim);
  }

  private void removeOldestContainer() {
    Iterator<LoadedContainer> oldest = loaded.values().iterator();
    LoadedContainer victim = oldest.next();
    oldest.remove();
    remove(victim);
  }

  private void remove(LoadedContainer container) {
    if (container != null) {
      containerMemory -= container.memory();
      memory.release(container.memory());
      container.release();
    }
  }

  private void remove(LoadedDirectory directory) {
    if (directory != null) {
      directoryMemory -= directory.content().memory();
      memory.release(directory.content().memory());
    }
  }

  /** Forgets a container whose file was replaced or deleted. Whoever uses it can go on. */
  synchronized void replaced(Container container) {
    container.nextGeneration();
    container.setInfo(null);
    remove(loaded.remove(container.id()));
    remove(directories.remove(container.id()));
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
    directories.values().forEach(this::remove);
    directories.clear();
  }

  /** As {@link #clear}; keeps none from now on. */
  @Override
  public synchronized void close() {
    clear();
    memory.close();
    share.close();
  }

  /** Whether a sealed container is loaded for reading. */
  synchronized boolean contains(long id) {
    return loaded.containsKey(id);
  }

  /** Whether the directory of a sealed container is in memory. */
  synchronized boolean hasDirectory(long id) {
    LoadedContainer container = loaded.get(id);
    return directories.containsKey(id) || (container != null && container.directory() != null);
  }

  /** About how many bytes group indexes and directories take. */
  synchronized long memory() {
    return containerMemory + directoryMemory;
  }

  synchronized int size() {
    return loaded.size();
  }
}
