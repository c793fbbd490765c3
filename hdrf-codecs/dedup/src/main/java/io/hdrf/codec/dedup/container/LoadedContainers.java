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
import java.util.concurrent.ConcurrentSkipListMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Containers for reading, whether they are open or sealed. Safe for use by many threads. */
final class LoadedContainers {

  private static final Logger LOG = LoggerFactory.getLogger(LoadedContainers.class);

  private final ContainerContext context;
  private final ConcurrentSkipListMap<Long, Container> containers;
  private final ContainerCache cache;
  private final ContainerReplacer replacer;
  private final Mending mending;

  /**
   * @param containers all of the store
   * @param cache of the sealed ones
   * @param mending is told of those that should get their directory again
   */
  LoadedContainers(
      ContainerContext context,
      ConcurrentSkipListMap<Long, Container> containers,
      ContainerCache cache,
      ContainerReplacer replacer,
      Mending mending) {
    this.context = context;
    this.containers = containers;
    this.cache = cache;
    this.replacer = replacer;
    this.mending = mending;
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
      LoadedContainer loaded = null;
      if (open == null) {
        loaded = cache.acquire(container);
        if (loaded.origin() == LoadedContainer.Origin.REBUILT || loaded.readError() != null) {
          mending.want(container.id());
        }
      } else {
        loaded = open.acquire();
        if (loaded == null && container.open() == open) {
          throw new IOException(
              context.file(container.id(), ContainerNames.OPEN) + ": the store is closed");
        }
      }
      if (loaded != null) {
        return loaded;
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
  void forget(Container container, LoadedContainer loaded, ClosedChannelException e)
      throws IOException {
    OpenContainer open = container.open();
    if (open != null) {
      open.forget(loaded);
    }
    cache.forget(loaded);
    if (Thread.currentThread().isInterrupted()) {
      throw e;
    }
  }

  /**
   * Gives a container a directory again of which nothing but the directory is damaged. Until then
   * it is read by the one in memory. One of which the disk could not read all is read anew first.
   *
   * @return false if the disk still can't
   */
  boolean repair(Container container, Throttle throttle) throws IOException {
    synchronized (container.maintenance()) {
      LoadedContainer loaded = cache.acquireAnew(container);
      try {
        if (loaded.origin() == LoadedContainer.Origin.REBUILT) {
          try {
            replacer.replace(container.id(), loaded, null, throttle);
          } finally {
            // What failed may have come after the rename.
            cache.replaced(container);
          }
          LOG.info("{}: the directory was made again", loaded.path());
        }
        return loaded.readError() == null;
      } finally {
        loaded.release();
      }
    }
  }
}
