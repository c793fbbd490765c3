/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.delta;

import io.hdrf.jni.ChunkDelta;
import io.hdrf.spi.scheme.CorruptFrameException;
import java.nio.ByteBuffer;

/** Reads differences. For any number of threads. */
public final class Differences {

  private Differences() {}

  /**
   * Makes a chunk of its base and a difference. Takes no memory, whatever the bytes are.
   *
   * @param base from position to limit; stays as it is
   * @param difference likewise
   * @param chunk room for exactly the chunk, from position to limit, which is filled; undefined
   *     after an exception
   * @throws CorruptFrameException if that is not a difference of this version to a base so long
   *     that makes so many bytes. With another base of that length it may make another chunk: the
   *     caller compares the chunk's CRC
   */
  public static void decode(ByteBuffer base, ByteBuffer difference, ByteBuffer chunk)
      throws CorruptFrameException {
    if (!ChunkDelta.decode(base, difference, chunk)) {
      throw new CorruptFrameException(
          "a difference of "
              + difference.remaining()
              + " bytes does not make "
              + chunk.remaining()
              + " bytes of a base of "
              + base.remaining());
    }
  }
}
