/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode.mirror;

import io.hdrf.reduce.ReductionRules;
import java.nio.ByteBuffer;
import java.util.function.IntFunction;

/**
 * Tells, while a block passes, whether the operator's filter keeps it plain: then it is not worth
 * encoding for the wire, nor keeping its frames. Looks at the first packet, and once more when as
 * much has passed as the Reducer will search. A block that this takes for excluded and the Reducer
 * does not, for want of what comes later, is reduced from its plain copy. For one thread.
 */
final class WireFilter {

  private final ReductionRules rules;
  private final IntFunction<byte[]> beginning;
  private byte[] head = new byte[0];
  private int count;
  private boolean begun;
  private boolean excluded;

  /** Whether nothing more is to be looked at. */
  private boolean decided;

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
    boolean isFirst = !begun;
    if (isFirst) {
      begin(offset);
    }
    if (!decided) {
      ByteBuffer part = data.duplicate();
      part.limit(part.position() + Math.min(part.remaining(), head.length - count));
      int length = part.remaining();
      part.get(head, count, length);
      count += length;
      decided = count == head.length;
      if (isFirst || decided) {
        excluded = rules.excludes(head, count);
        decided |= excluded;
      }
    }
    return excluded;
  }

  private void begin(long offset) {
    begun = true;
    head = new byte[ReductionRules.SEARCHED];
    if (offset > 0) {
      int wanted = (int) Math.min(offset, head.length);
      byte[] before = beginning.apply(wanted);
      count = Math.min(wanted, before.length);
      System.arraycopy(before, 0, head, 0, count);
      // What comes now would not be the block's beginning.
      decided = count < wanted;
      if (count == head.length) {
        excluded = rules.excludes(head, count);
        decided = true;
      }
    }
  }
}
