/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.wire;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** Gives records of any content right CRCs, to reach the code after this check. */
public final class RecordSigner {

  private RecordSigner() {}

  /** A copy, with right CRCs as far as the lengths fit. */
  public static byte[] signed(byte[] stream) {
    byte[] signed = stream.clone();
    ByteBuffer bytes = ByteBuffer.wrap(signed).order(ByteOrder.LITTLE_ENDIAN);
    for (int at = 0; at + WireFormat.RECORD_HEADER <= signed.length; ) {
      long end = at + WireFormat.RECORD_HEADER + (bytes.getInt(at + 1) & 0xFFFFFFFFL);
      if (end > signed.length) {
        break;
      }
      bytes.putInt(at + 5, RecordWriter.recordCrc(bytes, at, (int) end));
      at = (int) end;
    }
    return signed;
  }
}
