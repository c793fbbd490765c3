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

  /** So many runs of damaged chunks are remembered for each block, on average. */
  private static final int RUNS = 64;

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
  private long runsLeft;
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
    this.runsLeft = (long) RUNS * most;
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

  /** What there is no room for is found another time: a block that is sound must not seem so. */
  private void add(List<Run> runs, long first, int end) {
    Run last = runs.isEmpty() ? null : runs.get(runs.size() - 1);
    if (last != null
        && ChunkRef.container(last.first) == ChunkRef.container(first)
        && last.end == ChunkRef.number(first)) {
      last.end = end;
    } else if (runsLeft > 0) {
      runs.add(new Run(first, end));
      runsLeft--;
    }
  }

  /** Returns whether there may be more blocks than those that are remembered. */
  boolean isFull() {
    return blocks.size() >= most && !damaged.isEmpty();
  }

  /**
   * Returns blocks that refer to chunks that are damaged still, each with the container of one.
   *
   * @param still those that are left of the damaged ones
   * @param count how many blocks are returned at most
   */
  Map<Long, Long> thatNeed(Map<Long, BitSet> still, int count) {
    Map<Long, Long> found = new LinkedHashMap<>();
    for (Map.Entry<Long, List<Run>> block : blocks.entrySet()) {
      if (still.isEmpty() || found.size() >= count) {
        break;
      }
      for (Run run : block.getValue()) {
        long container = ChunkRef.container(run.first);
        if (isDamaged(run, still.get(container))) {
          found.put(block.getKey(), container);
          break;
        }
      }
    }
    return found;
  }

  private static boolean isDamaged(Run run, BitSet numbers) {
    int next = numbers == null ? -1 : numbers.nextSetBit(ChunkRef.number(run.first));
    return next >= 0 && next < run.end;
  }
}
