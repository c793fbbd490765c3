/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.delta;

import io.hdrf.jni.ChunkDelta;
import java.nio.ByteBuffer;

/**
 * Makes differences that are short enough to be stored in the place of their chunks. Keeps its
 * memory, of four thirds of the longest difference at most and 64 KiB, until it is collected. For
 * one thread.
 */
public final class DifferenceEncoder {

  /** A difference takes at most a fifth of its chunk. */
  public static final int DEFAULT_PERCENT = 20;

  private final int percent;
  private final ChunkDelta delta = new ChunkDelta();
  private ByteBuffer difference = ByteBuffer.allocateDirect(8 << 10);

  /**
   * @param percent the most that a difference may take of its chunk, 1 to 100
   */
  public DifferenceEncoder(int percent) {
    if (percent < 1 || percent > 100) {
      throw new IllegalArgumentException("differences of " + percent + " percent");
    }
    this.percent = percent;
  }

  /**
   * Returns the difference of a chunk to its base, from position to limit, or null if it would be
   * too long. Valid until the next call.
   *
   * @param base from position to limit, 1 to {@link ChunkDelta#MAX_LENGTH} bytes; stays as it is
   * @param chunk likewise
   */
  public ByteBuffer encode(ByteBuffer base, ByteBuffer chunk) {
    int limit = (int) ((long) chunk.remaining() * percent / 100);
    if (difference.capacity() < limit) {
      difference = ByteBuffer.allocateDirect(limit + limit / 3);
    }
    difference.clear();
    difference.limit(limit);
    if (!delta.encode(base, chunk, difference)) {
      return null;
    }
    difference.flip();
    return difference;
  }
}
