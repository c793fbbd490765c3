/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode.mirror;

import io.hdrf.block.BlockRef;
import io.hdrf.wire.Capabilities;
import io.hdrf.wire.CorruptWireException;
import io.hdrf.wire.ReceiveMemory;
import io.hdrf.wire.StreamOrder;
import io.hdrf.wire.WireInput;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.function.Consumer;
import org.apache.hadoop.hdfs.protocol.datatransfer.Op;
import org.apache.hadoop.hdfs.protocol.datatransfer.PacketHeader;

/**
 * HDFS's bytes out of the records of another DataNode. Knows which block comes, collects its
 * frames, and keeps those of the present packet for the output that passes it on. For one thread.
 */
final class MirrorInputStream extends InputStream implements WireInput.Listener {

  private final Mirroring mirroring;
  private final InputStream in;
  private final int readBefore;
  private final String peerName;
  private final ReceiveMemory.Share memory;
  private final WireInput wire;
  private final Consumer<BlockTransfer> onRequest;
  private final StreamOrder order = new StreamOrder();

  private StreamOpening opening = StreamOpening.request();
  private Op operation;

  /** The block whose packets follow the opening; null once its first packet has come. */
  private BlockRef expected;

  private BlockCollector collector;

  /** Tells whether the block will stay plain, so that its frames need not be collected. */
  private WireFilter filter;

  /** Where the data of the next frame begin in the block. */
  private long offset;

  private PacketFrames forwarding;
  private Capabilities peer = Capabilities.none();
  private long plain;
  private final byte[] single = new byte[1];

  /**
   * @param in above SASL, behind the preamble
   * @param readBefore the number of bytes of it that were read before
   * @param peerName the other side's address, for metrics
   * @param onRequest receives each request that moves packets
   */
  MirrorInputStream(
      Mirroring mirroring,
      InputStream in,
      int readBefore,
      String peerName,
      Consumer<BlockTransfer> onRequest) {
    this.mirroring = mirroring;
    this.in = in;
    this.readBefore = readBefore;
    this.peerName = peerName;
    this.onRequest = onRequest;
    this.memory = mirroring.memory().share();
    this.wire =
        new WireInput(in, mirroring.chains(), this, mirroring.queries().sessions()::join, memory);
  }

  /** Expects a block to be copied from the other side, with no request before it. */
  void expect(BlockTransfer transfer) {
    opening = StreamOpening.reply();
    operation = transfer.operation();
    expected = transfer.block();
  }

  /** The packet being received; kept from the first call on, which precedes the first packet. */
  PacketFrames packetFrames() {
    if (forwarding == null) {
      forwarding = new PacketFrames(memory);
    }
    return forwarding;
  }

  /** Returns the capabilities of the other side, if it connected to this one. */
  Capabilities peer() {
    return peer;
  }

  @Override
  public void hello(Capabilities capabilities) {
    peer = capabilities.knownTo(mirroring.own());
  }

  @Override
  public void record(int type) throws IOException {
    order.record(type);
  }

  /** The request is found in the very bytes that the DataNode's own code is given. */
  @Override
  public void handedOut(byte[] bytes, int offset, int length, int left) throws IOException {
    if (!order.isOpening()) {
      return;
    }
    int taken = opening.take(bytes, offset, length);
    if (opening.isComplete()) {
      order.handedOut(opened(), length - taken + left);
    }
  }

  /** Returns whether packets follow. */
  private boolean opened() throws IOException {
    if (opening.isReply()) {
      return opening.isSuccess();
    }
    BlockTransfer transfer = BlockTransfer.of(opening);
    if (transfer == null) {
      return false;
    }
    operation = transfer.operation();
    onRequest.accept(transfer);
    if (!transfer.isCopy()) {
      expected = transfer.block();
    }
    return !transfer.isCopy();
  }

  @Override
  public void packet(int dataLength, ByteBuffer head, boolean summed) throws IOException {
    PacketHeader header = header(dataLength, head);
    if (header.isLastPacketInBlock()) {
      order.lastPacket();
    }
    if (expected != null) {
      collector = BlockCollector.of(mirroring, expected);
      filter = collector == null ? null : mirroring.filter(expected);
      offset = header.getOffsetInBlock();
      expected = null;
    }
    if (forwarding != null) {
      forwarding.begin(dataLength, head.duplicate());
    }
    if (collector != null) {
      collector.packet(header);
    }
  }

  /**
   * Returns the header of a packet from a peer, checked before anything relies on it.
   *
   * @param dataLength the length that the record names
   * @throws CorruptWireException if the head is none, or says something else
   */
  static PacketHeader header(int dataLength, ByteBuffer head) throws IOException {
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

  @Override
  public void checksums(ByteBuffer checksums, long digest) {
    if (forwarding != null) {
      forwarding.checksums(checksums.duplicate(), digest);
    }
  }

  @Override
  public void frame(
      int[] chainIds, int originalLength, int stages, ByteBuffer stored, ByteBuffer decoded)
      throws IOException {
    if (stages != 0) {
      mirroring.counters().decoded();
    }
    if (forwarding != null) {
      forwarding.add(chainIds, originalLength, stages, stored);
    }
    if (collector != null) {
      if (filter != null && filter.excludes(offset, decoded)) {
        filter = null;
        collector.close();
      }
      offset += originalLength;
      collector.frame(chainIds, originalLength, stages, stored);
    }
  }

  @Override
  public void references(int originalLength) {
    if (forwarding != null) {
      forwarding.addReferences(originalLength);
    }
    if (collector != null) {
      collector.references();
    }
  }

  @Override
  public int read() throws IOException {
    return read(single, 0, 1) < 0 ? -1 : single[0] & 0xFF;
  }

  @Override
  public int read(byte[] bytes, int offset, int length) throws IOException {
    int count = wire.read(bytes, offset, length);
    plain += Math.max(0, count);
    return count;
  }

  @Override
  public int available() {
    return wire.available();
  }

  @Override
  public void close() throws IOException {
    if (operation != null) {
      mirroring
          .counters()
          .received(operation.name(), peerName, plain, readBefore + wire.received());
      operation = null;
    }
    if (collector != null) {
      collector.close();
    }
    if (forwarding != null) {
      forwarding.close();
    }
    wire.close();
    in.close();
  }
}
