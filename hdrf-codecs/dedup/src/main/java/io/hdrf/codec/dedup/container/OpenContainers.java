/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.container;

import io.hdrf.codec.dedup.container.format.ChunkRef;
import io.hdrf.codec.dedup.container.format.ContainerHeader;
import io.hdrf.codec.dedup.container.format.ContainerNames;
import java.io.Closeable;
import java.io.IOException;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The containers that appenders write to. An appender has one for itself until it gives it back.
 * Safe for use by many threads.
 */
final class OpenContainers implements Closeable {

  private static final Logger LOG = LoggerFactory.getLogger(OpenContainers.class);

  private static final SecureRandom RANDOM = new SecureRandom();

  private final ContainerContext context;
  private final ConcurrentSkipListMap<Long, Container> containers;

  /** Guards the next five. */
  private final Object openLock = new Object();

  private final List<OpenContainer> idle = new ArrayList<>();

  /** Containers that get no more chunks and could not be sealed. */
  private final List<OpenContainer> unsealed = new ArrayList<>();

  /** The first container that each appender had which is not closed. */
  private final Map<ChunkAppender, Long> firsts = new HashMap<>();

  private long nextId;
  private boolean closed;

  /**
   * @param containers all of the store; those that are open were found so. Gets those that are
   *     created
   */
  OpenContainers(ContainerContext context, ConcurrentSkipListMap<Long, Container> containers) {
    this.context = context;
    this.containers = containers;
    long unused = containers.isEmpty() ? 0 : containers.lastKey() + 1;
    this.nextId = Math.max(unused, context.settings().firstId());
    for (Container container : containers.values()) {
      if (container.open() != null) {
        unsealed.add(container.open());
      }
    }
  }

  /** An open container with that chain that no other appender has. */
  OpenContainer take(int[] chainIds, ChunkAppender taker) throws IOException {
    Container container;
    synchronized (openLock) {
      if (closed) {
        throw new IOException(context.directory() + ": the store is closed");
      }
      for (int i = idle.size() - 1; i >= 0; i--) {
        if (idle.get(i).header().hasChain(chainIds)) {
          OpenContainer taken = idle.remove(i);
          firsts.merge(taker, taken.container().id(), Math::min);
          return taken;
        }
      }
      if (nextId > ChunkRef.MAX_CONTAINER) {
        throw new IOException(context.directory() + ": there are no container ids left");
      }
      container = new Container(nextId);
      firsts.merge(taker, nextId, Math::min);
      nextId++;
    }
    ContainerHeader header =
        new ContainerHeader(
            container.id(),
            context.settings().identity(),
            chainIds,
            System.currentTimeMillis(),
            RANDOM.nextLong());
    container.setOpen(new OpenContainer(container, header, context));
    containers.put(container.id(), container);
    return container.open();
  }

  /**
   * Takes back a container that an appender had for itself. One that failed is ended, as far as the
   * disk lets it.
   */
  void giveBack(OpenContainer open) throws IOException {
    boolean failed = open.hasFailed();
    boolean late;
    synchronized (openLock) {
      late = closed;
      if (!late && !failed && open.container().open() != null) {
        idle.add(open);
      }
    }
    if (late) {
      end(open);
    } else if (failed) {
      endFailed(open);
    }
  }

  /** An appender is closed, and whoever had it has told others of its chunks. */
  void closed(ChunkAppender appender) {
    synchronized (openLock) {
      firsts.remove(appender);
    }
  }

  /**
   * Returns the last container before all that may get more chunks, or have some of an appender
   * that is not closed; -1 if there is none.
   */
  long lastSettled() {
    synchronized (openLock) {
      // A later id may be given out again where the last containers left nothing behind.
      Map.Entry<Long, Container> last = containers.lastEntry();
      long first = last == null ? 0 : last.getKey() + 1;
      for (long taken : firsts.values()) {
        first = Math.min(first, taken);
      }
      for (OpenContainer open : idle) {
        first = Math.min(first, open.container().id());
      }
      return first - 1;
    }
  }

  private void endFailed(OpenContainer open) {
    try {
      if (!open.end()) {
        containers.remove(open.container().id());
      }
    } catch (IOException | RuntimeException | Error e) {
      try {
        open.stopWriting();
      } catch (IOException again) {
        e.addSuppressed(again);
      } finally {
        sealLater(open);
      }
      LOG.warn(
          "Container {} can't be sealed now, and is read as it is: {}",
          ContainerNames.hex(open.container().id()),
          e.toString());
    }
  }

  /** Takes one that was found, to be sealed; unless it is sealed. */
  void sealLater(OpenContainer open) {
    synchronized (openLock) {
      if (!closed && open.container().open() == open) {
        unsealed.add(open);
      }
    }
  }

  /** The ids of those that could not be sealed, but for those that stay damaged. */
  List<Long> unsealed() {
    synchronized (openLock) {
      return unsealed.stream()
          .filter(open -> !open.isDamaged() || open.mayReadMore())
          .map(open -> open.container().id())
          .collect(Collectors.toList());
    }
  }

  /**
   * Takes one that could not be sealed, to be given back by {@link #sealLater}.
   *
   * @return false if another thread is about to seal it
   */
  boolean takeUnsealed(OpenContainer open) {
    synchronized (openLock) {
      return unsealed.remove(open);
    }
  }

  /**
   * Seals a container. If that fails, it is read as it is, and nothing is appended to it.
   *
   * @return false if an appender has it, or another thread is about to seal it
   */
  boolean seal(OpenContainer open) throws IOException {
    synchronized (openLock) {
      if (!idle.remove(open) && !unsealed.remove(open)) {
        return false;
      }
    }
    boolean done = false;
    try {
      open.seal();
      done = true;
      return true;
    } finally {
      if (!done) {
        try {
          open.stopWriting();
        } finally {
          sealLater(open);
        }
      }
    }
  }

  /**
   * Seals the containers that no appender has, and closes the files of the others. From now on none
   * is given out, and those that are given back are sealed. A second call does nothing.
   *
   * @throws IOException if one could not be sealed; all others are
   */
  @Override
  public void close() throws IOException {
    List<OpenContainer> rest;
    synchronized (openLock) {
      if (closed) {
        return;
      }
      closed = true;
      rest = new ArrayList<>(idle);
      idle.clear();
      unsealed.clear();
    }
    IOException failure = null;
    for (OpenContainer open : rest) {
      try {
        end(open);
      } catch (IOException e) {
        if (failure == null) {
          failure = e;
        } else {
          failure.addSuppressed(e);
        }
      }
    }
    for (Container container : containers.values()) {
      OpenContainer open = container.open();
      if (open != null) {
        open.close();
      }
    }
    if (failure != null) {
      throw failure;
    }
  }

  /** Seals a container, or deletes it if there is nothing in it. */
  private void end(OpenContainer open) throws IOException {
    if (open.container().open() == null) {
      return;
    }
    if (open.hasNothing()) {
      containers.remove(open.container().id());
      open.delete();
    } else if (open.hasFailed()) {
      open.close();
    } else {
      open.seal();
    }
  }
}
