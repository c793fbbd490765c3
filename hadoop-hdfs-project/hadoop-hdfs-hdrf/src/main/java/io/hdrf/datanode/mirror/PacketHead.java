/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode.mirror;

import io.hdrf.wire.CorruptWireException;
import io.hdrf.wire.RecordWriter;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import org.apache.hadoop.hdfs.protocol.datatransfer.PacketHeader;

/** What precedes a packet's data: as it goes to a peer, and what one of a peer says. Immutable. */
final class PacketHead {

  private final byte[] bytes;
  private final boolean summed;
  private final long digest;

  private PacketHead(byte[] bytes, boolean summed, long digest) {
    this.bytes = bytes;
    this.summed = summed;
    this.digest = digest;
  }

  /** All of it. */
  static PacketHead whole(byte[] head, int length) {
    return new PacketHead(Arrays.copyOf(head, length), false, 0);
  }

  /**
   * A digest in the place of its checksums.
   *
   * @param length of what precedes them
   */
  static PacketHead summed(byte[] head, int length, long digest) {
    return new PacketHead(Arrays.copyOf(head, length), true, digest);
  }

  /**
   * The header in the head of a packet that a peer sent, before anything relies on it.
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

  void writeTo(RecordWriter records, int dataLength) throws IOException {
    if (summed) {
      records.summed(dataLength, digest, bytes, 0, bytes.length);
    } else {
      records.packet(dataLength, bytes, 0, bytes.length);
    }
  }
}
