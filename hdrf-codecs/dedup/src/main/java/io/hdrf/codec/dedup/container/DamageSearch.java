/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.container;

import io.hdrf.codec.dedup.container.format.ChunkRef;
import io.hdrf.codec.dedup.container.format.ContainerDirectory;
import io.hdrf.codec.dedup.container.format.ContainerFormat;
import io.hdrf.codec.dedup.container.format.ContainerNames;
import io.hdrf.codec.dedup.container.format.Fingerprinter;
import io.hdrf.spi.io.BufferPool;
import io.hdrf.spi.io.CorruptFileException;
import io.hdrf.spi.io.DiskErrors;
import io.hdrf.spi.scheme.CorruptFrameException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds chunks that are damaged, or not what their fingerprints say, and tries those again that
 * were. Safe for use by many threads.
 */
final class DamageSearch {

  private static final Logger LOG = LoggerFactory.getLogger(DamageSearch.class);

  /**
   * Where more containers are damaged, lost chunks are looked for among blocks' chunks only if
   * their numbers are below {@link #MAX_LOST_NUMBER}, to save memory.
   */
  private static final int FEW_CONTAINERS = 64;

  private static final int MAX_LOST_NUMBER = 1 << 17;

  private final ContainerContext context;
  private final ConcurrentSkipListMap<Long, Container> containers;
  private final LoadedContainers loaded;
  private final ChunkReader reader;
  private final ChunkReader checking;
  private final KnownDamage known;
  private final RepairQueue repairs;

  /**
   * @param containers all of the store
   * @param reader reads single chunks as blocks' readers do
   * @param checking reads the bases of what is checked as a whole
   * @param known gets what is found
   * @param repairs gets the containers that should be made again
   */
  DamageSearch(
      ContainerContext context,
      ConcurrentSkipListMap<Long, Container> containers,
      LoadedContainers loaded,
      ChunkReader reader,
      ChunkReader checking,
      KnownDamage known,
      RepairQueue repairs) {
    this.context = context;
    this.containers = containers;
    this.loaded = loaded;
    this.reader = reader;
    this.checking = checking;
    this.known = known;
    this.repairs = repairs;
  }

  private Path file(long container) {
    return context.file(container, ContainerNames.SEALED);
  }

  /** See {@link ContainerStore#findDamage}. */
  boolean findDamage(long container, int firstChunk, int chunkCount) {
    boolean found = false;
    for (int number = firstChunk; number < firstChunk + chunkCount; number++) {
      try {
        found |= isWrong(container, number);
      } catch (IOException e) {
        LOG.debug("{} can't be read", ChunkRef.toString(ChunkRef.pack(container, number)), e);
        found = true;
      }
    }
    return found;
  }

  private boolean isWrong(long container, int number) throws IOException {
    ContainerDirectory content = loaded.written(container);
    int index = content.indexOf(number);
    return index < 0 || isWrong(content, container, number, index, true);
  }

  private boolean isWrong(
      ContainerDirectory content, long container, int number, int index, boolean compared)
      throws IOException {
    if (reads(content, container, number, index, compared && !content.lacksFingerprint(index))) {
      return false;
    }
    if (!known.wrong().isBad(container, number)) {
      LOG.error(
          "{}: chunk {} is not what its fingerprint says, and no new block refers to it. It was"
              + " changed before it was written: have the memory of this machine tested",
          file(container),
          number);
    }
    known.markWrong(ChunkRef.pack(container, number));
    return true;
  }

  /** See {@link ContainerStore#isDamaged}. */
  boolean isDamaged(long container, int firstChunk, int chunkCount) throws IOException {
    if (isLost(container)) {
      return true;
    }
    for (int number = firstChunk; number < firstChunk + chunkCount; number++) {
      if (known.isBad(ChunkRef.pack(container, number)) && isDamaged(container, number)) {
        return true;
      }
    }
    return false;
  }

  /** Returns whether there is no such container, or a damaged one of which nothing can be read. */
  private boolean isLost(long id) {
    Container container = containers.get(id);
    return container == null || isUnreadable(container.problem());
  }

  private static boolean isUnreadable(IOException problem) {
    return problem instanceof CorruptFileException
        || (problem != null && DiskErrors.isReadError(problem));
  }

  /** See {@link ContainerStore#mayLack}. */
  boolean mayLack(long id) {
    Container container = containers.get(id);
    return container == null || container.wasFoundOpen();
  }

  /** See {@link ContainerStore#lacked}. */
  BitSet lacked(long id, int first, int count) {
    BitSet lacked = new BitSet();
    if (isLost(id)) {
      lacked.set(first, first + count);
      return lacked;
    }
    try {
      ContainerDirectory content = loaded.written(id);
      for (int number = first; number < first + count; number++) {
        lacked.set(number, content.indexOf(number) < 0);
      }
    } catch (IOException | RuntimeException | OutOfMemoryError e) {
      LOG.debug("{} can't be read now", file(id), e);
      return null;
    }
    if (!lacked.isEmpty()) {
      known.unreadable().add(id, lacked);
    }
    return lacked;
  }

  /** See {@link ContainerStore#needsDamagedBase}. */
  boolean needsDamagedBase(long container, int firstChunk, int chunkCount) throws IOException {
    ContainerDirectory content = loaded.written(container);
    for (int number = firstChunk; number < firstChunk + chunkCount; number++) {
      int index = content.indexOf(number);
      long base = index < 0 ? -1 : content.baseOf(index);
      if (base >= 0
          && (known.isBad(base) || isLost(ChunkRef.container(base)))
          && isDamaged(container, number)) {
        return true;
      }
    }
    return false;
  }

  private boolean isDamaged(long container, int number) throws IOException {
    try {
      ContainerDirectory content = loaded.written(container);
      int index = content.indexOf(number);
      return index < 0
          || isWrong(content, container, number, index, known.wrong().isBad(container, number));
    } catch (CorruptFrameException | MissingChunkException e) {
      return true;
    } catch (IOException e) {
      if (!DiskErrors.isReadError(e)) {
        throw e;
      }
      return true;
    }
  }

  /** Reads a chunk; returns false only if it is compared and not what its fingerprint says. */
  private boolean reads(
      ContainerDirectory content, long container, int number, int index, boolean compared)
      throws IOException {
    byte[] fingerprint = new byte[Fingerprinter.LENGTH];
    ByteBuffer bytes = BufferPool.shared().take(content.length(index));
    try {
      try (RunReader run = new RunReader(loaded, reader, known)) {
        run.read(container, number, 1, bytes);
      }
      if (!compared) {
        return true;
      }
      bytes.flip();
      context.fingerprinter().fingerprint(bytes, fingerprint, 0);
    } finally {
      BufferPool.shared().give(bytes);
    }
    return content.hasFingerprint(index, fingerprint, 0);
  }

  /** See {@link ContainerStore#check}. */
  CheckedContainer check(long id, Throttle throttle) throws IOException {
    Container container = containers.get(id);
    if (container == null || !container.isSealed()) {
      return null;
    }
    int generation = loaded.generation(container);
    ContainerLoader loader = new ContainerLoader(context);
    LoadedContainer source;
    try {
      source = loader.load(container);
    } catch (MissingChunkException e) {
      return isLost(container) ? lost(container, e) : null;
    } catch (CorruptFrameException e) {
      return lost(container, e);
    }
    try (ChunkReader.Bases bases = checking.newBases(throttle)) {
      // Of the same file, which may be replaced meanwhile.
      LoadedDirectory found = loader.loadDirectory(container, source);
      ContainerCheck check =
          new ContainerCheck(context, source, found, bases, known::isBad, throttle);
      check.run();
      if (loaded.generation(container) != generation) {
        // It was rewritten, and read back, meanwhile.
        return null;
      }
      boolean whole =
          found.origin() == LoadedDirectory.Origin.WRITTEN
              && source.origin() == LoadedDirectory.Origin.WRITTEN;
      if (!whole || !check.suspects().isEmpty()) {
        // Readers may have what was read before it was damaged.
        loaded.replaced(container);
      }
      BitSet suspects = check.suspects();
      BitSet damaged = stillDamaged(container, suspects, check.isCompared(), throttle);
      if (found.origin() == LoadedDirectory.Origin.LOSSY) {
        known.unreadable().add(id, absent(found.content().numbers()));
      }
      if (!whole || (!container.areFingerprintsFinal() && found.content().lacksFingerprints())) {
        repairs.want(id);
      }
      return new CheckedContainer(
          check.bytesRead(), damaged, check.damageBeside(), check.isHeaderDamaged());
    } catch (MissingChunkException e) {
      // It was deleted meanwhile.
      return null;
    } finally {
      source.release();
    }
  }

  /** Returns whether a container's file is gone that nobody has deleted. */
  private boolean isLost(Container container) {
    // Not while it is deleted, nor where the whole disk is gone.
    synchronized (container.maintenance()) {
      return containers.get(container.id()) == container
          && Files.isDirectory(context.directory())
          && Files.notExists(file(container.id()));
    }
  }

  private CheckedContainer lost(Container container, IOException why) {
    loaded.replaced(container);
    known.unreadable().add(container.id(), absent(new BitSet()));
    return new CheckedContainer(0, new BitSet(), "all of it: " + why.getMessage(), false);
  }

  /** Returns the numbers that a container's lost chunks may have. */
  private BitSet absent(BitSet present) {
    BitSet absent = new BitSet();
    absent.set(
        0,
        known.unreadable().size() < FEW_CONTAINERS ? ContainerFormat.MAX_CHUNKS : MAX_LOST_NUMBER);
    absent.andNot(present);
    return absent;
  }

  /** See {@link ContainerStore#damagedChunks}. */
  Map<Long, BitSet> damagedChunks(Throttle throttle) throws IOException {
    Map<Long, BitSet> found = new HashMap<>();
    addDamaged(known.unreadable(), false, found, throttle);
    addDamaged(known.wrong(), true, found, throttle);
    return found;
  }

  private void addDamaged(
      Quarantine noted, boolean compared, Map<Long, BitSet> found, Throttle throttle)
      throws IOException {
    for (Map.Entry<Long, BitSet> entry : noted.all().entrySet()) {
      long id = entry.getKey();
      Container container = containers.get(id);
      if (container == null) {
        continue;
      }
      try {
        BitSet still = stillDamaged(container, entry.getValue(), compared, throttle);
        if (!still.isEmpty()) {
          found.merge(id, still, DamageSearch::union);
        }
      } catch (InterruptedIOException | ClosedByInterruptException e) {
        throw e;
      } catch (CorruptFrameException e) {
        found.merge(id, entry.getValue(), DamageSearch::union);
      } catch (MissingChunkException e) {
        if (isLost(container)) {
          found.merge(id, entry.getValue(), DamageSearch::union);
        }
      } catch (IOException | RuntimeException | OutOfMemoryError e) {
        LOG.warn("{} can't be looked at now", file(id), e);
      }
    }
  }

  /** See {@link ContainerStore#damaged}. */
  BitSet damaged(long id, BitSet numbers, Throttle throttle) throws IOException {
    BitSet damaged = stillDamaged(loaded.find(id), numbers, false, throttle);
    for (int n = numbers.nextSetBit(0); n >= 0; n = numbers.nextSetBit(n + 1)) {
      damaged.set(n, damaged.get(n) || known.wrong().isBad(id, n));
    }
    return damaged;
  }

  private static BitSet union(BitSet one, BitSet other) {
    BitSet all = (BitSet) one.clone();
    all.or(other);
    return all;
  }

  /**
   * Tries chunks one by one, as a reader reads them.
   *
   * @param compared with their fingerprints, too
   * @return those that are damaged, or that the disk can't read
   * @throws CorruptFrameException if nothing of the container can be found
   * @throws MissingChunkException if it is gone
   * @throws IOException if the work shall end, or the container can't be read for a reason that may
   *     pass
   */
  private BitSet stillDamaged(
      Container container, BitSet numbers, boolean compared, Throttle throttle) throws IOException {
    long id = container.id();
    BitSet still = new BitSet();
    if (numbers.isEmpty()) {
      return still;
    }
    if (container.isSealed()) {
      // What the disk could not read when it was loaded.
      loaded.reload(container).release();
      loaded.reloadDirectory(container);
    }
    ContainerDirectory content = loaded.written(id);
    boolean lacksSome = loaded.mayHaveMore(id) || container.wasFoundOpen();
    int unreadableGroup = -1;
    Set<Long> unreadableBases = new HashSet<>();
    for (int n = numbers.nextSetBit(0); n >= 0; n = numbers.nextSetBit(n + 1)) {
      int index = content.indexOf(n);
      if (index < 0) {
        still.set(n, lacksSome);
        continue;
      }
      int group = content.groupOf(index);
      long base = content.baseOf(index);
      if (group == unreadableGroup || unreadableBases.contains(base)) {
        still.set(n);
        continue;
      }
      throttle.acquire(content.length(index));
      try {
        still.set(n, isWrong(content, id, n, index, compared));
      } catch (InterruptedIOException | ClosedByInterruptException e) {
        throw e;
      } catch (CorruptFrameException e) {
        still.set(n);
      } catch (MissingChunkException e) {
        LOG.debug("{} can't be found", ChunkRef.toString(ChunkRef.pack(id, n)), e);
        // It was dropped, unless it is its base that is not there.
        still.set(n, base >= 0 && loaded.written(id).indexOf(n) >= 0);
      } catch (IOException e) {
        if (!DiskErrors.isReadError(e)) {
          throw e;
        }
        still.set(n);
        if (base >= 0 && findDamage(ChunkRef.container(base), ChunkRef.number(base), 1)) {
          // The others of the group may have other bases, or none.
          unreadableBases.add(base);
          continue;
        }
        // The others need the same bytes, and a disk takes seconds for each attempt.
        unreadableGroup = content.stages(group) != 0 ? group : -1;
      }
    }
    return still;
  }
}
