/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.client;

import io.hdrf.wire.StoredReplicaRequest;
import java.io.BufferedOutputStream;
import java.io.Closeable;
import java.io.DataOutputStream;
import java.io.FileInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ReadableByteChannel;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.protocol.datatransfer.Sender;
import org.apache.hadoop.hdfs.protocol.proto.DataTransferProtos.BlockOpResponseProto;
import org.apache.hadoop.hdfs.protocol.proto.DataTransferProtos.ClientReadStatusProto;
import org.apache.hadoop.hdfs.protocol.proto.DataTransferProtos.Status;
import org.apache.hadoop.hdfs.protocolPB.PBHelperClient;
import org.apache.hadoop.hdfs.server.datanode.CachingStrategy;
import org.apache.hadoop.net.unix.DomainSocket;

/** A connection to the DataNode of this host, over its domain socket. For one thread. */
final class DataNodeConnection implements Closeable {

  private static final int REQUEST_BUFFER = 512;

  /** Of the format of short-circuit reads: the only one. */
  private static final int MAX_VERSION = 1;

  private final DomainSocket socket;
  private final ReadableByteChannel channel;

  private DataNodeConnection(DomainSocket socket) {
    this.socket = socket;
    this.channel = new EndingChannel(socket.getChannel());
  }

  static DataNodeConnection open(String path, int timeoutMillis) throws IOException {
    DomainSocket socket = DomainSocket.connect(path);
    boolean ready = false;
    try {
      socket.setAttribute(DomainSocket.SEND_TIMEOUT, timeoutMillis);
      socket.setAttribute(DomainSocket.RECEIVE_TIMEOUT, timeoutMillis);
      ready = true;
      return new DataNodeConnection(socket);
    } finally {
      if (!ready) {
        socket.close();
      }
    }
  }

  /** What the DataNode says of a replica. */
  enum Kind {
    /** It is reduced, and here are the descriptors of its file and of its checksums. */
    PASSED,
    /** It is reduced, and the DataNode alone decodes it. */
    STREAM_ALONE,
    /** It is plain, or not there, or the DataNode is a stock one. */
    NOT_REDUCED,
    /** The client has no right to read it, as far as the DataNode knows. */
    REFUSED
  }

  /** An answer; who gets it closes the descriptors. */
  static final class Answer {
    final Kind kind;
    final FileInputStream data;
    final FileInputStream meta;

    private Answer(Kind kind, FileInputStream data, FileInputStream meta) {
      this.kind = kind;
      this.data = data;
      this.meta = meta;
    }

    private static Answer of(Kind kind) {
      return new Answer(kind, null, null);
    }
  }

  /**
   * Asks for the descriptors of a reduced replica.
   *
   * @throws IOException if the DataNode closes the connection
   */
  Answer request(ReadRequest request) throws IOException {
    ExtendedBlock block = new ExtendedBlock(request.block);
    block.setNumBytes(StoredReplicaRequest.LENGTH);
    sender().requestShortCircuitFds(block, request.token, null, MAX_VERSION, false);
    BlockOpResponseProto response = response();
    switch (response.getStatus()) {
      case SUCCESS:
        return descriptors();
      case ERROR_UNSUPPORTED:
        return Answer.of(
            response.getMessage().startsWith(StoredReplicaRequest.STREAM_ALONE)
                ? Kind.STREAM_ALONE
                : Kind.NOT_REDUCED);
      case ERROR_ACCESS_TOKEN:
        return Answer.of(Kind.REFUSED);
      default:
        return Answer.of(Kind.NOT_REDUCED);
    }
  }

  private Answer descriptors() throws IOException {
    FileInputStream[] passed = new FileInputStream[2];
    socket.recvFileInputStreams(passed, new byte[1], 0, 1);
    boolean reduced = false;
    try {
      reduced =
          passed[0] != null
              && passed[1] != null
              && passed[0].getChannel().position() == StoredReplicaRequest.POSITION;
      return reduced ? new Answer(Kind.PASSED, passed[0], passed[1]) : Answer.of(Kind.NOT_REDUCED);
    } finally {
      if (!reduced) {
        for (FileInputStream file : passed) {
          if (file != null) {
            file.close();
          }
        }
      }
    }
  }

  /** Asks for the decoded bytes of a replica; packets follow the response. */
  BlockOpResponseProto requestBytes(ReadRequest request, long from, long length)
      throws IOException {
    sender()
        .readBlock(
            request.block,
            request.token,
            request.clientName,
            from,
            length,
            request.verifyChecksum,
            CachingStrategy.newDefaultStrategy());
    return response();
  }

  /** Tells the DataNode that all bytes came. */
  void confirm(Status status) throws IOException {
    DataOutputStream out = out();
    ClientReadStatusProto.newBuilder().setStatus(status).build().writeDelimitedTo(out);
    out.flush();
  }

  /**
   * Ends where the DataNode closed the connection: the socket's own channel reads no bytes then.
   */
  ReadableByteChannel channel() {
    return channel;
  }

  private static final class EndingChannel implements ReadableByteChannel {
    private final ReadableByteChannel channel;

    EndingChannel(ReadableByteChannel channel) {
      this.channel = channel;
    }

    @Override
    public int read(ByteBuffer dst) throws IOException {
      if (!dst.hasRemaining()) {
        return 0;
      }
      int count = channel.read(dst);
      return count == 0 ? -1 : count;
    }

    @Override
    public boolean isOpen() {
      return channel.isOpen();
    }

    @Override
    public void close() throws IOException {
      channel.close();
    }
  }

  private Sender sender() {
    return new Sender(out());
  }

  private DataOutputStream out() {
    return new DataOutputStream(new BufferedOutputStream(socket.getOutputStream(), REQUEST_BUFFER));
  }

  private BlockOpResponseProto response() throws IOException {
    return BlockOpResponseProto.parseFrom(PBHelperClient.vintPrefixed(socket.getInputStream()));
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
