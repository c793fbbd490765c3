/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.container;

import io.hdrf.codec.dedup.container.format.ContainerDirectory;
import io.hdrf.codec.dedup.container.format.ContainerNames;
import java.io.IOException;
import java.nio.file.Path;
import java.util.BitSet;
import java.util.concurrent.ConcurrentSkipListMap;

/**
 * Compacts and verifies containers, one thread a container. Readers are not disturbed. Safe for use
 * by many threads.
 */
final class ContainerMaintenance {

  private final ContainerContext context;
  private final ConcurrentSkipListMap<Long, Container> containers;
  private final LoadedContainers loaded;
  private final ContainerCache cache;
  private final ContainerReplacer replacer;
  private final Quarantine unreadable;
  private final Quarantine wrong;

  /**
   * @param containers all of the store; loses those that are deleted
   */
  ContainerMaintenance(
      ContainerContext context,
      ConcurrentSkipListMap<Long, Container> containers,
      LoadedContainers loaded,
      ContainerCache cache,
      ContainerReplacer replacer,
      Quarantine unreadable,
      Quarantine wrong) {
    this.context = context;
    this.containers = containers;
    this.loaded = loaded;
    this.cache = cache;
    this.replacer = replacer;
    this.unreadable = unreadable;
    this.wrong = wrong;
  }

  /** See {@link ContainerStore#compact}. */
  CompactionResult compact(long container, Selection selection, Throttle throttle)
      throws IOException {
    Container found = loaded.find(container);
    synchronized (found.maintenance()) {
      if (found.open() != null) {
        throw new IllegalStateException(
            "container " + ContainerNames.hex(container) + " is still open");
      }
      LoadedContainer source = loaded.acquireAlone(found);
      try {
        return compact(found, source, selection, throttle);
      } finally {
        source.release();
      }
    }
  }

  private CompactionResult compact(
      Container container, LoadedContainer source, Selection selection, Throttle throttle)
      throws IOException {
    long id = container.id();
    Path path = context.file(id, ContainerNames.SEALED);
    ContainerDirectory content = source.directory();
    BitSet live = selection.keep(content, source.origin() != LoadedContainer.Origin.LOSSY);
    for (int n = live.nextSetBit(0); n >= 0; n = live.nextSetBit(n + 1)) {
      if (content.indexOf(n) < 0) {
        throw new MissingChunkException(path + ": chunk " + n + " is not there");
      }
    }
    int kept = live.cardinality();
    int dropped = content.chunkCount() - kept;
    long before = source.file().length();
    if (kept == 0 && isFollowed(id)) {
      context.files().deleteIfExists(path);
      containers.remove(id);
      cache.replaced(container);
      context.files().forceDirectory(context.directory());
      unreadable.set(id, new BitSet());
      wrong.set(id, new BitSet());
      return new CompactionResult(0, 0, before, 0, dropped, 0);
    }
    if (dropped == 0 && source.origin() == LoadedContainer.Origin.WRITTEN) {
      return new CompactionResult(0, 0, 0, kept, 0, 0);
    }
    ContainerRewriter rewriter;
    try {
      rewriter = replacer.replace(id, source, live, throttle);
    } finally {
      // Even if it failed: the file may have been replaced before.
      cache.replaced(container);
    }
    unreadable.set(id, rewriter.damagedChunks());
    return new CompactionResult(
        rewriter.bytesRead(),
        rewriter.bytesWritten(),
        before - rewriter.bytesWritten(),
        kept,
        dropped,
        rewriter.damagedGroups());
  }

  /**
   * Whether a later id stays in use whatever happens: an open container may leave nothing behind,
   * and its id, and those before it, would be given out again.
   */
  private boolean isFollowed(long id) {
    return containers.tailMap(id, false).values().stream()
        .anyMatch(later -> later.open() == null && later.problem() == null);
  }
}
