/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode.mirror;

import io.hdrf.wire.CorruptWireException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.apache.hadoop.hdfs.protocol.datatransfer.PacketHeader;

/** Reads the head of a packet that a peer sent, before anything relies on it. */
final class PacketHeads {

  private PacketHeads() {}

  /**
   * The header in a packet's head.
   *
   * @param dataLength what the peer says about the packet
   * @throws CorruptWireException if the head is none, or says something else
   */
  static PacketHeader parse(int dataLength, ByteBuffer head) throws IOException {
    ByteBuffer bytes = head.duplicate().order(ByteOrder.BIG_ENDIAN);
    if (bytes.remaining() < PacketHeader.PKT_LENGTHS_LEN) {
      throw new CorruptWireException("a packet's head of " + bytes.remaining() + " bytes");
    }
    int payload = bytes.getInt();
    int headerLength = bytes.getShort();
    if (headerLength < 0 || headerLength > bytes.remaining()) {
      throw new CorruptWireException("a packet's header of " + headerLength + " bytes");
    }
    byte[] encoded = new byte[headerLength];
    bytes.get(encoded);
    PacketHeader header = new PacketHeader();
    header.setFieldsFromData(payload, encoded);
    if (header.getDataLen() != dataLength || payload != 4L + bytes.remaining() + dataLength) {
      throw new CorruptWireException("a packet of " + payload + " bytes whose lengths differ");
    }
    return header;
  }
}
