/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.admin;

import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * Block ids on the wire, version 1: the version (1 byte) and the ids (8 bytes each), big-endian. At
 * most {@link RecordPage#MAX_BLOCKS}.
 */
public final class BlockIds {

  private static final byte VERSION = 1;

  private BlockIds() {}

  /**
   * Writes the first ids of an array.
   *
   * @param count how many
   */
  public static byte[] encode(long[] ids, int count) {
    ByteBuffer out = ByteBuffer.allocate(1 + count * Long.BYTES);
    out.put(VERSION);
    for (int i = 0; i < count; i++) {
      out.putLong(ids[i]);
    }
    return out.array();
  }

  /**
   * Reads ids.
   *
   * @throws IOException if these are none, or too many
   */
  public static long[] decode(byte[] bytes) throws IOException {
    int count = (bytes.length - 1) / Long.BYTES;
    if (bytes.length < 1
        || bytes[0] != VERSION
        || bytes.length != 1 + count * Long.BYTES
        || count > RecordPage.MAX_BLOCKS) {
      throw new IOException(bytes.length + " bytes are no list of block ids");
    }
    ByteBuffer in = ByteBuffer.wrap(bytes, 1, bytes.length - 1);
    long[] ids = new long[count];
    in.asLongBuffer().get(ids);
    return ids;
  }
}
