/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.metadata;

import io.hdrf.spi.io.DurableFiles;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The blocks of one pool on one volume whose records are to be written. Once no thread writes
 * records any more, the first of them removes the mark of an orderly end from the volume, which it
 * makes untrue. Safe for use by many threads.
 */
final class ChangedBlocks {

  private static final Logger LOG = LoggerFactory.getLogger(ChangedBlocks.class);

  private final Path directory;
  private final DurableFiles files;
  private final int most;

  private final ConcurrentHashMap<Long, Change> blocks = new ConcurrentHashMap<>();

  /** Whether changes got lost, so that all records have to be compared with the blocks. */
  private volatile boolean incomplete;

  /** Whether a mark lies on the volume that the next change makes untrue: only from the end on. */
  private volatile boolean marked;

  /** Whether others may keep the records by now, who would not know of a mark that comes late. */
  private volatile boolean abandoned;

  /** A block's last change. No two are equal: one that comes while a record is written stays. */
  static final class Change {
    private final int reason;

    Change(int reason) {
      this.reason = reason;
    }

    /** Returns why the block is plain if it is, as for {@link BlockRecord#plain}. */
    int reason() {
      return reason;
    }
  }

  /**
   * @param directory where the mark lies
   * @param most how many are remembered
   */
  ChangedBlocks(Path directory, DurableFiles files, int most) {
    this.directory = directory;
    this.files = files;
    this.most = most;
  }

  /**
   * Adds a block, or replaces its reason. Waits for nothing, but after {@link #mark} for the mark
   * to be removed.
   *
   * @return false if there are too many to remember it
   */
  boolean add(long blockId, int reason) {
    boolean room = blocks.size() < most || blocks.containsKey(blockId);
    if (room) {
      blocks.put(blockId, new Change(reason));
    } else {
      incomplete = true;
    }
    if (marked) {
      unmark();
    }
    return room;
  }

  /** Adds a block that changed before, unless it has changed again. */
  void addAgain(long blockId, int reason) {
    blocks.putIfAbsent(blockId, new Change(reason));
  }

  /** Returns whether a block's record is still to be written. */
  boolean contains(long blockId) {
    return blocks.containsKey(blockId);
  }

  boolean isEmpty() {
    return blocks.isEmpty();
  }

  int size() {
    return blocks.size();
  }

  /** Returns some. They stay until {@link #written}. */
  Map<Long, Change> some(int limit) {
    Map<Long, Change> some = new LinkedHashMap<>();
    for (Map.Entry<Long, Change> entry : blocks.entrySet()) {
      if (some.size() == limit) {
        break;
      }
      some.put(entry.getKey(), entry.getValue());
    }
    return some;
  }

  /** Removes those that did not change again. */
  void written(Map<Long, Change> written) {
    written.forEach(blocks::remove);
  }

  boolean isIncomplete() {
    return incomplete;
  }

  void setIncomplete(boolean incomplete) {
    this.incomplete = incomplete;
  }

  /**
   * Durably puts the mark of an orderly end on the volume, unless there is a change. A later one
   * removes it before {@link #add} returns.
   */
  void mark(StoreCheckpoint mark) throws IOException {
    if (abandoned) {
      return;
    }
    mark.prepare(directory, files);
    synchronized (this) {
      // First, so that a change that is not seen here sees this.
      marked = true;
      if (abandoned || incomplete || !blocks.isEmpty()) {
        marked = false;
        return;
      }
      StoreCheckpoint.put(directory, files);
      if (abandoned) {
        unmark();
      }
    }
    files.forceDirectory(directory);
  }

  /** No mark is to come any more. Never waits. */
  void abandon() {
    abandoned = true;
  }

  private synchronized void unmark() {
    if (marked) {
      try {
        StoreCheckpoint.remove(directory, files);
        marked = false;
      } catch (IOException e) {
        LOG.warn("{} may miss a record; 'hdrf fsck --repair' mends that", directory, e);
      }
    }
  }
}
