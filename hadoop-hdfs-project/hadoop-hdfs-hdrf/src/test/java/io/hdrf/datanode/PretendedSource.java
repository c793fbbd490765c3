/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode;

import io.hdrf.wire.AskStream;
import io.hdrf.wire.Capabilities;
import io.hdrf.wire.Preamble;
import io.hdrf.wire.RecordWriter;
import io.hdrf.wire.WireFormat;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.hadoop.hdfs.protocol.DatanodeID;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.protocol.datatransfer.DataTransferProtoUtil;
import org.apache.hadoop.hdfs.protocol.datatransfer.PacketHeader;
import org.apache.hadoop.hdfs.protocol.proto.DataTransferProtos.BlockOpResponseProto;
import org.apache.hadoop.hdfs.protocol.proto.DataTransferProtos.ReadOpChecksumInfoProto;
import org.apache.hadoop.hdfs.protocol.proto.DataTransferProtos.Status;
import org.apache.hadoop.util.DataChecksum;

/**
 * Somebody who speaks HDRF's protocol and says that a block can be copied from him. Where he is
 * answered, he refers to a chunk that he never asked for; otherwise he ends the copy.
 */
final class PretendedSource implements AutoCloseable {

  private static final int DATA = 100;
  private static final int CHECKSUM = 4;

  private final ServerSocket server = new ServerSocket(0, 5, InetAddress.getLoopbackAddress());
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final List<Socket> sockets = Collections.synchronizedList(new ArrayList<>());
  private final Capabilities capabilities;

  /** What he proves himself with. */
  volatile AskStream.Proof proof = new AskStream.Proof(new byte[32], new byte[0]);

  /** The pool of which he asks for chunks. */
  volatile String poolId;

  final List<Capabilities> hellos = Collections.synchronizedList(new ArrayList<>());
  final List<byte[]> challenges = Collections.synchronizedList(new ArrayList<>());
  final List<byte[]> grants = Collections.synchronizedList(new ArrayList<>());

  private final CompletableFuture<byte[]> granted = new CompletableFuture<>();

  /**
   * @param like he can do what the DataNode on this port can
   * @param block to be copied
   */
  PretendedSource(int like, ExtendedBlock block) throws IOException {
    capabilities = probe(like);
    poolId = block.getBlockPoolId();
    threads.execute(this::accept);
  }

  /** Opens a connection, and sends a preamble. */
  static Socket connect(int port, int kind) throws IOException {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
    socket.getOutputStream().write(WireFormat.preamble(kind));
    return socket;
  }

  static Capabilities probe(int port) throws IOException {
    try (Socket socket = connect(port, WireFormat.PROBE)) {
      return Capabilities.read(socket.getInputStream());
    }
  }

  /** Writes records. */
  interface Writing {
    void to(RecordWriter records) throws IOException;
  }

  static void send(Socket socket, Writing writing) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try (RecordWriter records =
        new RecordWriter(
            bytes -> {
              byte[] copy = new byte[bytes.remaining()];
              bytes.get(copy);
              out.writeBytes(copy);
            })) {
      writing.to(records);
      records.flush();
    }
    socket.getOutputStream().write(out.toByteArray());
  }

  DatanodeInfo datanode() {
    String address = InetAddress.getLoopbackAddress().getHostAddress();
    return new DatanodeInfo.DatanodeInfoBuilder()
        .setNodeID(new DatanodeID(address, "localhost", "nobody", server.getLocalPort(), 0, 0, 0))
        .build();
  }

  private void accept() {
    while (!server.isClosed()) {
      try {
        Socket socket = server.accept();
        sockets.add(socket);
        threads.execute(() -> serve(socket));
      } catch (IOException e) {
        return;
      }
    }
  }

  private void serve(Socket accepted) {
    try (Socket socket = accepted) {
      int kind = Preamble.read(socket.getInputStream()).kind();
      if (kind == WireFormat.PROBE) {
        socket.getOutputStream().write(capabilities.encode());
      } else if (kind == WireFormat.STREAM) {
        copy(socket);
      } else if (kind == WireFormat.INVITED) {
        ask(socket);
      }
    } catch (IOException | TimeoutException | InterruptedException | ExecutionException e) {
      granted.completeExceptionally(e);
    }
  }

  private static byte[] record(DataInputStream in) throws IOException {
    in.readByte();
    byte[] body = new byte[Integer.reverseBytes(in.readInt())];
    in.readInt();
    in.readFully(body);
    return body;
  }

  private void copy(Socket socket)
      throws IOException, TimeoutException, InterruptedException, ExecutionException {
    DataInputStream in = new DataInputStream(socket.getInputStream());
    Capabilities hello = Capabilities.read(new ByteArrayInputStream(record(in)));
    hellos.add(hello);
    record(in);
    if (!hello.isInvitable()) {
      return;
    }
    byte[] reply = reply();
    send(
        socket,
        records -> {
          records.invite(new byte[16]);
          records.bytes(reply, 0, reply.length);
        });
    byte[] session = granted.get(60, TimeUnit.SECONDS);
    if (session.length == 0) {
      return;
    }
    byte[] head = head();
    send(
        socket,
        records -> {
          records.packet(DATA, head, 0, head.length);
          records.session(session);
          records.references(0, 0, 1, 0);
        });
    while (in.read() >= 0) {}
  }

  private static byte[] reply() throws IOException {
    ByteArrayOutputStream reply = new ByteArrayOutputStream();
    BlockOpResponseProto.newBuilder()
        .setStatus(Status.SUCCESS)
        .setReadOpChecksumInfo(
            ReadOpChecksumInfoProto.newBuilder()
                .setChecksum(
                    DataTransferProtoUtil.toProto(
                        DataChecksum.newDataChecksum(DataChecksum.Type.CRC32C, 512)))
                .setChunkOffset(0))
        .build()
        .writeDelimitedTo(reply);
    return reply.toByteArray();
  }

  private static byte[] head() throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (DataOutputStream out = new DataOutputStream(bytes)) {
      new PacketHeader(4 + CHECKSUM + DATA, 0, 0, false, DATA, false).write(out);
      out.write(new byte[CHECKSUM]);
    }
    return bytes.toByteArray();
  }

  /** On the connection of whom he invited. */
  private void ask(Socket socket) throws IOException {
    try (AskStream stream = new AskStream(socket.getInputStream(), socket.getOutputStream())) {
      if (!Arrays.equals(stream.readInvitation(), new byte[16])) {
        throw new IOException("nobody was invited in this way");
      }
      stream.open(capabilities.dialects().first(), poolId);
      AskStream.Reply reply = stream.readReply();
      byte[] session = reply.sessionId();
      if (reply.challenge() != null) {
        challenges.add(reply.challenge());
        stream.prove(proof);
        session = stream.readGrant();
      }
      grants.add(session);
      granted.complete(session == null ? new byte[0] : session);
      stream.readAnswer();
    }
  }

  @Override
  public void close() throws IOException {
    server.close();
    for (Socket socket : List.copyOf(sockets)) {
      socket.close();
    }
    threads.shutdownNow();
  }
}
