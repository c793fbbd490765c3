/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.store.embedded;

import io.hdrf.jni.Crc32c;
import io.hdrf.spi.io.DiskErrors;
import io.hdrf.spi.store.StoreCorruptException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;

/**
 * Checks the files that RocksDB writes as logs, {@code MANIFEST-*} and {@code *.log}, before it
 * opens them: one wrong byte in the type of a record makes RocksDB 10.10 read a {@code MANIFEST}
 * without end.
 *
 * <p>Such a file consists of blocks of 32 KiB, and these of records that no block boundary divides:
 * masked CRC32C of type and payload (4 bytes), length of the payload (2), type (1, here always 1 to
 * 4), payload; little-endian. Fewer than 7 bytes at a block's end are padding. A record that is all
 * zeros, or that the file's end cuts, ends the written part; RocksDB decides about it.
 */
final class RecordLog {

  private static final int BLOCK = 32 << 10;
  private static final int HEADER = 7;
  private static final int MAX_TYPE = 4;
  private static final int CRC_MASK = 0xa282ead8;

  private RecordLog() {}

  /**
   * @throws StoreCorruptException if a record is not as RocksDB wrote it, or the disk can't read
   *     it; the message names the file and the place
   */
  static void check(Path file) throws IOException {
    try (FileChannel channel = FileChannel.open(file)) {
      ByteBuffer block = ByteBuffer.allocateDirect(BLOCK).order(ByteOrder.LITTLE_ENDIAN);
      for (long start = 0; read(file, channel, block, start); start += BLOCK) {
        int damage = firstDamage(block);
        if (damage >= 0) {
          throw new StoreCorruptException(
              file + " is damaged: no record of RocksDB's at byte " + (start + damage));
        }
      }
    }
  }

  /** Fills the block up to the file's end; returns false at the end. */
  private static boolean read(Path file, FileChannel channel, ByteBuffer block, long start)
      throws IOException {
    block.clear();
    try {
      while (block.hasRemaining() && channel.read(block, start + block.position()) > 0) {
        continue;
      }
    } catch (IOException e) {
      throw DiskErrors.isReadError(e)
          ? new StoreCorruptException(file + " can't be read from byte " + start, e)
          : e;
    }
    block.flip();
    return block.hasRemaining();
  }

  /** Returns where the first wrong record of a block begins; -1 if there is none. */
  private static int firstDamage(ByteBuffer block) {
    int at = 0;
    while (block.limit() - at >= HEADER) {
      int crc = block.getInt(at);
      int length = Short.toUnsignedInt(block.getShort(at + 4));
      int type = block.get(at + 6);
      if (crc == 0 && length == 0 && type == 0) {
        return -1;
      }
      int end = at + HEADER + length;
      if (end > block.limit()) {
        return block.limit() < BLOCK ? -1 : at;
      }
      if (type < 1 || type > MAX_TYPE || crc != crc(block, at + HEADER - 1, end)) {
        return at;
      }
      at = end;
    }
    return -1;
  }

  private static int crc(ByteBuffer block, int from, int to) {
    ByteBuffer part = block.duplicate();
    part.limit(to).position(from);
    int crc = Crc32c.update(0, part);
    return Integer.rotateRight(crc, 15) + CRC_MASK;
  }
}
