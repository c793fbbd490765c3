/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.admin;

import io.hdrf.metadata.BlockRecord;
import io.hdrf.spi.store.MetadataException;
import java.io.IOException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Some blocks and their records on the wire, version 1: the version (1 byte), the number of blocks
 * (4 bytes), and for each its id (8 bytes), the length of its record's value (2 bytes, 0 where it
 * has no record) and the value. Big-endian. Immutable.
 */
public final class RecordPage {

  /** The most blocks in one page, which keeps it below 1 MB. */
  public static final int MAX_BLOCKS = 10_000;

  private static final byte VERSION = 1;
  private static final int MAX_VALUE = 256;

  private final Map<Long, BlockRecord> records;

  private RecordPage(Map<Long, BlockRecord> records) {
    this.records = records;
  }

  /**
   * Makes a page.
   *
   * @param values by block id, in order; null where there is no record
   */
  public static byte[] encode(Map<Long, byte[]> values) {
    int length = 1 + Integer.BYTES;
    for (byte[] value : values.values()) {
      length += Long.BYTES + Short.BYTES + (value == null ? 0 : value.length);
    }
    ByteBuffer out = ByteBuffer.allocate(length);
    out.put(VERSION).putInt(values.size());
    values.forEach(
        (id, value) -> {
          out.putLong(id).putShort((short) (value == null ? 0 : value.length));
          if (value != null) {
            out.put(value);
          }
        });
    return out.array();
  }

  /** Reads a page; a damaged record counts as none. */
  public static RecordPage decode(byte[] page) throws IOException {
    ByteBuffer in = ByteBuffer.wrap(page);
    try {
      byte version = in.get();
      int count = in.getInt();
      if (version != VERSION || count < 0 || count > MAX_BLOCKS) {
        throw new IOException("a page of records of version " + version + " with " + count);
      }
      Map<Long, BlockRecord> records = new LinkedHashMap<>();
      for (int i = 0; i < count; i++) {
        long id = in.getLong();
        int length = in.getShort();
        if (length < 0 || length > MAX_VALUE) {
          throw new IOException("a record of " + length + " bytes");
        }
        byte[] value = new byte[length];
        in.get(value);
        records.put(id, length == 0 ? null : record(id, value));
      }
      return new RecordPage(records);
    } catch (BufferUnderflowException e) {
      throw new IOException("a page of records ends early", e);
    }
  }

  private static BlockRecord record(long id, byte[] value) {
    try {
      return BlockRecord.decode(id, value);
    } catch (MetadataException e) {
      return null;
    }
  }

  /** Returns the records by block id, in order; null where a block has no record. */
  public Map<Long, BlockRecord> records() {
    return records;
  }
}
