/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.gc;

import io.hdrf.codec.dedup.container.ContainerInfo;
import io.hdrf.codec.dedup.container.ContainerStore;
import io.hdrf.codec.dedup.container.format.ChunkRef;
import io.hdrf.codec.dedup.container.format.ContainerDirectory;
import io.hdrf.codec.dedup.index.FingerprintIndex;
import io.hdrf.spi.store.MetadataException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Counts every reference of the stored blocks and of the index, and those to chunks that are not
 * there. Keeps two bits for each chunk of the store, if there is memory for that. For one run by
 * one thread.
 */
public final class ReferenceCheck {

  private static final Logger LOG = LoggerFactory.getLogger(ReferenceCheck.class);

  private static final int MAX_PROBLEMS = 100;

  private final ContainerStore containers;
  private final BlockReferences references;
  private final FingerprintIndex index;
  private final Consumer<String> problems;
  private final BooleanSupplier stopping;

  private final long maxMemory;

  /** Whether there is memory for what is known of each chunk. */
  private boolean knowsChunks;

  private long blocks;
  private long lastBlock;

  /** Those that were named. */
  private final Set<Long> badBlocks = new HashSet<>();

  /**
   * Chunks that a frame names as bases and that can't be read, and why; chunks that need them come
   * next.
   */
  private final Map<Long, String> badBases = new HashMap<>();

  /** Whether the last chunks were named as bases. */
  private boolean wereBases;

  /** Chunks that blocks refer to, and that are there, by container. */
  private final Map<Long, BitSet> referredTo = new HashMap<>();

  /** The chunks of containers that get no more of them. */
  private final Map<Long, BitSet> sealed = new HashMap<>();

  private long referenceCount;
  private long missing;
  private long entries;
  private long staleEntries;
  private long differences;
  private long bytesAsDifferences;
  private long bytesOfDifferences;

  /**
   * @param problems receives the blocks that need a missing chunk, the first hundred, and what is
   *     wrong with the index
   * @param maxMemory bytes for what is known of each chunk
   * @param stopping returns true to end a run
   */
  public ReferenceCheck(
      ContainerStore containers,
      BlockReferences references,
      FingerprintIndex index,
      Consumer<String> problems,
      long maxMemory,
      BooleanSupplier stopping) {
    this.containers = containers;
    this.references = references;
    this.index = index;
    this.problems = problems;
    this.stopping = stopping;
    this.maxMemory = maxMemory;
  }

  /**
   * Reads the recipes of all blocks, the directories of all containers and the whole index.
   *
   * @return blocks, references, and how many of these are missing; chunks that no block refers to;
   *     those that are kept as differences, their bytes, and the bytes of the differences: without
   *     these three if there are none; entries of the index, and how many of these name no chunk
   *     that is there: without the latter if they are in memory, which does not tell, and without
   *     both if the index can't be read. The first three alone if there is no memory for more.
   * @throws IOException if a block file can't be read, or the run is to end
   */
  public Map<String, Long> run() throws IOException {
    List<ContainerInfo> all = new ArrayList<>();
    for (ContainerInfo container : containers.containers()) {
      requireGoingOn();
      all.add(container);
    }
    knowsChunks = ContainerRange.memory(all) <= maxMemory;
    references.forEach(
        new BlockReferences.Visitor() {
          @Override
          public void reference(long blockId, long container, int first, int count)
              throws IOException {
            look(blockId, container, first, count, false);
          }

          @Override
          public void fileRead(long bytes) throws IOException {
            requireGoingOn();
          }

          @Override
          public void base(long blockId, long container, int first, int count) throws IOException {
            look(blockId, container, first, count, true);
          }
        },
        true);
    Map<String, Long> counts = new LinkedHashMap<>();
    counts.put("blocks", blocks);
    counts.put("references", referenceCount);
    counts.put("missing", missing);
    if (!knowsChunks) {
      problems.accept(
          "there are too many chunks for an eighth of the heap: those that no block refers to, and"
              + " stale entries of the index, are not looked for");
      return counts;
    }
    counts.put("unreferenced", unreferenced());
    if (differences > 0) {
      counts.put("chunksAsDifferences", differences);
      counts.put("bytesAsDifferences", bytesAsDifferences);
      counts.put("bytesOfDifferences", bytesOfDifferences);
    }
    checkIndex(counts);
    return counts;
  }

  /**
   * @param asBases whether the chunks are needed only by chunks that are differences to them, which
   *     come next
   */
  private void look(long blockId, long container, int first, int count, boolean asBases)
      throws IOException {
    requireGoingOn();
    if (blocks == 0 || blockId != lastBlock) {
      blocks++;
      lastBlock = blockId;
    }
    if (asBases && !wereBases) {
      badBases.clear();
    }
    wereBases = asBases;
    referenceCount += count;
    ContainerDirectory content = null;
    String absence = "is not there";
    try {
      content = containers.written(container);
    } catch (IOException e) {
      absence = "can't be read: " + e.getMessage();
    }
    for (int number = first; number < first + count; number++) {
      long ref = ChunkRef.pack(container, number);
      int index = content == null ? -1 : content.indexOf(number);
      if (index < 0) {
        found(blockId, ref, absence, asBases);
        continue;
      }
      if (knowsChunks) {
        int end = content.endNumber();
        referredTo.computeIfAbsent(container, id -> new BitSet(end)).set(number);
      }
      if (containers.isBad(ref)) {
        found(blockId, ref, "is damaged", asBases);
      } else if (asBases) {
        // It may have become sound since another block named it.
        badBases.remove(ref);
      }
      if (!asBases && !badBases.isEmpty()) {
        long base = content.baseOf(index);
        String problem = badBases.remove(base);
        if (problem != null) {
          report(blockId, base, problem);
        }
      }
    }
  }

  private void requireGoingOn() throws InterruptedIOException {
    if (stopping.getAsBoolean()) {
      throw new InterruptedIOException("the store is being closed");
    }
  }

  private void found(long blockId, long ref, String problem, boolean asBase) {
    if (asBase) {
      badBases.put(ref, problem);
    } else {
      report(blockId, ref, problem);
    }
  }

  private void report(long blockId, long ref, String reason) {
    missing++;
    if (badBlocks.size() < MAX_PROBLEMS && badBlocks.add(blockId)) {
      problems.accept(
          "blk_" + blockId + " needs chunk " + ChunkRef.toString(ref) + ", which " + reason);
    }
  }

  /** Chunks of blocks that are not in place yet are among them. */
  private long unreferenced() throws InterruptedIOException {
    long count = 0;
    for (ContainerInfo container : containers.containers()) {
      requireGoingOn();
      ContainerDirectory content;
      try {
        content = containers.directory(container.id());
      } catch (IOException e) {
        LOG.warn("{} is not looked at for chunks that no block refers to", container, e);
        continue;
      }
      BitSet numbers = content.numbers();
      if (container.sealed()) {
        sealed.put(container.id(), numbers);
      }
      countDifferences(content);
      BitSet needed = referredTo.getOrDefault(container.id(), new BitSet());
      for (int i = numbers.nextSetBit(0); i >= 0; i = numbers.nextSetBit(i + 1)) {
        count += needed.get(i) ? 0 : 1;
      }
    }
    return count;
  }

  private void countDifferences(ContainerDirectory content) {
    for (int i = 0; content.differences().count() > 0 && i < content.chunkCount(); i++) {
      if (content.isDifference(i)) {
        differences++;
        bytesAsDifferences += content.length(i);
        bytesOfDifferences += content.keptLength(i);
      }
    }
  }

  /** After the containers were read: entries are removed before their chunks. */
  private void checkIndex(Map<String, Long> counts) throws InterruptedIOException {
    long inMemory = index.entriesInMemory();
    if (inMemory >= 0) {
      counts.put("indexEntries", inMemory);
      return;
    }
    try {
      index.forEachEntry(this::lookAtEntry);
    } catch (MetadataException e) {
      problems.accept("the index can't be read: " + e.getMessage());
      return;
    }
    requireGoingOn();
    counts.put("indexEntries", entries);
    counts.put("staleEntries", staleEntries);
    if (staleEntries > 0) {
      problems.accept(
          staleEntries
              + " entries of the index name chunks that are not there; none is believed, and"
              + " rebuild-metadata makes the index anew");
    }
  }

  private boolean lookAtEntry(long ref) {
    entries++;
    if (ref < 0 || !isThere(ChunkRef.container(ref), ChunkRef.number(ref))) {
      staleEntries++;
    }
    return !stopping.getAsBoolean();
  }

  private boolean isThere(long container, int number) {
    BitSet numbers = sealed.get(container);
    if (numbers != null) {
      return numbers.get(number);
    }
    try {
      return containers.written(container).indexOf(number) >= 0;
    } catch (IOException e) {
      return false;
    }
  }
}
