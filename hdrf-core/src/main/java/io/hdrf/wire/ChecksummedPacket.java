/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.wire;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * A packet whose checksums are made here, out of the data that come, and compared with the digest
 * of those that the sender had. Data that come in one piece are left where they are; others are
 * gathered. For one thread.
 */
final class ChecksummedPacket implements Closeable {

  private static final ByteBuffer NOTHING = ByteBuffer.allocateDirect(0);

  private final PacketSums sums = new PacketSums();

  private final ReceiveMemory.Share memory;

  /** The packet's bytes before its data, and behind them the data that are gathered. */
  private ByteBuffer bytes = NOTHING;

  private int dataLength;
  private int dataStart;
  private int gathered;
  private long digest;

  ChecksummedPacket(ReceiveMemory.Share memory) {
    this.memory = memory;
  }

  private void giveBytes() {
    if (bytes.capacity() > 0) {
      memory.give(bytes);
      bytes = NOTHING;
    }
  }

  /**
   * Begins a packet instead of the one before.
   *
   * @param length of its data, at least 1
   * @param digestOfSums the digest that its checksums must have
   * @param head the bytes before the checksums; consumed
   * @return the bytes before the data, with zeros for the checksums
   * @return what precedes the data, with zeros for the checksums
   */
  ByteBuffer begin(int length, long digestOfSums, ByteBuffer head) throws IOException {
    dataLength = length;
    digest = digestOfSums;
    gathered = 0;
    dataStart = head.remaining() + PacketSums.length(length);
    if (bytes.capacity() < dataStart) {
      giveBytes();
      bytes = memory.take(dataStart);
    }
    bytes.clear();
    bytes.limit(dataStart);
    bytes.put(head);
    while (bytes.hasRemaining()) {
      bytes.put((byte) 0);
    }
    return part(0, dataStart);
  }

  private ByteBuffer part(int from, int to) {
    ByteBuffer part = bytes.duplicate();
    part.limit(to).position(from);
    return part;
  }

  /** Returns whether no data were gathered. */
  boolean isEmpty() {
    return gathered == 0;
  }

  /**
   * Takes the next data.
   *
   * @param data consumed as far as they are the packet's
   * @return how many bytes were taken
   */
  int gather(ByteBuffer data) throws IOException {
    int capacity = dataStart + dataLength;
    if (bytes.capacity() < capacity) {
      ByteBuffer larger = memory.take(capacity);
      larger.clear();
      larger.put(part(0, dataStart));
      giveBytes();
      bytes = larger;
    }
    int count = Math.min(data.remaining(), dataLength - gathered);
    ByteBuffer source = data.duplicate();
    source.limit(data.position() + count);
    part(dataStart + gathered, capacity).put(source);
    data.position(data.position() + count);
    gathered += count;
    return count;
  }

  /**
   * Ends a packet all of whose data were gathered.
   *
   * @return the whole packet
   * @throws CorruptWireException if the data are not those that the sender had
   */
  ByteBuffer finish() throws CorruptWireException {
    finish(part(dataStart, dataStart + dataLength));
    return part(0, dataStart + dataLength);
  }

  /**
   * Ends a packet whose data are these.
   *
   * @param data not consumed
   * @return what precedes the data
   * @throws CorruptWireException if they are not those that the sender had
   */
  ByteBuffer finish(ByteBuffer data) throws CorruptWireException {
    sums.make(data);
    if (sums.digest() != digest) {
      throw new CorruptWireException("a packet's data are not those that the peer made frames of");
    }
    part(dataStart - sums.made().remaining(), dataStart).put(sums.made());
    return part(0, dataStart);
  }

  /** The packet's checksums, once it is finished. */
  ByteBuffer checksums() {
    return sums.made();
  }

  long digest() {
    return digest;
  }

  @Override
  public void close() {
    giveBytes();
  }
}
