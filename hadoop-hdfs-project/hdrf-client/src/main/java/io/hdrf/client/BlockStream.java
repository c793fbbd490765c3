/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.client;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.apache.hadoop.hdfs.protocol.datatransfer.DataTransferProtoUtil;
import org.apache.hadoop.hdfs.protocol.datatransfer.PacketHeader;
import org.apache.hadoop.hdfs.protocol.datatransfer.PacketReceiver;
import org.apache.hadoop.hdfs.protocol.proto.DataTransferProtos.BlockOpResponseProto;
import org.apache.hadoop.hdfs.protocol.proto.DataTransferProtos.ReadOpChecksumInfoProto;
import org.apache.hadoop.hdfs.protocol.proto.DataTransferProtos.Status;
import org.apache.hadoop.util.DataChecksum;

/**
 * The bytes of a block as the DataNode of this host sends them over its domain socket, by HDFS's
 * own protocol for reads. For one thread.
 */
final class BlockStream implements Closeable {

  /** What is read and thrown away rather than asked for anew, in bytes. */
  private static final int MAX_SKIP = 128 << 10;

  private final ReadRequest request;

  /** Null where a new connection is needed. */
  private DataNodeConnection connection;

  /** Whether {@link #connection} was answered before: the DataNode may have closed it since. */
  private boolean used;

  private PacketReceiver packets;
  private DataChecksum checksum;
  private ByteBuffer data;

  /** Of the next byte in {@link #data}, or behind it. */
  private long position;

  private long lastSequence;

  /**
   * @param connection one that has been used and is free now, or null; closed with the stream
   */
  BlockStream(ReadRequest request, DataNodeConnection connection) {
    this.request = request;
    this.connection = connection;
    this.used = connection != null;
  }

  /** Reads bytes from a position before the visible end, at least one. */
  int read(long from, ByteBuffer dst) throws IOException {
    if (packets == null || from < position || from - position > MAX_SKIP) {
      start(from);
    }
    boolean complete = false;
    try {
      while (position < from || !data.hasRemaining()) {
        if (data.hasRemaining()) {
          int skipped = (int) Math.min(data.remaining(), from - position);
          data.position(data.position() + skipped);
          position += skipped;
        } else {
          nextPacket();
        }
      }
      int count = Math.min(dst.remaining(), data.remaining());
      ByteBuffer piece = data.duplicate();
      piece.limit(piece.position() + count);
      dst.put(piece);
      data.position(data.position() + count);
      position += count;
      if (position == request.visibleLength) {
        end();
      }
      complete = true;
      return count;
    } finally {
      if (!complete) {
        disconnect();
      }
    }
  }

  private void start(long from) throws IOException {
    if (packets != null) {
      disconnect();
    }
    BlockOpResponseProto response;
    try {
      response = ask(from);
    } catch (IOException e) {
      boolean stale = used;
      disconnect();
      if (!stale) {
        throw e;
      }
      response = ask(from);
    }
    boolean started = false;
    try {
      DataTransferProtoUtil.checkBlockOpStatus(response, "for a local read of " + request);
      ReadOpChecksumInfoProto sums = response.getReadOpChecksumInfo();
      checksum = DataTransferProtoUtil.fromProto(sums.getChecksum());
      position = sums.getChunkOffset();
      if (position > from || position <= from - checksum.getBytesPerChecksum()) {
        throw new IOException("the DataNode begins at " + position + " instead of " + from);
      }
      data = ByteBuffer.allocate(0);
      lastSequence = -1;
      packets = new PacketReceiver(true);
      started = true;
    } finally {
      if (!started) {
        disconnect();
      }
    }
  }

  private BlockOpResponseProto ask(long from) throws IOException {
    if (connection == null) {
      connection = DataNodeConnection.open(request.socketPath, request.socketTimeout());
    }
    return connection.requestBytes(request, from, request.visibleLength - from);
  }

  private void nextPacket() throws IOException {
    packets.receiveNextPacket(connection.channel());
    PacketHeader header = packets.getHeader();
    if (!header.sanityCheck(lastSequence) || header.isLastPacketInBlock()) {
      throw new IOException("wrong packet header for " + request + ": " + header);
    }
    lastSequence = header.getSeqno();
    data = packets.getDataSlice();
    if (header.getOffsetInBlock() != position || !data.hasRemaining()) {
      throw new IOException("a packet is not at " + position + " of " + request + ": " + header);
    }
    if (request.verifyChecksum) {
      checksum.verifyChunkedSums(data, packets.getChecksumSlice(), request.fileName, position);
    }
    // The last packet may have whole chunks that go beyond what was asked for.
    if (position + data.remaining() > request.visibleLength) {
      data.limit(data.position() + (int) (request.visibleLength - position));
    }
  }

  /** Takes the empty last packet, so that the connection can serve for another request. */
  private void end() throws IOException {
    packets.receiveNextPacket(connection.channel());
    PacketHeader header = packets.getHeader();
    if (!header.isLastPacketInBlock() || header.getDataLen() != 0) {
      throw new IOException("no end of " + request + ": " + header);
    }
    connection.confirm(request.verifyChecksum ? Status.CHECKSUM_OK : Status.SUCCESS);
    closePackets();
    used = true;
  }

  private void closePackets() {
    if (packets != null) {
      packets.close();
      packets = null;
      data = null;
    }
  }

  private void disconnect() throws IOException {
    closePackets();
    used = false;
    if (connection != null) {
      try {
        connection.close();
      } finally {
        connection = null;
      }
    }
  }

  @Override
  public void close() throws IOException {
    disconnect();
  }
}
