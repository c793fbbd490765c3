/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.container;

import io.hdrf.codec.dedup.container.format.ContainerFormat;
import io.hdrf.jni.ChunkDelta;
import io.hdrf.jni.Crc32c;
import java.nio.ByteBuffer;

/**
 * What a group has of a chunk that is kept as a difference: the CRC32C of the chunk, 4 bytes, and
 * the {@link ChunkDelta} to its base. So a wrong base, which makes another chunk, is found out.
 */
public final class DifferenceFormat {

  /** Bytes before the difference. */
  public static final int HEAD = Integer.BYTES;

  private DifferenceFormat() {}

  /**
   * Writes what is kept of a chunk.
   *
   * @param chunk direct, from position to limit; stays as it is
   * @param delta to its base, from position to limit; stays as it is
   * @param dst has room for {@link #HEAD} bytes and the difference; its position moves behind them
   */
  public static void put(ByteBuffer chunk, ByteBuffer delta, ByteBuffer dst) {
    ContainerFormat.littleEndian(dst).putInt(Crc32c.update(0, chunk.duplicate()));
    dst.position(dst.position() + HEAD);
    dst.put(delta.duplicate());
  }

  /**
   * Makes a chunk.
   *
   * @param base from position to limit; stays as it is
   * @param kept what {@link #put} wrote, or anything else; stays as it is
   * @param chunk is filled from position to limit, which stay as they are
   * @return false if it is damaged, or of another base or another length
   */
  static boolean make(ByteBuffer base, ByteBuffer kept, ByteBuffer chunk) {
    if (kept.remaining() <= HEAD) {
      return false;
    }
    ByteBuffer delta = kept.duplicate();
    delta.position(kept.position() + HEAD);
    return ChunkDelta.decode(base, delta, chunk.duplicate())
        && Crc32c.update(0, chunk.duplicate())
            == ContainerFormat.littleEndian(kept).getInt(kept.position());
  }
}
