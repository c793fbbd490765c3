/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.delta;

import io.hdrf.codec.dedup.container.format.ChunkRef;
import java.io.IOException;

/**
 * Where a new chunk's predecessor in its block was found: what follows there was often what follows
 * here, before it was changed. For one thread.
 */
final class Neighbours {

  /** The most candidates. */
  static final int MAX = 3;

  private long position = BaseTable.NONE;
  private long base = BaseTable.NONE;
  private boolean resolved = true;

  void beginBlock() {
    position = BaseTable.NONE;
    base = BaseTable.NONE;
    resolved = true;
  }

  /** The next chunk of the block is there; most are followed by others that are known. */
  void known(long ref) {
    position = ref;
    base = ref;
    resolved = false;
  }

  /** The next chunk of the block was taken for a change of the chunk there. */
  void foundAt(long ref, long fullChunk) {
    position = ref;
    base = fullChunk;
    resolved = true;
  }

  /** Has the chunk's base looked up that was known last, before its neighbours are asked for. */
  void resolve(BaseChunks chunks) throws IOException {
    if (!resolved) {
      base = chunks.fullChunk(position);
      resolved = true;
    }
  }

  /**
   * The next chunk of the block is like none: what follows it may go on behind what it replaced.
   */
  void foundNothing() {
    position = after(position);
    base = after(base);
  }

  /**
   * Returns the chunks that may be what the next chunk of the block was, the likeliest first.
   *
   * @param following where the chunk behind that one is, or {@link BaseTable#NONE}
   * @param into room for {@link #MAX}
   */
  int candidates(long following, long[] into) {
    int count = add(after(position), into, 0);
    if (base != position) {
      count = add(after(base), into, count);
    }
    return add(before(following), into, count);
  }

  private static int add(long ref, long[] into, int count) {
    if (ref == BaseTable.NONE) {
      return count;
    }
    into[count] = ref;
    return count + 1;
  }

  private static long after(long ref) {
    return ref == BaseTable.NONE || ChunkRef.number(ref) == ChunkRef.MAX_NUMBER
        ? BaseTable.NONE
        : ref + 1;
  }

  private static long before(long ref) {
    return ref == BaseTable.NONE || ChunkRef.number(ref) == 0 ? BaseTable.NONE : ref - 1;
  }
}
