/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hdrf.wire.Capabilities;
import io.hdrf.wire.ChunkQueryStream;
import io.hdrf.wire.Preamble;
import io.hdrf.wire.RecordWriter;
import io.hdrf.wire.WireFormat;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.protocol.datatransfer.BlockConstructionStage;
import org.apache.hadoop.hdfs.protocol.datatransfer.IOStreamPair;
import org.apache.hadoop.hdfs.protocol.datatransfer.PacketHeader;
import org.apache.hadoop.hdfs.protocol.datatransfer.Sender;
import org.apache.hadoop.hdfs.protocol.datatransfer.TrustedChannelResolver;
import org.apache.hadoop.hdfs.protocol.datatransfer.sasl.DataTransferSaslUtil;
import org.apache.hadoop.hdfs.protocol.datatransfer.sasl.SaslDataTransferClient;
import org.apache.hadoop.hdfs.security.token.block.BlockTokenIdentifier;
import org.apache.hadoop.hdfs.server.datanode.CachingStrategy;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.security.token.Token;
import org.apache.hadoop.util.DataChecksum;

/**
 * An attacker who reaches a DataNode's port in a secure cluster, with a token for one block, or
 * with nothing, and speaks the protocol of DataNodes with HDRF.
 */
final class SecureAdversary {

  private static final int PATIENCE_MILLIS = 60_000;

  private final Configuration conf;
  private final DataNode datanode;

  /** A token for {@link #own} with all access modes; null for an attacker without one. */
  private final Token<BlockTokenIdentifier> token;

  private final ExtendedBlock own;
  private final ExtendedBlock victim;

  SecureAdversary(
      Configuration conf,
      DataNode datanode,
      Token<BlockTokenIdentifier> token,
      ExtendedBlock own,
      ExtendedBlock victim) {
    this.conf = conf;
    this.datanode = datanode;
    this.token = token;
    this.own = own;
    this.victim = victim;
  }

  private Socket connect() throws IOException {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), datanode.getXferPort());
    socket.setSoTimeout(PATIENCE_MILLIS);
    return socket;
  }

  /** Speaks SASL like HDFS's clients, with the token. */
  private IOStreamPair streams(Socket socket) throws IOException {
    if (token == null) {
      return new IOStreamPair(socket.getInputStream(), socket.getOutputStream());
    }
    return new SaslDataTransferClient(
            conf,
            DataTransferSaslUtil.getSaslPropertiesResolver(conf),
            TrustedChannelResolver.getInstance(conf))
        .socketSend(
            socket,
            socket.getOutputStream(),
            socket.getInputStream(),
            () -> null,
            token,
            datanode.getDatanodeId());
  }

  private interface Operation {
    void send(Sender sender) throws IOException;
  }

  private static byte[] bytes(Operation operation) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    operation.send(new Sender(new DataOutputStream(bytes)));
    return bytes.toByteArray();
  }

  private byte[] write(ExtendedBlock block, BlockConstructionStage stage) throws IOException {
    return bytes(
        sender ->
            sender.writeBlock(
                block,
                StorageType.DISK,
                token == null ? new Token<>() : token,
                "client",
                new DatanodeInfo[0],
                new StorageType[0],
                null,
                stage,
                1,
                0,
                block.getNumBytes(),
                block.getGenerationStamp() + 1,
                DataChecksum.newDataChecksum(DataChecksum.Type.CRC32C, 512),
                CachingStrategy.newDefaultStrategy(),
                false,
                false,
                new boolean[0],
                "",
                new String[0]));
  }

  /** Writes a packet of zeros with its frame, and the last packet. */
  private static void packets(RecordWriter writer) throws IOException {
    for (int length : new int[] {512, 0}) {
      ByteArrayOutputStream head = new ByteArrayOutputStream();
      DataOutputStream out = new DataOutputStream(head);
      int sums = length / 512 * 4;
      new PacketHeader(4 + sums + length, 512 - length, 512 - length, length == 0, length, false)
          .write(out);
      DataChecksum crc = DataChecksum.newDataChecksum(DataChecksum.Type.CRC32C, 512);
      byte[] checksums = new byte[sums];
      if (length > 0) {
        crc.calculateChunkedSums(ByteBuffer.allocate(length), ByteBuffer.wrap(checksums));
      }
      out.write(checksums);
      writer.packet(length, head.toByteArray(), 0, head.size());
      if (length > 0) {
        writer.chain(new int[] {1});
        writer.frame(length, 0, ByteBuffer.allocateDirect(length));
      }
    }
  }

  /** Sends bytes, and returns the whole answer. */
  private byte[] exchange(byte[] sent) throws IOException {
    try (Socket socket = connect()) {
      ByteArrayOutputStream received = new ByteArrayOutputStream();
      try {
        IOStreamPair streams = streams(socket);
        OutputStream out = streams.out;
        out.write(sent);
        out.flush();
        InputStream in = streams.in;
        byte[] buffer = new byte[8192];
        for (int count = in.read(buffer); count >= 0; count = in.read(buffer)) {
          received.write(buffer, 0, count);
        }
      } catch (SocketTimeoutException e) {
        throw e;
      } catch (SocketException closed) {
        // Refused.
      }
      return received.toByteArray();
    }
  }

  private byte[] framed(byte[] operation, boolean withPackets) throws IOException {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    try (RecordWriter writer =
        new RecordWriter(
            part -> {
              byte[] copy = new byte[part.remaining()];
              part.get(copy);
              all.writeBytes(copy);
            })) {
      writer.begin(new Capabilities(WireFormat.VERSION, List.of(1)));
      writer.bytes(operation, 0, operation.length);
      if (withPackets) {
        packets(writer);
      }
      writer.flush();
    }
    return all.toByteArray();
  }

  /**
   * Tries every attack on a block of others.
   *
   * @param secret bytes of the block, plain and as stored
   */
  void attack(List<byte[]> secret) throws Exception {
    ExtendedBlock fresh = new ExtendedBlock(victim.getBlockPoolId(), 1L << 40, 0, 5000);
    for (BlockConstructionStage stage :
        List.of(
            BlockConstructionStage.PIPELINE_SETUP_CREATE,
            BlockConstructionStage.PIPELINE_SETUP_APPEND,
            BlockConstructionStage.PIPELINE_SETUP_STREAMING_RECOVERY,
            BlockConstructionStage.PIPELINE_CLOSE_RECOVERY,
            BlockConstructionStage.TRANSFER_FINALIZED)) {
      for (ExtendedBlock block : List.of(victim, fresh)) {
        byte[] request = write(block, stage);
        assertSecret(secret, exchange(framed(request, true)));
        assertSecret(secret, exchange(request));
      }
    }
    assertThat(datanode.getFSDataset().contains(fresh)).isFalse();
    Token<BlockTokenIdentifier> shown = token == null ? new Token<>() : token;
    byte[] read =
        bytes(
            sender ->
                sender.readBlock(
                    victim,
                    shown,
                    "client",
                    0,
                    victim.getNumBytes(),
                    true,
                    CachingStrategy.newDefaultStrategy()));
    byte[] copy = bytes(sender -> sender.copyBlock(victim, shown));
    for (byte[] request : List.of(read, copy)) {
      assertSecret(secret, exchange(request));
      assertSecret(secret, exchange(framed(request, false)));
    }
    ask();
  }

  private static void assertSecret(List<byte[]> secret, byte[] received) {
    String text = new String(received, StandardCharsets.ISO_8859_1);
    for (byte[] part : secret) {
      assertThat(text.contains(new String(part, StandardCharsets.ISO_8859_1)))
          .as("bytes of a block of others in %d bytes", received.length)
          .isFalse();
    }
  }

  /** Asks whether a chunk exists, which only DataNodes may know. */
  private void ask() throws Exception {
    byte[] probe = exchange(Preamble.encode(WireFormat.PROBE));
    if (token == null) {
      assertThat(new String(probe, StandardCharsets.ISO_8859_1)).doesNotStartWith("HDRF");
      byte[] asked = exchange(Preamble.encode(WireFormat.ASK));
      assertThat(new String(asked, StandardCharsets.ISO_8859_1)).doesNotStartWith("HDRF");
      return;
    }
    long dialect = Capabilities.read(new java.io.ByteArrayInputStream(probe)).dialects().first();
    try (Socket socket = connect()) {
      IOStreamPair streams = streams(socket);
      streams.out.write(Preamble.encode(WireFormat.ASK));
      try (ChunkQueryStream stream = new ChunkQueryStream(streams.in, streams.out)) {
        stream.open(dialect, own.getBlockPoolId());
        ChunkQueryStream.Reply reply = stream.readReply();
        assertThat(reply.sessionId()).isNull();
        assertThat(reply.challenge()).isNotNull();
        stream.prove(
            new ChunkQueryStream.Proof(
                new byte[ChunkQueryStream.PROOF_LENGTH], token.getIdentifier()));
        assertThatThrownBy(
                () -> {
                  if (stream.readGrant() == null) {
                    throw new IOException("refused");
                  }
                })
            .isInstanceOf(IOException.class);
      }
    }
  }

  /** Opens connections that stop in the middle, all at once. */
  void stall(int connections) throws Exception {
    List<Socket> sockets = new java.util.ArrayList<>();
    try {
      for (int i = 0; i < connections; i++) {
        Socket socket = connect();
        sockets.add(socket);
        socket.getOutputStream().write(Preamble.encode(i % 3), 0, 1 + i % 8);
      }
      assertThat(datanode.getXceiverCount()).isLessThan(connections + 10);
    } finally {
      for (Socket socket : sockets) {
        socket.close();
      }
    }
  }
}
