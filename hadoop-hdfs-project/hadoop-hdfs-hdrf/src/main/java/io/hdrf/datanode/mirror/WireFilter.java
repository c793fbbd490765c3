/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode.mirror;

import io.hdrf.reduce.ReductionRules;
import java.nio.ByteBuffer;
import java.util.function.IntFunction;

/**
 * Tells, while a block passes, whether the operator's filter keeps it plain: then it is not worth
 * encoding for the wire, nor keeping its frames. Searches the beginning once, when as much has
 * passed as stock clients put into a packet. The Reducer, which searches a little more, may find
 * otherwise: such a block is reduced from its plain copy, or its frames came in vain. For one
 * thread.
 */
final class WireFilter {

  /** The data of a packet of 64 KiB with a checksum for each 512 bytes. */
  static final int SEARCHED = 63 << 10;

  private final ReductionRules rules;
  private final IntFunction<byte[]> beginning;

  /** The block's first bytes; null before the first packet, and once they were searched. */
  private byte[] head;

  private int count;
  private boolean decided;
  private boolean excluded;

  /**
   * @param beginning gives up to so many of the first bytes of the block as it lies on the disk,
   *     for one that is appended to
   */
  WireFilter(ReductionRules rules, IntFunction<byte[]> beginning) {
    this.rules = rules;
    this.beginning = beginning;
  }

  /**
   * Looks at the next data of the block.
   *
   * @param offset of the data in the block, in bytes
   * @param data not consumed
   * @return whether the block is excluded, as far as is known
   */
  boolean excludes(long offset, ByteBuffer data) {
    if (decided || !data.hasRemaining()) {
      return excluded;
    }
    if (head == null) {
      begin(offset);
    }
    // After a flush, a client sends the last checksum's bytes again.
    long known = count < head.length ? count - offset : 0;
    if (known < 0) {
      // Something between did not come by here: this is not the block's beginning.
      decide(false);
      return false;
    }
    ByteBuffer part = data.duplicate();
    part.position((int) Math.min(part.limit(), part.position() + known));
    part.limit(part.position() + Math.min(part.remaining(), head.length - count));
    int length = part.remaining();
    part.get(head, count, length);
    count += length;
    if (count == head.length) {
      decide(rules.excludes(head, count));
    }
    return excluded;
  }

  private void begin(long offset) {
    head = new byte[SEARCHED];
    if (offset > 0) {
      int wanted = (int) Math.min(offset, head.length);
      byte[] before = beginning.apply(wanted);
      count = Math.min(wanted, before.length);
      System.arraycopy(before, 0, head, 0, count);
    }
  }

  private void decide(boolean isExcluded) {
    excluded = isExcluded;
    decided = true;
    head = null;
  }
}
