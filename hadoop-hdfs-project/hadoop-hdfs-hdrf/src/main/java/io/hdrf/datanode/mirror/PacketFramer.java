/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode.mirror;

import io.hdrf.block.FrameTable;
import io.hdrf.block.ReducedBlock;
import io.hdrf.spi.io.BufferPool;
import io.hdrf.wire.PacketSums;
import io.hdrf.wire.RecordWriter;
import io.hdrf.wire.WireFormat;
import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.Arrays;
import org.apache.hadoop.hdfs.protocol.datatransfer.PacketHeader;

/**
 * Cuts a block's packets out of the bytes that the DataNode writes, and sends their data as frames:
 * passed on as they came, as they are stored, or encoded here. A packet is sent as soon as it is
 * complete, if not by {@link #batch}. For one thread.
 */
final class PacketFramer implements Closeable {

  private static final int MAX_PACKET = 16 << 20;
  private static final int NO_DATA = -1;

  /** Begins to ask a peer for a block's chunks. */
  interface ReferenceSource {
    /** Returns what sends the packets, or null if they go without references. */
    ReferenceSender open() throws IOException;
  }

  private final Mirroring mirroring;
  private final RecordWriter records;
  private final FrameEncoder encoder;
  private final PeerLink peer;
  private final PacketFrames received;
  private final BlockCollector collector;

  private final LinkMeter meter;

  /** Tells whether the block stays plain; null where it does not, and once it is known to. */
  private WireFilter filter;

  /** Makes {@link #references}; null where there are none, and once they were made. */
  private ReferenceSource referenceSource;

  /**
   * Sends packets that go by reference; null as long as none did. Kept to the end of the stream:
   * the peer holds what it promised until then.
   */
  private ReferenceSender references;

  /** Whether packets go through {@link #references}. */
  private boolean refers;

  /** Sends all packets of the block; null where each is sent as it comes. */
  private PacketBatch batch;

  private boolean batchHasBegun;

  private byte[] headBytes = new byte[2048];
  private int headCount;
  private int headLength;
  private int headerEnd;
  private PacketHeader header;

  /** Null where the peer gets all checksums. */
  private PacketSums sums;

  private ByteBuffer data = BufferPool.shared().take(0);
  private int dataLeft = NO_DATA;

  private int[] announced;
  private boolean ended;

  /** After how many bytes that came plain a stream is followed no more. */
  private static final long FOLLOWED = 2 << 20;

  /** The bytes since a packet came by reference, up to {@link #FOLLOWED}. */
  private long sinceReferences = FOLLOWED;

  /** Whether the packet that was sent last went in the form that {@link #meter} names. */
  private boolean formIsChosen = true;

  /** Whether every frame received so far was passed on, so that both streams are at one place. */
  private boolean inStep = true;

  /** The number of bytes of the block by which the frames sent so far are ahead of the packets. */
  private long ahead;

  /** The next frame of the stored block to send; -1 where it is not sent from its frames. */
  private int nextStored = -1;

  /**
   * @param chainIds the chain to encode with
   * @param received the packets that this DataNode receives meanwhile and passes on, or null
   * @param collector takes the frames encoded here, or null
   * @param meter tells which packets go reduced
   * @param filter tells whether any do; null where nothing keeps them from it
   * @param referenceSource is asked once, when packets go reduced, and what it returns stopped and
   *     closed with this; null where they go as frames
   */
  PacketFramer(
      Mirroring mirroring,
      RecordWriter records,
      int[] chainIds,
      PeerLink peer,
      PacketFrames received,
      BlockCollector collector,
      LinkMeter meter,
      WireFilter filter,
      ReferenceSource referenceSource)
      throws IOException {
    this.mirroring = mirroring;
    this.records = records;
    this.encoder = new FrameEncoder(mirroring, chainIds, meter);
    this.meter = meter;
    this.filter = filter;
    this.referenceSource = referenceSource;
    this.peer = peer;
    this.received = received;
    this.collector = collector;
    this.sums = mirroring.leavesChecksumsOut(peer) ? new PacketSums() : null;
    beginHead();
    chooseForm();
  }

  /**
   * Lets packets wait for the next ones while others are under way; see {@link PacketBatch}. To be
   * called before the first packet, where all are encoded here.
   */
  void batch(Acknowledgements acknowledged, long holdNanos) {
    batch = new PacketBatch(mirroring, records, encoder, collector, acknowledged, holdNanos);
    BufferPool.shared().give(data);
  }

  /** Returns whether what was sent last tells something of the form in which packets go. */
  boolean isFormChosen() {
    return formIsChosen;
  }

  /** Returns whether the block's last packet has been sent. */
  boolean isEnded() {
    return ended;
  }

  /**
   * Takes bytes of packets.
   *
   * @return how many were taken; fewer than {@code length} only if {@link #isEnded}
   */
  int write(byte[] source, int offset, int length) throws IOException {
    int done = 0;
    while (done < length && !ended) {
      if (dataLeft == NO_DATA) {
        done += takeHead(source, offset + done, length - done);
      } else {
        int part = Math.min(dataLeft, length - done);
        data.put(source, offset + done, part);
        dataLeft -= part;
        done += part;
      }
      sendIfComplete();
    }
    return done;
  }

  private void exclude() {
    filter = null;
    meter.keepPlain();
    mirroring.counters().excluded();
    if (collector != null && !batchHasBegun) {
      // Later, the thread that sends packets has it; it will find that nothing is saved.
      collector.close();
    }
  }

  private void beginHead() {
    headCount = 0;
    headLength = PacketHeader.PKT_LENGTHS_LEN;
    header = null;
    dataLeft = NO_DATA;
  }

  private int takeHead(byte[] source, int offset, int length) throws IOException {
    int part = Math.min(headLength - headCount, length);
    System.arraycopy(source, offset, headBytes, headCount, part);
    headCount += part;
    if (headCount == headLength) {
      advanceHead();
    }
    return part;
  }

  /** Lengths are complete, then the header, then the checksums. */
  private void advanceHead() throws IOException {
    ByteBuffer bytes = ByteBuffer.wrap(headBytes);
    int payload = bytes.getInt();
    int headerLength = bytes.getShort();
    headerEnd = PacketHeader.PKT_LENGTHS_LEN + headerLength;
    if (headLength == PacketHeader.PKT_LENGTHS_LEN) {
      if (payload < 4 || headerLength < 1 || (long) payload + headerLength > MAX_PACKET) {
        throw new IOException("a packet of " + payload + " and " + headerLength + " bytes");
      }
      growHead(headerEnd);
    } else if (header == null) {
      header = new PacketHeader();
      header.setFieldsFromData(
          payload, Arrays.copyOfRange(headBytes, PacketHeader.PKT_LENGTHS_LEN, headerEnd));
      int checksums = payload - 4 - header.getDataLen();
      if (header.getDataLen() < 0 || checksums < 0) {
        throw new IOException("a packet of " + payload + " bytes with " + header);
      }
      growHead(headerEnd + checksums);
    }
    if (header != null && headCount == headLength) {
      beginData(header.getDataLen());
    }
  }

  private void growHead(int length) {
    headLength = length;
    if (headBytes.length < length) {
      headBytes = Arrays.copyOf(headBytes, length);
    }
  }

  private void beginData(int length) throws IOException {
    data = batch != null ? batch.room(length) : BufferPool.shared().atLeast(data, length);
    data.clear();
    data.limit(length);
    dataLeft = length;
  }

  private void sendIfComplete() throws IOException {
    if (dataLeft != 0) {
      return;
    }
    data.flip();
    boolean last = header.isLastPacketInBlock();
    if (filter != null && meter.isReduced() && filter.excludes(header.getOffsetInBlock(), data)) {
      exclude();
    }
    if (batch != null) {
      batchHasBegun = true;
      batch.add(header, head());
      ended = last;
      beginHead();
      return;
    }
    if (collector != null) {
      collector.packet(header);
    }
    if (received != null) {
      sinceReferences =
          isReceived() && received.hasReferences()
              ? 0
              : Math.min(FOLLOWED, sinceReferences + header.getDataLen());
    }
    chooseForm();
    formIsChosen = !refers || meter.isReduced();
    if (refers) {
      // Else a frame reaches from these packets into one that goes without references.
      inStep = receivedEndsHere();
      references.send(header.getOffsetInBlock(), head(), data, last, receivedInStep());
      ended = last;
      beginHead();
      return;
    }
    if (received != null
        && inStep
        && received.isFrames()
        && isReceived()
        && peer.canDecode(received.chainIds())
        && (received.areEncoded() || !meter.encodesPlain())) {
      forward();
    } else {
      sendEncoded();
    }
    endPacket(last);
  }

  /**
   * Begins to send references, or ends that, before the present packet. What comes by reference
   * goes on by reference: where all links of a pipeline hold it up, the first DataNode could not
   * see otherwise that references are faster.
   */
  private void chooseForm() throws IOException {
    boolean wanted = meter.isReduced() || sinceReferences < FOLLOWED;
    if (refers == wanted || ahead > 0) {
      return;
    }
    if (refers) {
      references.drain();
      refers = false;
      announced = null;
    } else if (references != null) {
      records.flush();
      references.resume();
      refers = true;
    } else if (referenceSource != null) {
      references = referenceSource.open();
      referenceSource = null;
      refers = references != null;
    }
  }

  /** Whether what was received ends with the present packet, as what is sent does. */
  private boolean receivedEndsHere() {
    return received != null && isReceived() && received.isInStep();
  }

  private boolean isReceived() {
    return received.matches(header.getDataLen(), headBytes, headLength);
  }

  /**
   * Returns the bytes that go to the peer before the present packet's data: without the checksums,
   * if the peer will make the same ones. Where they once differ, they are of another kind, or
   * wrong, which the last DataNode of the pipeline will find out.
   */
  private PacketHead head() {
    if (sums == null || !data.hasRemaining()) {
      return PacketHead.whole(headBytes, headLength);
    }
    int length = headLength - headerEnd;
    long digest;
    if (received != null && received.isSummed() && isReceived()) {
      digest = received.digest();
    } else if (!meter.isReduced()) {
      return PacketHead.whole(headBytes, headLength);
    } else {
      sums.make(data);
      if (!sums.areIn(headBytes, headerEnd, length)) {
        sums = null;
        return PacketHead.whole(headBytes, headLength);
      }
      digest = sums.digest();
    }
    mirroring.counters().checksumsLeftOut(length);
    return PacketHead.summed(headBytes, headerEnd, digest);
  }

  /** The present packet as it was received, if that is just its data. */
  private PacketFrames receivedInStep() {
    return received != null
            && received.isInStep()
            && isReceived()
            && (received.areEncoded() || !meter.encodesPlain())
        ? received
        : null;
  }

  /** Waits until all packets were sent. */
  void drain() throws IOException {
    if (references != null) {
      references.drain();
    }
  }

  /**
   * Returns whether another thread may send packets, which has the records' writer until {@link
   * #drain} returns.
   *
   * @throws IOException if sending has failed
   */
  boolean sendsApart() throws IOException {
    if (batch != null) {
      return batchHasBegun && !ended;
    }
    if (references == null || !references.hasBegun()) {
      return false;
    }
    references.check();
    return true;
  }

  private void endPacket(boolean last) throws IOException {
    records.flush();
    ended = last;
    beginHead();
  }

  private void forward() throws IOException {
    formIsChosen = !received.areEncoded();
    head().writeTo(records, header.getDataLen());
    announce(received.chainIds());
    ahead += received.writeTo(records) - header.getDataLen();
    mirroring.counters().forwarded(received.count());
  }

  /** Within the packet, so that the frames before have come to their end. */
  private void announce(int[] ids) throws IOException {
    if (ids != null && !Arrays.equals(announced, ids)) {
      records.chain(ids);
      announced = ids;
    }
  }

  /** Data of the packet that earlier frames hold are not sent again. */
  private void sendEncoded() throws IOException {
    head().writeTo(records, header.getDataLen());
    int known = (int) Math.min(ahead, data.remaining());
    ahead -= known;
    inStep = ahead == 0 && receivedEndsHere();
    data.position(known);
    if (!data.hasRemaining()) {
      return;
    }
    announce(encoder.chainIds());
    int length = data.remaining();
    int stages = encoder.encode(data);
    records.frame(length, stages, encoder.encoded());
    collect(stages, length);
  }

  private void collect(int stages, int length) throws IOException {
    if (collector != null) {
      records.flush();
      collector.frame(encoder, stages, length);
    }
  }

  /**
   * Takes the present packet's data from a channel.
   *
   * @throws IOException if the packet's head was not written before
   */
  void transferFrom(FileChannel channel, long position, int count) throws IOException {
    if (dataLeft != count) {
      throw new IOException("data of " + count + " bytes for a packet that wants " + dataLeft);
    }
    preferStored(channel, position);
    if (!refers && batch == null && count > 0 && sendStored(channel, position, count)) {
      endPacket(header.isLastPacketInBlock());
      return;
    }
    while (data.hasRemaining()) {
      int read = channel.read(data, position + data.position());
      if (read < 0) {
        throw new EOFException("the block ends " + data.remaining() + " bytes early");
      }
    }
    dataLeft = 0;
    sendIfComplete();
  }

  /** Stored frames are neither decoded nor looked for; but a block begins in one way or another. */
  private void preferStored(FileChannel channel, long position) throws IOException {
    if ((references != null ? !references.hasBegun() : referenceSource != null)
        && channel instanceof StoredFrameSource
        && position == header.getOffsetInBlock()
        && canBeginStored(((StoredFrameSource) channel).storedBlock(), position)) {
      referenceSource = null;
      if (references != null) {
        references.stop(true);
        references.close();
        references = null;
        refers = false;
      }
    }
  }

  private boolean sendStored(FileChannel channel, long position, int count) throws IOException {
    if (!(channel instanceof StoredFrameSource) || position != header.getOffsetInBlock()) {
      return false;
    }
    StoredFrameSource source = (StoredFrameSource) channel;
    ReducedBlock block = source.storedBlock();
    FrameTable frames = block.frames();
    if (nextStored < 0 && !canBeginStored(block, position)) {
      return false;
    }
    if (nextStored < 0) {
      nextStored = frames.frameAt(position);
    }
    formIsChosen = false;
    records.packet(count, headBytes, 0, headLength);
    announce(block.header().chainIds());
    int first = nextStored;
    while (ahead < count) {
      ByteBuffer encoded = encoder.clear(frames.storedLength(nextStored));
      source.readStored(nextStored, encoded);
      encoded.flip();
      records.frame(frames.originalLength(nextStored), frames.stages(nextStored), encoded);
      ahead += frames.originalLength(nextStored);
      nextStored++;
    }
    ahead -= count;
    mirroring.counters().sentAsStored(nextStored - first);
    return true;
  }

  private boolean canBeginStored(ReducedBlock block, long position) throws IOException {
    FrameTable frames = block.frames();
    return ahead == 0
        && frames.originalPosition(frames.frameAt(position)) == position
        && frames.maxOriginalLength() <= WireFormat.MAX_FRAME
        && mirroring.canTravel(block.header().chainIds())
        && peer.canDecode(block.header().chainIds());
  }

  /** Ends the sending of packets, but for those that can be sent in a short while. */
  void stop() {
    if (batch != null) {
      batch.stop();
    }
    if (references != null) {
      references.drainBriefly();
      references.stop(ended);
    }
  }

  /**
   * Waits a while until nothing is sent any more after {@link #stop}.
   *
   * @return whether that is so
   */
  boolean awaitEnd() {
    return (references == null || references.awaitEnd()) && (batch == null || batch.awaitEnd());
  }

  @Override
  public void close() {
    if (references != null) {
      references.stop(ended);
      references.close();
      references = null;
    }
    if (batch != null) {
      batch.stop();
      batch.release(this::closeEncoder);
    } else if (data != null) {
      BufferPool.shared().give(data);
      closeEncoder();
    }
    batch = null;
    data = null;
  }

  private void closeEncoder() {
    encoder.close();
    if (collector != null) {
      collector.close();
    }
  }
}
