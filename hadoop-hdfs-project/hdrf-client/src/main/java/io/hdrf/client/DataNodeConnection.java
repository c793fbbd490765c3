/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.client;

import io.hdrf.wire.StoredReplicaRequest;
import java.io.BufferedOutputStream;
import java.io.Closeable;
import java.io.DataOutputStream;
import java.io.FileInputStream;
import java.io.IOException;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.protocol.datatransfer.Sender;
import org.apache.hadoop.hdfs.protocol.proto.DataTransferProtos.BlockOpResponseProto;
import org.apache.hadoop.hdfs.protocol.proto.DataTransferProtos.Status;
import org.apache.hadoop.hdfs.protocolPB.PBHelperClient;
import org.apache.hadoop.io.IOUtils;
import org.apache.hadoop.net.unix.DomainSocket;
import org.apache.hadoop.security.AccessControlException;

/** A connection to the DataNode of this host, over its domain socket. For one thread. */
final class DataNodeConnection implements Closeable {

  private static final int REQUEST_BUFFER = 512;

  /** Of the format of short-circuit reads: the only one. */
  private static final int MAX_VERSION = 1;

  /**
   * A DataNode that does not answer in this time is asked no more for a while, and its blocks are
   * read as without HDRF. It waits for twenty seconds itself where it does not know the block pool.
   */
  private static final int TIMEOUT_MILLIS = 2_000;

  private final DomainSocket socket;

  DataNodeConnection(String path) throws IOException {
    socket = DomainSocket.connect(path);
    boolean ready = false;
    try {
      socket.setAttribute(DomainSocket.SEND_TIMEOUT, TIMEOUT_MILLIS);
      socket.setAttribute(DomainSocket.RECEIVE_TIMEOUT, TIMEOUT_MILLIS);
      ready = true;
    } finally {
      if (!ready) {
        socket.close();
      }
    }
  }

  /** The descriptors of a reduced replica; who gets them closes them. */
  static final class Descriptors {
    final FileInputStream data;
    final FileInputStream meta;

    private Descriptors(FileInputStream data, FileInputStream meta) {
      this.data = data;
      this.meta = meta;
    }
  }

  /**
   * Asks for the descriptors of a reduced replica. If the DataNode declines those of all its
   * blocks, the client's own reader, which comes next, does not ask again.
   *
   * @return null if the DataNode passes none
   * @throws AccessControlException if it refuses the block token
   * @throws IOException if it does not answer
   */
  Descriptors request(ReadRequest request) throws IOException {
    ExtendedBlock block = new ExtendedBlock(request.block);
    block.setNumBytes(StoredReplicaRequest.LENGTH);
    DataOutputStream out =
        new DataOutputStream(new BufferedOutputStream(socket.getOutputStream(), REQUEST_BUFFER));
    new Sender(out).requestShortCircuitFds(block, request.token, null, MAX_VERSION, false);
    BlockOpResponseProto response =
        BlockOpResponseProto.parseFrom(PBHelperClient.vintPrefixed(socket.getInputStream()));
    if (response.getStatus() == Status.ERROR_ACCESS_TOKEN) {
      throw new AccessControlException(response.getMessage());
    }
    if (StoredReplicaRequest.READ_BY_TCP.equals(response.getMessage())) {
      request.pauseShortCircuit();
    }
    return response.getStatus() == Status.SUCCESS ? receive() : null;
  }

  private Descriptors receive() throws IOException {
    FileInputStream[] passed = new FileInputStream[2];
    socket.recvFileInputStreams(passed, new byte[1], 0, 1);
    boolean reduced = false;
    try {
      reduced =
          passed[0] != null
              && passed[1] != null
              && passed[0].getChannel().position() == StoredReplicaRequest.POSITION;
      return reduced ? new Descriptors(passed[0], passed[1]) : null;
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

  /** Throws nothing: who has got descriptors would lose them. */
  @Override
  public void close() {
    IOUtils.closeStream(socket);
  }
}
