/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.gc;

import io.hdrf.codec.dedup.IndexedContainers;
import io.hdrf.codec.dedup.container.format.ChunkRef;
import io.hdrf.codec.dedup.heal.ChunkHealer;
import io.hdrf.spi.scheme.ChunkLookup;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * Containers with blocks that are lists of references, for a collector whose time the test sets.
 */
final class CollectedStore extends IndexedContainers implements BlockReferences {

  /** The references of each block. */
  final Map<Long, long[]> blocks = new TreeMap<>();

  /** The blocks that were to be examined. */
  final Set<Long> damaged = new TreeSet<>();

  /** Where damaged chunks are looked for. */
  final List<ChunkLookup> sources = new ArrayList<>();

  /** Of each time that the blocks were shown, whether it was the first of a collection. */
  final List<Boolean> firstTimes = new ArrayList<>();

  BooleanSupplier stopping = () -> false;

  /** Done when all blocks have been shown. */
  BlocksShown afterBlocksWereShown = () -> {};

  long nanoTime = Long.MAX_VALUE - 5;
  long millis = System.currentTimeMillis() + TimeUnit.HOURS.toMillis(1);
  long pinMillis = TimeUnit.MINUTES.toMillis(15);
  int someDirectories = Integer.MAX_VALUE;

  /** As a {@link Runnable}. */
  interface BlocksShown {
    void run() throws IOException;
  }

  CollectedStore(Path directory) throws IOException {
    super(directory);
    conf.set("hdrf.dedup.gc.min.age", "0");
    conf.set("hdrf.dedup.gc.rate", "0");
  }

  GarbageCollector collector() throws IOException {
    return collector(this);
  }

  /** A collector of the containers, by the references of other blocks. */
  GarbageCollector collector(BlockReferences references) throws IOException {
    return new GarbageCollector(
        containers,
        index,
        chunkPins,
        references,
        new ChunkHealer(
            containers, index, sources, 0, () -> stopping.getAsBoolean(), () -> nanoTime),
        GcSettings.from(dedup()),
        () -> stopping.getAsBoolean(),
        () -> nanoTime,
        () -> millis,
        pinMillis,
        someDirectories);
  }

  @Override
  public void forEach(Visitor visitor, boolean first) throws IOException {
    firstTimes.add(first);
    for (Map.Entry<Long, long[]> block : blocks.entrySet()) {
      for (long ref : block.getValue()) {
        visitor.reference(block.getKey(), ChunkRef.container(ref), ChunkRef.number(ref), 1);
      }
    }
    afterBlocksWereShown.run();
  }

  @Override
  public void damaged(long blockId, IOException why) {
    damaged.add(blockId);
  }
}
