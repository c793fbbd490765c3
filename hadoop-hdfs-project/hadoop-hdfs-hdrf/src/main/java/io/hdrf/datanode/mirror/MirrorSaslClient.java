/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode.mirror;

import io.hdrf.datanode.mirror.query.BlockKeyProofs;
import io.hdrf.datanode.mirror.query.ChunkQueryConnection;
import io.hdrf.wire.Capabilities;
import io.hdrf.wire.ChunkQueryStream;
import io.hdrf.wire.Preamble;
import io.hdrf.wire.WireFormat;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.channels.SocketChannel;
import javax.crypto.SecretKey;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.protocol.DatanodeID;
import org.apache.hadoop.hdfs.protocol.datatransfer.IOStreamPair;
import org.apache.hadoop.hdfs.protocol.datatransfer.TrustedChannelResolver;
import org.apache.hadoop.hdfs.protocol.datatransfer.sasl.DataEncryptionKeyFactory;
import org.apache.hadoop.hdfs.protocol.datatransfer.sasl.SaslDataTransferClient;
import org.apache.hadoop.hdfs.security.token.block.BlockTokenIdentifier;
import org.apache.hadoop.net.NetUtils;
import org.apache.hadoop.net.SocketInputWrapper;
import org.apache.hadoop.security.SaslPropertiesResolver;
import org.apache.hadoop.security.token.Token;

/**
 * Puts HDRF's streams above those that SASL negotiated, on connections that the DataNode opens to
 * write, transfer or replace a block on another one that has HDRF. Every other connection is as in
 * stock HDFS.
 */
public final class MirrorSaslClient extends SaslDataTransferClient {

  /** Makes sockets. */
  public interface SocketSource {
    /** A socket that is not connected. */
    Socket newSocket() throws IOException;
  }

  private final Mirroring mirroring;
  private final long writeTimeout;
  private final SocketSource sockets;

  /**
   * @param writeTimeout in milliseconds
   * @param sockets makes sockets as the DataNode does
   */
  public MirrorSaslClient(
      Configuration conf,
      SaslPropertiesResolver saslPropsResolver,
      TrustedChannelResolver trustedChannelResolver,
      Mirroring mirroring,
      long writeTimeout,
      SocketSource sockets) {
    super(conf, saslPropsResolver, trustedChannelResolver);
    this.mirroring = mirroring;
    this.writeTimeout = writeTimeout;
    this.sockets = sockets;
  }

  /** The arguments of a handshake besides the connection. */
  private final class Handshake {
    private final DataEncryptionKeyFactory keys;
    private final Token<BlockTokenIdentifier> token;
    private final DatanodeID datanode;
    private final SecretKey secret;

    Handshake(
        DataEncryptionKeyFactory keys,
        Token<BlockTokenIdentifier> token,
        DatanodeID datanode,
        SecretKey secret) {
      this.keys = keys;
      this.token = token;
      this.datanode = datanode;
      this.secret = secret;
    }

    IOStreamPair on(Socket socket, OutputStream out, InputStream in) throws IOException {
      return MirrorSaslClient.super.socketSend(socket, out, in, keys, token, datanode, secret);
    }
  }

  @Override
  public IOStreamPair socketSend(
      Socket socket,
      OutputStream underlyingOut,
      InputStream underlyingIn,
      DataEncryptionKeyFactory encryptionKeyFactory,
      Token<BlockTokenIdentifier> accessToken,
      DatanodeID datanodeId,
      SecretKey secretKey)
      throws IOException {
    Handshake handshake = new Handshake(encryptionKeyFactory, accessToken, datanodeId, secretKey);
    PeerLink peer = null;
    if (mirroring.sends()) {
      InetSocketAddress address = (InetSocketAddress) socket.getRemoteSocketAddress();
      peer =
          mirroring.link(address, () -> probe(address, handshake), () -> ask(address, handshake));
    }
    IOStreamPair streams = handshake.on(socket, underlyingOut, underlyingIn);
    if (peer == null) {
      return streams;
    }
    // What comes in records goes on in them, as it may have to go on by reference.
    MirrorInputStream upstream = MirrorSaslServer.upstream();
    LinkMeter plain = upstream == null ? mirroring.plainMeter(peer) : null;
    return plain == null ? framed(socket, streams, peer, upstream) : measured(streams, peer, plain);
  }

  /** The streams of stock HDFS; where they break, the peer may not be what it was. */
  private IOStreamPair measured(IOStreamPair streams, PeerLink peer, LinkMeter meter)
      throws IOException {
    return new IOStreamPair(
        new CopyReply(mirroring, streams.in, peer, new Acknowledgements()),
        MeasuredOutput.of(streams.out, writeTimeout, meter, mirroring.counters()::sentPlain));
  }

  private IOStreamPair framed(
      Socket socket, IOStreamPair streams, PeerLink peer, MirrorInputStream upstream)
      throws IOException {
    Acknowledgements acknowledgements = new Acknowledgements();
    CopyReply in = new CopyReply(mirroring, streams.in, peer, acknowledgements);
    MirrorOutput out =
        MirrorOutput.ofClient(mirroring, streams.out, peer, upstream, acknowledgements, in::expect);
    SocketChannel channel = socket.getChannel();
    return new IOStreamPair(
        in, channel == null ? out : new MirrorSocketOutputStream(out, channel, writeTimeout));
  }

  /** Connects once more, to ask for chunks. */
  private ChunkQueryConnection ask(InetSocketAddress address, Handshake handshake)
      throws IOException {
    Socket socket = sockets.newSocket();
    boolean connected = false;
    try {
      SocketInputWrapper in = connect(socket, address);
      IOStreamPair streams = begin(socket, in, handshake, WireFormat.ASK);
      connected = true;
      return new ChunkQueryConnection(
          new ChunkQueryStream(streams.in, streams.out),
          BlockKeyProofs.address(address),
          socket,
          in::setTimeout);
    } finally {
      if (!connected) {
        socket.close();
      }
    }
  }

  /** Asks on a separate connection, since a stock DataNode closes it. */
  private Capabilities probe(InetSocketAddress address, Handshake handshake) throws IOException {
    try (Socket socket = sockets.newSocket()) {
      SocketInputWrapper in = connect(socket, address);
      return Capabilities.read(begin(socket, in, handshake, WireFormat.PROBE).in)
          .knownTo(mirroring.own());
    }
  }

  /** Connects; what comes then has as long as a probe. */
  private SocketInputWrapper connect(Socket socket, InetSocketAddress address) throws IOException {
    int timeout = mirroring.probeTimeoutMillis();
    NetUtils.connect(socket, address, timeout);
    socket.setTcpNoDelay(true);
    return NetUtils.getInputStream(socket, timeout);
  }

  /** Says what the connection is for. */
  private IOStreamPair begin(Socket socket, InputStream in, Handshake handshake, int kind)
      throws IOException {
    IOStreamPair streams =
        handshake.on(socket, NetUtils.getOutputStream(socket, mirroring.probeTimeoutMillis()), in);
    streams.out.write(Preamble.encode(kind));
    streams.out.flush();
    return streams;
  }
}
