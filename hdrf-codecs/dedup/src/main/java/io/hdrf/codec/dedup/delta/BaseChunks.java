/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.delta;

import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * The chunks of a store that may be bases: durable, and published. They may go at any time: who
 * takes one holds it for the block in work, and confirms then that it is there. For one thread.
 */
public interface BaseChunks {

  /**
   * Returns the full chunk that stands for a chunk: itself, or its base if it is stored as a
   * difference; {@link BaseTable#NONE} if there is no such chunk, or it may not be a base.
   *
   * @param ref any reference, also of a chunk that never was
   */
  long fullChunk(long ref) throws IOException;

  /**
   * Returns the content of a full chunk, from position to limit, checked against its CRC. Valid
   * until the next call.
   *
   * @param base as of {@link #fullChunk}
   * @return direct, if possible; null if it can't be read, or is not to be taken, which is no error
   *     here
   */
  ByteBuffer content(long base) throws IOException;
}
