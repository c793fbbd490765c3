/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.reduce;

import io.hdrf.block.BlockRef;
import io.hdrf.scheme.SchemeChain;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;

/**
 * Blocks whose turn came while a scheme of their chain was at its limit. They are parked so that
 * blocks of other chains need not wait. Thread-safe.
 */
final class ParkedBlocks {

  /** A block and the chain that it waits for. Immutable. */
  static final class Parked {
    private final BlockRef block;
    private final SchemeChain chain;

    Parked(BlockRef block, SchemeChain chain) {
      this.block = block;
      this.chain = chain;
    }

    BlockRef block() {
      return block;
    }

    SchemeChain chain() {
      return chain;
    }
  }

  private final ConcurrencyLimits limits;
  private final int capacity;
  private final Deque<Parked> blocks = new ArrayDeque<>();

  ParkedBlocks(ConcurrencyLimits limits, int capacity) {
    this.limits = limits;
    this.capacity = capacity;
  }

  /** Parks a block; returns false if there are too many. */
  synchronized boolean park(BlockRef block, SchemeChain chain) {
    if (blocks.size() >= capacity) {
      return false;
    }
    blocks.add(new Parked(block, chain));
    limits.beginWait(chain);
    return true;
  }

  /**
   * Takes the block that waited longest of those whose chain is free, which is acquired with it.
   *
   * @return null if there is none
   */
  synchronized Parked takeReady() {
    SchemeChain refused = null;
    for (Iterator<Parked> each = blocks.iterator(); each.hasNext(); ) {
      Parked parked = each.next();
      if (parked.chain().equals(refused)) {
        continue;
      }
      if (limits.tryAcquire(parked.chain())) {
        each.remove();
        limits.endWait(parked.chain());
        return parked;
      }
      refused = parked.chain();
    }
    return null;
  }

  synchronized int size() {
    return blocks.size();
  }

  /** Takes all blocks. */
  synchronized List<BlockRef> drain() {
    List<BlockRef> drained = new ArrayList<>();
    blocks.forEach(
        parked -> {
          limits.endWait(parked.chain());
          drained.add(parked.block());
        });
    blocks.clear();
    return drained;
  }
}
