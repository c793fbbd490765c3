/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.container;

import io.hdrf.codec.dedup.container.format.ChunkRef;
import java.util.BitSet;

/**
 * The chunks of a store to which no new block may refer. In memory alone. Safe for use by many
 * threads.
 */
final class KnownDamage {

  private final Quarantine unreadable = new Quarantine();
  private final Quarantine wrong = new Quarantine();

  /** The chunks that could not be read when they were last tried. */
  Quarantine unreadable() {
    return unreadable;
  }

  /** The chunks that are not what their fingerprints say, even if they read well. */
  Quarantine wrong() {
    return wrong;
  }

  /** Returns whether a chunk is one of either. */
  boolean isBad(long ref) {
    long container = ChunkRef.container(ref);
    int number = ChunkRef.number(ref);
    return unreadable.isBad(container, number) || wrong.isBad(container, number);
  }

  /**
   * Bars new blocks from referring to a chunk, even if it reads well, until its container is
   * deleted or the process ends.
   */
  void markWrong(long ref) {
    BitSet numbers = new BitSet();
    numbers.set(ChunkRef.number(ref));
    wrong.add(ChunkRef.container(ref), numbers);
  }

  /** Chunks with consecutive numbers have been read. */
  void readWell(long container, int first, int count) {
    if (!unreadable.isEmpty()) {
      unreadable.remove(container, first, count);
    }
  }

  /** Forgets the chunks of a container that is deleted. */
  void forget(long container) {
    unreadable.set(container, new BitSet());
    wrong.set(container, new BitSet());
  }
}
