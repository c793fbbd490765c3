/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.benchmarks;

import java.util.Arrays;
import java.util.SplittableRandom;

/**
 * Blocks that are written again and again, each time with part of their chunks replaced by new
 * ones. Chunks are numbered from 0 in the order in which they are stored. For one thread.
 */
final class AgedBlocks {

  /** The chunks that are replaced together, on average. */
  static final int EXTENT = 64;

  private static final int MIN_EXTENT = 16;

  /** Decides which chunks of a block are stored again although they are there. */
  interface Rewriting {

    /** A new block begins. */
    void beginBlock();

    /**
     * The next chunks of a block, of which it gives those that are stored again the number -1.
     *
     * @param chunks the numbers of {@code count} chunks; -1 for new ones
     * @param next the number that the next stored chunk gets
     */
    void choose(long[] chunks, int count, long next);
  }

  /** Chunks that are looked up together. */
  private static final int BATCH = 1024;

  private final int chunksPerBlock;
  private final SplittableRandom random;
  private final Block[] blocks;
  private long chunks;

  /** The chunks of a block, in order: runs of consecutive numbers. */
  static final class Block {
    private long[] firsts = new long[4];
    private int[] counts = new int[4];
    private int runs;

    int runs() {
      return runs;
    }

    /** The number of a run's first chunk. */
    long first(int run) {
      return firsts[run];
    }

    /** The number of a run's chunks. */
    int count(int run) {
      return counts[run];
    }

    private void add(long first, int count) {
      if (runs > 0 && firsts[runs - 1] + counts[runs - 1] == first) {
        counts[runs - 1] += count;
        return;
      }
      if (runs == counts.length) {
        firsts = Arrays.copyOf(firsts, 2 * runs);
        counts = Arrays.copyOf(counts, 2 * runs);
      }
      firsts[runs] = first;
      counts[runs] = count;
      runs++;
    }
  }

  /** The first generation: all chunks are new. */
  AgedBlocks(int blockCount, int chunksPerBlock, long seed) {
    this.chunksPerBlock = chunksPerBlock;
    this.random = new SplittableRandom(seed);
    this.blocks = new Block[blockCount];
    for (int i = 0; i < blockCount; i++) {
      blocks[i] = new Block();
      blocks[i].add(chunks, chunksPerBlock);
      chunks += chunksPerBlock;
    }
  }

  /**
   * The next generation.
   *
   * @param share of the chunks that stay, below 1
   */
  void age(double share, Rewriting rewriting) {
    for (int i = 0; i < blocks.length; i++) {
      long firstNew = chunks;
      Block written = next(blocks[i], share);
      chunks = firstNew;
      rewriting.beginBlock();
      blocks[i] = stored(written, firstNew, rewriting);
    }
  }

  private Block stored(Block written, long firstNew, Rewriting rewriting) {
    Block stored = new Block();
    long[] batch = new long[BATCH];
    int count = 0;
    for (int run = 0; run < written.runs; run++) {
      for (int i = 0; i < written.counts[run]; i++) {
        long chunk = written.firsts[run] + i;
        batch[count] = chunk < firstNew ? chunk : -1;
        count++;
        if (count == BATCH) {
          store(batch, count, stored, rewriting);
          count = 0;
        }
      }
    }
    store(batch, count, stored, rewriting);
    return stored;
  }

  private void store(long[] batch, int count, Block stored, Rewriting rewriting) {
    rewriting.choose(batch, count, chunks);
    for (int i = 0; i < count; i++) {
      if (batch[i] < 0) {
        stored.add(chunks, 1);
        chunks++;
      } else {
        stored.add(batch[i], 1);
      }
    }
  }

  int count() {
    return blocks.length;
  }

  Block block(int index) {
    return blocks[index];
  }

  /** The number of chunks stored so far. */
  long chunks() {
    return chunks;
  }

  /**
   * What a block will be next as it is written, without the others; new chunks get the next
   * numbers, and no other one is stored again.
   */
  Block next(Block old, double share) {
    Block next = new Block();
    double kept = EXTENT * share / (1 - share);
    int at = 0;
    int run = 0;
    int inRun = 0;
    while (at < chunksPerBlock) {
      int keep = Math.min(chunksPerBlock - at, (int) Math.round(2 * kept * random.nextDouble()));
      for (int left = keep; left > 0; ) {
        int part = Math.min(left, old.counts[run] - inRun);
        next.add(old.firsts[run] + inRun, part);
        left -= part;
        inRun += part;
        if (inRun == old.counts[run]) {
          run++;
          inRun = 0;
        }
      }
      at += keep;
      int replaced =
          Math.min(chunksPerBlock - at, random.nextInt(MIN_EXTENT, 2 * EXTENT - MIN_EXTENT + 1));
      if (replaced > 0) {
        next.add(chunks, replaced);
        chunks += replaced;
      }
      for (int left = replaced; left > 0; ) {
        int part = Math.min(left, old.counts[run] - inRun);
        left -= part;
        inRun += part;
        if (inRun == old.counts[run]) {
          run++;
          inRun = 0;
        }
      }
      at += replaced;
    }
    return next;
  }
}
