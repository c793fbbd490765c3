/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode.mirror;

import io.hdrf.wire.RecordWriter;
import java.io.IOException;
import java.util.Arrays;

/** The bytes before a packet's data as they go to a peer. Immutable. */
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
   * Makes a head with a digest instead of its checksums.
   *
   * @param length of the bytes before them
   */
  static PacketHead summed(byte[] head, int length, long digest) {
    return new PacketHead(Arrays.copyOf(head, length), true, digest);
  }

  void writeTo(RecordWriter records, int dataLength) throws IOException {
    if (summed) {
      records.summed(dataLength, digest, bytes, 0, bytes.length);
    } else {
      records.packet(dataLength, bytes, 0, bytes.length);
    }
  }
}
