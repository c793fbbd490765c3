/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.block;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.CRC32C;

/** Changes a reduced file to a format version that does not exist yet, otherwise sound. */
public final class LaterVersion {

  private static final int VERSION_OFFSET = 4;
  private static final int CRC_OFFSET = 48;
  private static final int TAG_OFFSET = 52;

  private LaterVersion() {}

  /** Rewrites the file's header, with the key's tag. */
  public static void make(Path file, TagKey key) throws IOException {
    byte[] raw = Files.readAllBytes(file);
    raw[VERSION_OFFSET] = BlockFormat.VERSION + 1;
    CRC32C crc = new CRC32C();
    crc.update(raw, 0, CRC_OFFSET);
    ByteBuffer.wrap(raw).order(ByteOrder.LITTLE_ENDIAN).putInt(CRC_OFFSET, (int) crc.getValue());
    System.arraycopy(key.tag(raw, TAG_OFFSET), 0, raw, TAG_OFFSET, TagKey.TAG_LENGTH);
    Files.write(file, raw);
  }
}
