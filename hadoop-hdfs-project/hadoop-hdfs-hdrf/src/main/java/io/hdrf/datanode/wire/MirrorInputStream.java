/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode.wire;

import io.hdrf.reduce.BlockRef;
import io.hdrf.wire.Capabilities;
import io.hdrf.wire.WireCounters;
import io.hdrf.wire.WireInput;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.function.Consumer;
import org.apache.hadoop.hdfs.protocol.datatransfer.Op;

/**
 * HDFS's bytes out of what another DataNode sent as records. Knows which block comes, collects its
 * frames, and keeps those of the present packet for whoever passes it on. For one thread.
 */
final class MirrorInputStream extends InputStream {

  private final Mirroring mirroring;
  private final CountingInput in;
  private final String peerName;
  private final WireInput wire;
  private final Consumer<BlockTransfer> onRequest;
  private OperationParser request = new OperationParser();
  private Op operation;

  /** The block that is to come; null once its first packet has. */
  private BlockRef expected;

  private BlockCollector collector;
  private PacketFrames forwarding;
  private Capabilities peer = Capabilities.none();
  private Consumer<byte[]> onInvitation;
  private boolean refers;
  private boolean ended;
  private long plain;
  private final byte[] single = new byte[1];

  /**
   * @param in above SASL, behind the preamble
   * @param readBefore how many bytes of it were read before
   * @param peerName the other side's address, for metrics
   * @param onRequest is told when a request that moves packets came
   */
  MirrorInputStream(
      Mirroring mirroring,
      InputStream in,
      int readBefore,
      String peerName,
      Consumer<BlockTransfer> onRequest) {
    this.mirroring = mirroring;
    this.in = CountingInput.over(in, readBefore);
    this.peerName = peerName;
    this.onRequest = onRequest;
    this.wire = new WireInput(this.in, mirroring.chains(), new Listener(), mirroring.sessions());
  }

  /**
   * Expects a block to be copied from the other side, with no request before it.
   *
   * @param invited is told if the other side invites this one to be asked
   */
  void expect(BlockTransfer transfer, Consumer<byte[]> invited) {
    request = null;
    onInvitation = invited;
    begin(transfer);
  }

  private void begin(BlockTransfer transfer) {
    operation = transfer.operation();
    if (transfer.isCopy() == (request == null)) {
      expected = transfer.block();
    }
  }

  /** The packet being received; kept from the first call on, which precedes the first packet. */
  PacketFrames packetFrames() {
    if (forwarding == null) {
      forwarding = new PacketFrames();
    }
    return forwarding;
  }

  /** What the other side can receive, if it connected to this one. */
  Capabilities peer() {
    return peer;
  }

  /** Whether the other side would refer to chunks, and the block's last packet did not come. */
  boolean brokeWithReferences() {
    return refers && !ended;
  }

  /** What the parser was told, in the order of the stream. */
  private final class Listener implements WireInput.Listener {

    @Override
    public void hello(Capabilities capabilities) {
      peer = capabilities;
    }

    @Override
    public void bytes(ByteBuffer bytes) throws IOException {
      if (request == null || request.isComplete()) {
        return;
      }
      byte[] copy = new byte[bytes.remaining()];
      bytes.get(copy);
      request.take(copy, 0, copy.length);
      if (request.isComplete()) {
        BlockTransfer transfer = BlockTransfer.of(request);
        if (transfer != null) {
          begin(transfer);
          onRequest.accept(transfer);
        }
      }
    }

    @Override
    public void packet(int dataLength, ByteBuffer head, boolean summed) throws IOException {
      ended = dataLength == 0;
      if (expected != null) {
        collector = BlockCollector.of(mirroring, expected);
        expected = null;
      }
      if (forwarding != null) {
        forwarding.begin(dataLength, head.duplicate());
      }
      if (collector != null) {
        collector.packet(PacketHeads.parse(dataLength, head), summed);
      }
    }

    @Override
    public void checksums(ByteBuffer checksums, long digest) {
      if (forwarding != null) {
        forwarding.checksums(checksums.duplicate(), digest);
      }
      if (collector != null) {
        collector.checksums(checksums);
      }
    }

    @Override
    public void frame(
        int[] chainIds, int originalLength, int stages, ByteBuffer stored, ByteBuffer decoded) {
      if (forwarding != null) {
        forwarding.add(chainIds, originalLength, stages, stored);
      }
      if (collector != null) {
        collector.frame(chainIds, originalLength, stages, stored, decoded);
      }
    }

    @Override
    public void invited(byte[] id) throws IOException {
      if (onInvitation == null) {
        WireInput.Listener.super.invited(id);
      } else {
        onInvitation.accept(id);
      }
    }

    @Override
    public void session() {
      refers = true;
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
          .traffic(WireCounters.Direction.RECEIVED, operation.name(), peerName, plain, in.count());
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
