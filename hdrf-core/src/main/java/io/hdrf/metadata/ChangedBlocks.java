/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.metadata;

import io.hdrf.spi.io.DurableFiles;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The blocks of one pool on one volume whose records are to be written. The first of them removes
 * the mark of an orderly end from the volume, which it makes untrue. Safe for use by many threads.
 */
final class ChangedBlocks {

  private static final Logger LOG = LoggerFactory.getLogger(ChangedBlocks.class);

  private final Path directory;
  private final DurableFiles files;
  private final int most;

  /** Why each is plain if it is, as for {@link BlockRecord#plain}. */
  private final ConcurrentHashMap<Long, Integer> reasons = new ConcurrentHashMap<>();

  /** Whether changes got lost, so that all records have to be compared with the blocks. */
  private volatile boolean incomplete;

  /**
   * Whether the mark of an orderly end may lie on the volume: that of an earlier process does until
   * the store is open.
   */
  private volatile boolean marked = true;

  /** The number of blocks that were taken last and are neither written nor put back. */
  private volatile int inWork;

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
   * Adds a block, or replaces its reason. Never waits.
   *
   * @return false if there are too many to remember it
   */
  boolean add(long blockId, int reason) {
    if (reasons.size() >= most && !reasons.containsKey(blockId)) {
      incomplete = true;
      return false;
    }
    reasons.put(blockId, reason);
    if (marked) {
      unmark();
    }
    return true;
  }

  /** Adds a block that changed before, unless it has changed again. */
  void addAgain(long blockId, int reason) {
    reasons.putIfAbsent(blockId, reason);
  }

  boolean contains(long blockId) {
    return reasons.containsKey(blockId);
  }

  boolean isEmpty() {
    return reasons.isEmpty();
  }

  /** Returns how many there are, those {@linkplain #take taken} last included. */
  int size() {
    return reasons.size() + inWork;
  }

  /** Takes some out, until {@link #putBack} or {@link #written}. For one thread. */
  Map<Long, Integer> take(int limit) {
    inWork = Math.min(reasons.size(), limit);
    Map<Long, Integer> taken = new LinkedHashMap<>();
    Iterator<Long> ids = reasons.keySet().iterator();
    while (ids.hasNext() && taken.size() < limit) {
      Long id = ids.next();
      taken.put(id, reasons.remove(id));
    }
    return taken;
  }

  void putBack(Map<Long, Integer> taken) {
    taken.forEach(this::addAgain);
    inWork = 0;
  }

  void written() {
    inWork = 0;
  }

  boolean isIncomplete() {
    return incomplete;
  }

  void setIncomplete(boolean incomplete) {
    this.incomplete = incomplete;
  }

  /** No mark lies on the volume any more. */
  void unmarked() {
    marked = false;
  }

  /** A mark may lie on the volume. A change that is known already removes it. */
  void marked() {
    marked = true;
    removeUntrueMark();
  }

  /** Tries again to remove the mark if there was a change. */
  void removeUntrueMark() {
    if (marked && (incomplete || !reasons.isEmpty())) {
      unmark();
    }
  }

  private void unmark() {
    try {
      StoreCheckpoint.remove(directory, files);
      marked = false;
    } catch (IOException e) {
      LOG.warn("{} may miss a record; 'hdrf fsck --repair' mends that", directory, e);
    }
  }
}
