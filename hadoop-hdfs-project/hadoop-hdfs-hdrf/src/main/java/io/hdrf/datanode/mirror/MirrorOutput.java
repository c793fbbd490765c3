/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode.mirror;

import io.hdrf.wire.Capabilities;
import io.hdrf.wire.RecordWriter;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.WritableByteChannel;
import java.util.function.Consumer;
import org.apache.hadoop.hdfs.protocol.datatransfer.Op;

/**
 * The bytes of a DataNode to another one, as records. They begin either with a request, on the side
 * that connected, or with plain bytes until {@link #beginReply}. For one thread at a time.
 */
final class MirrorOutput extends OutputStream {

  /** The part of the stream to which the next byte belongs. */
  private enum State {
    /** HDFS's own bytes, without records. */
    UNFRAMED,
    /** A request, or the answer to one. */
    OPENING,
    PACKETS,
    /** Bytes that belong to no packet, in records. */
    BYTES
  }

  private final Mirroring mirroring;
  private final OutputStream under;
  private final RecordWriter records;
  private final MirrorInputStream upstream;
  private final Acknowledgements acknowledgements;
  private final Consumer<BlockTransfer> onRequest;

  private volatile State state;
  private PeerLink peer;
  private StreamOpening opening;
  private BlockTransfer transfer;
  private PacketFramer framer;
  private LinkMeter meter;
  private Op operation;
  private long plain;
  private long wire;

  private MirrorOutput(
      Mirroring mirroring,
      OutputStream under,
      PeerLink peer,
      MirrorInputStream upstream,
      Acknowledgements acknowledgements,
      Consumer<BlockTransfer> onRequest,
      State state) {
    this.mirroring = mirroring;
    this.under = under;
    this.peer = peer;
    this.upstream = upstream;
    this.acknowledgements = acknowledgements;
    this.onRequest = onRequest;
    this.state = state;
    this.records = new RecordWriter(this::send);
  }

  /**
   * Makes the output of the side that connected.
   *
   * @param upstream the stream that this thread receives meanwhile, or null
   * @param acknowledgements those of the other side
   * @param onRequest receives the request before it is sent
   */
  static MirrorOutput ofClient(
      Mirroring mirroring,
      OutputStream under,
      PeerLink peer,
      MirrorInputStream upstream,
      Acknowledgements acknowledgements,
      Consumer<BlockTransfer> onRequest)
      throws IOException {
    MirrorOutput out =
        new MirrorOutput(
            mirroring, under, peer, upstream, acknowledgements, onRequest, State.OPENING);
    out.opening = StreamOpening.request();
    out.records.begin(mirroring.own());
    return out;
  }

  /** Makes the output of the side that was connected to. */
  static MirrorOutput ofServer(Mirroring mirroring, OutputStream under) {
    return new MirrorOutput(mirroring, under, null, null, null, null, State.UNFRAMED);
  }

  /**
   * Begins the answer to a request to copy a block.
   *
   * @param requester the host that the request came from; never connected to
   */
  void beginReply(BlockTransfer copied, InetSocketAddress requester, Capabilities capabilities) {
    transfer = copied;
    peer = new PeerLink(requester, capabilities);
    opening = StreamOpening.reply();
    state = State.OPENING;
  }

  @Override
  public void write(int value) throws IOException {
    write(new byte[] {(byte) value}, 0, 1);
  }

  @Override
  public void write(byte[] bytes, int offset, int length) throws IOException {
    if (state == State.UNFRAMED) {
      under.write(bytes, offset, length);
      return;
    }
    plain += length;
    int done = 0;
    while (done < length) {
      done += writeSome(bytes, offset + done, length - done);
    }
    if (state == State.BYTES) {
      records.flush();
    }
  }

  private int writeSome(byte[] bytes, int offset, int length) throws IOException {
    int taken;
    switch (state) {
      case OPENING:
        taken = opening.take(bytes, offset, length);
        if (opening.isComplete() && opening.isReply()) {
          beginBlock(opening.isSuccess());
        } else if (opening.isComplete()) {
          beginOperation();
        }
        records.bytes(bytes, offset, taken);
        return taken;
      case PACKETS:
        long from = System.nanoTime();
        taken = framer.write(bytes, offset, length);
        measure(taken, from);
        if (framer.isEnded()) {
          endBlock();
        }
        return taken;
      default:
        records.bytes(bytes, offset, length);
        return length;
    }
  }

  private void beginOperation() throws IOException {
    operation = opening.operation();
    transfer = BlockTransfer.of(opening);
    if (transfer != null) {
      onRequest.accept(transfer);
    }
    beginBlock(transfer != null && !transfer.isCopy());
  }

  /**
   * @param packets whether packets follow
   */
  private void beginBlock(boolean packets) throws IOException {
    if (!packets) {
      state = State.BYTES;
      return;
    }
    operation = transfer.operation();
    meter =
        mirroring.isShort(transfer.length())
            ? LinkMeter.fixed(LinkChoice.Form.PLAIN)
            : mirroring.meter(transfer.block(), peer, upstream == null);
    boolean isFirst = transfer.isPipeline() && upstream == null;
    BlockCollector collector =
        isFirst && meter.isReduced() ? BlockCollector.of(mirroring, transfer.block()) : null;
    PacketFramer.ReferenceSource references = mirroring.references(transfer.block(), peer, records);
    PacketFramer made = null;
    try {
      made =
          new PacketFramer(
              mirroring,
              records,
              mirroring.chainFor(transfer.block(), peer),
              peer,
              upstream == null ? null : upstream.packetFrames(),
              collector,
              meter,
              mirroring.filter(transfer.block()),
              references);
    } finally {
      if (made == null && collector != null) {
        collector.close();
      }
    }
    framer = made;
    if (isFirst && references == null) {
      framer.batch(acknowledgements, PacketBatch.HOLD_NANOS);
    }
    state = State.PACKETS;
  }

  private void measure(int count, long from) {
    if (framer.isFormChosen()) {
      meter.wrote(count, from, System.nanoTime());
    } else {
      meter.passed(System.nanoTime());
    }
  }

  private void endBlock() throws IOException {
    meter.end();
    framer.drain();
    if (!framer.sendsApart()) {
      framer.close();
      framer = null;
    }
    state = State.BYTES;
  }

  /** As {@link PacketFramer#transferFrom}; a packet without data was complete with its head. */
  void transferFrom(FileChannel channel, long position, int count) throws IOException {
    if (count == 0) {
      return;
    }
    if (state != State.PACKETS) {
      // As a reader may ask. Stock code takes other words for a failure of the disk.
      throw new IOException("Connection reset: a block's data outside of a packet");
    }
    plain += count;
    long from = System.nanoTime();
    framer.transferFrom(channel, position, count);
    measure(count, from);
    if (framer.isEnded()) {
      endBlock();
    }
  }

  @Override
  public void flush() throws IOException {
    if (state == State.PACKETS && framer.sendsApart()) {
      return;
    }
    if (state != State.UNFRAMED) {
      records.flush();
    }
    under.flush();
  }

  private void send(ByteBuffer bytes) throws IOException {
    wire += bytes.remaining();
    try {
      if (under instanceof WritableByteChannel) {
        while (bytes.hasRemaining()) {
          ((WritableByteChannel) under).write(bytes);
        }
      } else {
        byte[] copy = new byte[bytes.remaining()];
        bytes.get(copy);
        under.write(copy);
        under.flush();
      }
    } catch (IOException e) {
      mirroring.broken(peer);
      throw e;
    }
  }

  @Override
  public void close() throws IOException {
    if (meter != null) {
      meter.end();
    }
    boolean writerIsFree = true;
    if (framer != null) {
      framer.stop();
      if (!framer.awaitEnd()) {
        // A write that can't be interrupted fails now.
        under.close();
        writerIsFree = framer.awaitEnd();
      }
    }
    if (operation != null) {
      mirroring.counters().sent(operation.name(), peer.name(), plain, wire);
      operation = null;
    }
    if (framer != null) {
      framer.close();
      framer = null;
    }
    if (writerIsFree) {
      records.close();
    }
    under.close();
  }
}
