/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.gc;

import io.hdrf.codec.dedup.container.format.ChunkRef;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The blocks that refer to damaged chunks, up to a number of them. For one thread. */
final class SuspectBlocks {

  /** A block with more runs of damaged chunks counts as damaged as long as any chunk is. */
  private static final int MAX_RUNS = 64;

  /** Some damaged chunks with consecutive numbers. */
  private static final class Run {
    private final long first;
    private int end;

    Run(long first, int end) {
      this.first = first;
      this.end = end;
    }
  }

  private final Map<Long, BitSet> damaged;
  private final Set<Long> excluded;
  private final int most;
  private final Map<Long, List<Run>> blocks = new LinkedHashMap<>();

  /**
   * @param damaged chunks, by container
   * @param excluded blocks that are left out
   * @param most how many blocks are remembered
   */
  SuspectBlocks(Map<Long, BitSet> damaged, Set<Long> excluded, int most) {
    this.damaged = damaged;
    this.excluded = excluded;
    this.most = most;
  }

  /** A block refers to these chunks. */
  void add(long blockId, long container, int first, int count) {
    BitSet numbers = damaged.isEmpty() ? null : damaged.get(container);
    int next = numbers == null ? -1 : numbers.nextSetBit(first);
    if (next < 0 || next - first >= count || excluded.contains(blockId)) {
      return;
    }
    List<Run> runs = blocks.get(blockId);
    if (runs == null) {
      if (blocks.size() >= most) {
        return;
      }
      runs = new ArrayList<>(1);
      blocks.put(blockId, runs);
    }
    while (next >= 0 && next - first < count) {
      int end = Math.min(numbers.nextClearBit(next), first + count);
      add(runs, ChunkRef.pack(container, next), end);
      next = numbers.nextSetBit(end);
    }
  }

  private static void add(List<Run> runs, long first, int end) {
    if (runs.size() < MAX_RUNS) {
      runs.add(new Run(first, end));
    } else {
      runs.get(MAX_RUNS - 1).end = Integer.MAX_VALUE;
    }
  }

  /** Returns whether there may be more blocks than those that are remembered. */
  boolean isFull() {
    return blocks.size() >= most && !damaged.isEmpty();
  }

  /** Returns the remembered blocks. */
  Set<Long> ids() {
    return blocks.keySet();
  }

  /**
   * Returns the blocks that refer to chunks that are damaged still, each with the container of one.
   *
   * @param still those that are left of the damaged ones
   */
  Map<Long, Long> thatNeed(Map<Long, BitSet> still) {
    Map<Long, Long> found = new LinkedHashMap<>();
    if (!still.isEmpty()) {
      blocks.forEach(
          (blockId, runs) -> {
            for (Run run : runs) {
              long container = ChunkRef.container(run.first);
              if (isDamaged(run, still.get(container))) {
                found.put(blockId, container);
                break;
              }
            }
          });
    }
    return found;
  }

  private static boolean isDamaged(Run run, BitSet numbers) {
    if (run.end == Integer.MAX_VALUE) {
      return true;
    }
    int next = numbers == null ? -1 : numbers.nextSetBit(ChunkRef.number(run.first));
    return next >= 0 && next < run.end;
  }
}
