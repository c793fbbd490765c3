/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.container;

import io.hdrf.codec.dedup.container.format.ContainerDirectory;
import io.hdrf.codec.dedup.container.format.ContainerNames;
import io.hdrf.spi.io.DiskErrors;
import java.io.IOException;
import java.nio.file.Path;
import java.util.BitSet;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentSkipListMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Compacts and repairs containers, one thread a container. Readers are not disturbed. Safe for use
 * by many threads.
 */
final class ContainerMaintenance {

  private static final Logger LOG = LoggerFactory.getLogger(ContainerMaintenance.class);

  private static final String WITH_FINGERPRINTS = " with fingerprints that were found out";

  private final ContainerContext context;
  private final ConcurrentSkipListMap<Long, Container> containers;
  private final LoadedContainers loaded;
  private final KnownDamage damage;
  private final ChunkReader checking;

  /** Containers whose chunks got fingerprints, until somebody takes note of them. */
  private final Queue<Long> fingerprinted = new ConcurrentLinkedQueue<>();

  /**
   * @param containers all of the store; loses those that are deleted
   * @param damage is brought up to date
   * @param checking reads the bases of chunks without fingerprints
   */
  ContainerMaintenance(
      ContainerContext context,
      ConcurrentSkipListMap<Long, Container> containers,
      LoadedContainers loaded,
      KnownDamage damage,
      ChunkReader checking) {
    this.context = context;
    this.containers = containers;
    this.loaded = loaded;
    this.damage = damage;
    this.checking = checking;
  }

  /** See {@link ContainerStore#compact}. */
  CompactionResult compact(
      long container, ChunkSelection selection, Replacements replacements, Throttle throttle)
      throws IOException {
    Container found = loaded.find(container);
    synchronized (found.maintenance()) {
      if (found.open() != null) {
        throw new IllegalStateException(
            "container " + ContainerNames.hex(container) + " is still open");
      }
      LoadedContainer source = loaded.acquireAlone(found);
      try {
        return compact(found, source, selection, replacements, throttle);
      } finally {
        source.release();
      }
    }
  }

  private CompactionResult compact(
      Container container,
      LoadedContainer source,
      ChunkSelection selection,
      Replacements replacements,
      Throttle throttle)
      throws IOException {
    long id = container.id();
    Path path = context.file(id, ContainerNames.SEALED);
    LoadedDirectory found = source.known();
    if (found == null) {
      // Of the same file: nobody else replaces it now.
      found = loaded.directory(container);
    }
    ContainerDirectory content = found.content();
    BitSet live = selection.keep(content, found.origin() != LoadedDirectory.Origin.LOSSY);
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
      loaded.replaced(container);
      context.files().forceDirectory(context.directory());
      damage.forget(id);
      return new CompactionResult(0, 0, before, 0, dropped, 0, new BitSet());
    }
    if (dropped == 0
        && replacements.isEmpty()
        && found.origin() == LoadedDirectory.Origin.WRITTEN) {
      return new CompactionResult(0, 0, 0, kept, 0, 0, new BitSet());
    }
    ContainerRewriter rewriter = rewrite(container, source, content, live, replacements, throttle);
    BitSet replaced = rewriter.replaced();
    if (!replaced.isEmpty()) {
      // They may be the bases that others lacked.
      containers.values().forEach(other -> other.setFingerprintsFinal(false));
    }
    Quarantine unreadable = damage.unreadable();
    BitSet damaged = rewriter.damagedChunks();
    for (int n = live.nextSetBit(0); n >= 0; n = live.nextSetBit(n + 1)) {
      // What is kept of a difference says nothing of its base: it leaves when it reads well.
      if (unreadable.isBad(id, n) && !replaced.get(n) && content.isDifference(content.indexOf(n))) {
        damaged.set(n);
      }
    }
    unreadable.set(id, damaged);
    // These were compared with their fingerprints.
    for (int n = replaced.nextSetBit(0); n >= 0; n = replaced.nextSetBit(n + 1)) {
      damage.wrong().remove(id, n, 1);
    }
    return new CompactionResult(
        rewriter.bytesRead(),
        rewriter.bytesWritten(),
        before - rewriter.bytesWritten(),
        kept,
        dropped,
        rewriter.damagedGroups(),
        rewriter.replaced());
  }

  /**
   * Returns whether a later id stays in use in any case: an open container may leave nothing
   * behind, and its id, and those before it, would be given out again.
   */
  private boolean isFollowed(long id) {
    return containers.tailMap(id, false).values().stream().anyMatch(Container::isSealed);
  }

  private ContainerRewriter rewrite(
      Container container,
      LoadedContainer source,
      ContainerDirectory content,
      BitSet live,
      Replacements replacements,
      Throttle throttle)
      throws IOException {
    ContainerRewriter rewriter =
        new ContainerRewriter(context, source, content, replacements, throttle);
    try {
      rewriter.rewrite(live);
      // What kept chunks from being given fingerprints may be gone.
      container.setFingerprintsFinal(false);
      rewriter.replace();
      container.setHeaderDamaged(false);
      return rewriter;
    } finally {
      // Even if it failed: that may have been after the rename.
      loaded.replaced(container);
    }
  }

  /**
   * Gives a container a directory again of which nothing but the directory is damaged, or headers,
   * or of which the directory lacks fingerprints. Until then it is read by what is in memory. One
   * of which the disk could not read all is read again first.
   *
   * @return false if the disk still can't, or fingerprints are still missing
   */
  boolean repair(Container container, Throttle throttle) throws IOException {
    synchronized (container.maintenance()) {
      LoadedContainer source = loaded.reload(container);
      try {
        LoadedDirectory content = source.known();
        if (content == null) {
          content = loaded.reloadDirectory(container);
        }
        expectFingerprints(container, content);
        // To rewrite one that has lost chunks removes them for good.
        boolean lossy = content.origin() == LoadedDirectory.Origin.LOSSY;
        ContainerCheck check =
            lossy ? null : findFingerprints(container, source, content, throttle);
        ContainerDirectory complete = check == null ? content.content() : check.completed();
        boolean more = complete != content.content();
        if (more && content.origin() == LoadedDirectory.Origin.WRITTEN) {
          more = addFingerprints(container, source, complete, throttle);
        } else if (more || content.origin() == LoadedDirectory.Origin.REBUILT) {
          rewrite(container, source, complete, null, Replacements.NONE, throttle);
          LOG.info(
              "{}: the directory was made again{}", source.path(), more ? WITH_FINGERPRINTS : "");
        } else if (container.isHeaderDamaged()
            && content.origin() == LoadedDirectory.Origin.WRITTEN) {
          mendHeaders(container, source, content.content(), throttle);
        }
        if (more) {
          fingerprinted.add(container.id());
        }
        if (check != null && !check.mayFindFingerprints()) {
          // Only now that those that were found are durable.
          container.setFingerprintsFinal(true);
        }
        return content.readError() == null
            && (lossy || container.areFingerprintsFinal() || !complete.lacksFingerprints());
      } finally {
        source.release();
      }
    }
  }

  /**
   * Finds out the fingerprints of differences of which the directory was made again, as that of a
   * container that was open when the process ended: their bases are to be had now, or may be later.
   *
   * @return null if there is nothing to be found out
   */
  private ContainerCheck findFingerprints(
      Container container, LoadedContainer source, LoadedDirectory found, Throttle throttle)
      throws IOException {
    if (container.areFingerprintsFinal() || !found.content().lacksFingerprints()) {
      return null;
    }
    try (ChunkReader.Bases bases = checking.newBases(throttle)) {
      ContainerCheck check =
          new ContainerCheck(context, source, found, bases, damage::isBad, throttle);
      check.run();
      return check;
    }
  }

  /**
   * Puts fingerprints into a directory that lacked them; if the disk can't read all groups, once
   * until the next start, until bases are healed, or until a compaction.
   *
   * @return false if the disk can't
   */
  private boolean addFingerprints(
      Container container, LoadedContainer source, ContainerDirectory complete, Throttle throttle)
      throws IOException {
    try {
      rewrite(container, source, complete, null, Replacements.NONE, throttle);
      LOG.info("{}: the directory was completed{}", source.path(), WITH_FINGERPRINTS);
      return true;
    } catch (IOException e) {
      if (!DiskErrors.isReadError(e)) {
        throw e;
      }
      container.setFingerprintsFinal(true);
      LOG.warn("{}: chunks without fingerprints can't be given them", source.path(), e);
      return false;
    }
  }

  /** A directory that was made again lacks fingerprints that were known. */
  private static void expectFingerprints(Container container, LoadedDirectory found) {
    if (found.origin() != LoadedDirectory.Origin.WRITTEN) {
      container.setFingerprintsFinal(false);
    }
  }

  /** Returns a container whose chunks got fingerprints, once; null if there is none. */
  Long pollFingerprinted() {
    return fingerprinted.poll();
  }

  /** Once for each time that they are found damaged, if the disk can't read the rest. */
  private void mendHeaders(
      Container container, LoadedContainer source, ContainerDirectory content, Throttle throttle)
      throws IOException {
    try {
      rewrite(container, source, content, null, Replacements.NONE, throttle);
      LOG.info("{}: damaged headers were made again", source.path());
    } catch (IOException e) {
      if (!DiskErrors.isReadError(e)) {
        throw e;
      }
      container.setHeaderDamaged(false);
      LOG.warn("{}: damaged headers can't be made again", source.path(), e);
    }
  }
}
