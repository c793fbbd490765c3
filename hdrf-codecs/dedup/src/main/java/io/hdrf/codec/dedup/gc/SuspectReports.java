/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.gc;

import io.hdrf.codec.dedup.container.ContainerStore;
import io.hdrf.spi.scheme.CorruptFrameException;
import java.util.BitSet;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Has blocks examined that refer to chunks that can't be read, so that HDFS replaces them before
 * somebody needs them. Each cycle reports some, until all have had their turn. For one thread, but
 * for {@link #reported}.
 */
final class SuspectReports {

  private static final Logger LOG = LoggerFactory.getLogger(SuspectReports.class);

  /**
   * Blocks that are examined in one cycle; if the whole disk fails, HDFS is to find that and not
   * each block.
   */
  private static final int MAX_SUSPECTS = 1000;

  /** Blocks that are remembered meanwhile, for chunks that many need may be healed. */
  private static final int MAX_KEPT = 8 * MAX_SUSPECTS;

  /** So many blocks are remembered to have been examined. */
  private static final int MAX_REMEMBERED = 100 * MAX_SUSPECTS;

  private final ContainerStore containers;
  private final BlockReferences references;
  private final AtomicLong reported = new AtomicLong();

  /** How many more blocks may be examined in this cycle. */
  private int left;

  /** Whether there were more in this cycle. */
  private boolean someLeftOut;

  /** Blocks that were examined in earlier cycles, while not all of them have had their turn. */
  private final Set<Long> before = new HashSet<>();

  SuspectReports(ContainerStore containers, BlockReferences references) {
    this.containers = containers;
    this.references = references;
  }

  /** Returns the number of blocks that were examined since start. */
  long reported() {
    return reported.get();
  }

  void beginCycle() {
    left = MAX_SUSPECTS;
    someLeftOut = false;
  }

  void endCycle() {
    if (!someLeftOut || before.size() >= MAX_REMEMBERED) {
      before.clear();
    }
  }

  /**
   * Returns what finds the blocks that refer to damaged chunks and have not had their turn.
   *
   * @param damaged numbers of chunks, by container
   */
  SuspectBlocks blocks(Map<Long, BitSet> damaged) {
    return new SuspectBlocks(damaged, before, MAX_KEPT);
  }

  /**
   * Has blocks examined, as many as this cycle may.
   *
   * @param still the chunks that are damaged still
   */
  void report(SuspectBlocks suspects, Map<Long, BitSet> still) {
    Map<Long, Long> found = suspects.thatNeed(still, left);
    boolean full = found.size() == left;
    if (suspects.isFull() || full) {
      someLeftOut = true;
      // Those that HDFS can't replace must not take the place of others.
      before.addAll(found.keySet());
    }
    if (found.isEmpty()) {
      return;
    }
    LOG.warn(
        "{} blocks, such as {}, refer to chunks that can't be read, and are examined",
        full ? "At least " + found.size() : found.size(),
        found.keySet().iterator().next());
    found.forEach(
        (blockId, container) ->
            references.damaged(
                blockId,
                new CorruptFrameException(
                    containers.file(container) + ": a chunk of the block can't be read")));
    left -= found.size();
    reported.addAndGet(found.size());
  }
}
