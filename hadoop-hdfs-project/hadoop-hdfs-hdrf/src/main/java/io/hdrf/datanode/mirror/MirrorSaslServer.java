/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode.mirror;

import io.hdrf.wire.Preamble;
import io.hdrf.wire.WireFormat;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.nio.channels.WritableByteChannel;
import org.apache.hadoop.hdfs.net.Peer;
import org.apache.hadoop.hdfs.protocol.DatanodeID;
import org.apache.hadoop.hdfs.protocol.datatransfer.IOStreamPair;
import org.apache.hadoop.hdfs.protocol.datatransfer.sasl.SaslDataTransferServer;
import org.apache.hadoop.hdfs.security.token.block.BlockPoolTokenSecretManager;
import org.apache.hadoop.hdfs.server.datanode.DNConf;
import org.apache.hadoop.net.SocketOutputStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells incoming connections of DataNodes with HDRF from all others by their first byte, above
 * SASL. All others are handed on as they are, with the very streams that they had.
 */
public final class MirrorSaslServer extends SaslDataTransferServer {

  private static final Logger LOG = LoggerFactory.getLogger(MirrorSaslServer.class);

  /**
   * The stream that this thread receives from another DataNode. The DataNode serves each connection
   * on a separate thread, and opens the connection to the next DataNode of a pipeline on the same
   * thread.
   */
  private static final ThreadLocal<MirrorInputStream> UPSTREAM = new ThreadLocal<>();

  private final Mirroring mirroring;
  private final int firstByteTimeout;
  private final long writeTimeout;

  /** The time-outs are the DataNode's own. */
  public MirrorSaslServer(DNConf dnConf, BlockPoolTokenSecretManager tokens, Mirroring mirroring) {
    super(dnConf, tokens);
    this.mirroring = mirroring;
    this.firstByteTimeout = dnConf.getSocketTimeout();
    this.writeTimeout = dnConf.getSocketWriteTimeout();
  }

  /** Returns the stream that this thread receives from another DataNode as records, or null. */
  static MirrorInputStream upstream() {
    return UPSTREAM.get();
  }

  @Override
  public IOStreamPair receive(
      Peer peer,
      OutputStream underlyingOut,
      InputStream underlyingIn,
      int xferPort,
      DatanodeID datanodeId)
      throws IOException {
    UPSTREAM.remove();
    IOStreamPair streams = super.receive(peer, underlyingOut, underlyingIn, xferPort, datanodeId);
    if (!mirroring.isEnabled() || peer.getDomainSocket() != null) {
      return streams;
    }
    // Stock code waits as long for the first operation.
    peer.setReadTimeout(firstByteTimeout);
    Preamble preamble;
    try {
      preamble = Preamble.read(streams.in);
    } catch (IOException e) {
      return new IOStreamPair(new FailingInput(e), streams.out);
    }
    if (!preamble.isHdrf()) {
      return new IOStreamPair(new PrefixedInput(preamble.bytes(), streams.in), streams.out);
    }
    if (preamble.version() == WireFormat.VERSION && preamble.kind() == WireFormat.STREAM) {
      return framed(peer, streams, preamble.bytes().length, underlyingOut);
    }
    if (preamble.version() == WireFormat.VERSION && preamble.kind() == WireFormat.ASK) {
      mirroring.queries().answer(peer, streams, name(peer));
    } else if (preamble.kind() == WireFormat.PROBE) {
      // Without an answer blocks come plain for half a minute.
      if (!mirroring.memory().isScarce()) {
        streams.out.write(mirroring.own().encode());
        streams.out.flush();
      }
    } else {
      LOG.warn(
          "{} speaks version {} of HDRF's protocol, kind {}; this DataNode speaks {}",
          peer.getRemoteAddressString(),
          preamble.version(),
          preamble.kind(),
          WireFormat.VERSION);
    }
    return new IOStreamPair(new ByteArrayInputStream(new byte[0]), streams.out);
  }

  /** The other side's name in metrics, without the port. */
  private static String name(Peer peer) {
    String address = peer.getRemoteAddressString();
    String stripped = address.startsWith("/") ? address.substring(1) : address;
    int colon = stripped.lastIndexOf(':');
    return colon < 0 ? stripped : stripped.substring(0, colon);
  }

  private IOStreamPair framed(
      Peer peer, IOStreamPair streams, int readBefore, OutputStream underlyingOut)
      throws IOException {
    String name = name(peer);
    MirrorOutput out = MirrorOutput.ofServer(mirroring, streams.out);
    MirrorInputStream[] self = new MirrorInputStream[1];
    MirrorInputStream in =
        new MirrorInputStream(
            mirroring,
            streams.in,
            readBefore,
            name,
            transfer -> {
              if (transfer.isCopy()) {
                // The port differs from connection to connection.
                out.beginReply(
                    transfer, InetSocketAddress.createUnresolved(name, 0), self[0].peer());
              }
            });
    self[0] = in;
    UPSTREAM.set(in);
    if (underlyingOut instanceof SocketOutputStream) {
      WritableByteChannel channel = ((SocketOutputStream) underlyingOut).getChannel();
      return new IOStreamPair(in, new MirrorSocketOutputStream(out, channel, writeTimeout));
    }
    return new IOStreamPair(in, out);
  }

  /** The bytes read before, and then the rest. */
  private static final class PrefixedInput extends InputStream {
    private final byte[] prefix;
    private final InputStream in;
    private int next;

    PrefixedInput(byte[] prefix, InputStream in) {
      this.prefix = prefix;
      this.in = in;
    }

    @Override
    public int read() throws IOException {
      return next < prefix.length ? prefix[next++] & 0xFF : in.read();
    }

    @Override
    public int read(byte[] bytes, int offset, int length) throws IOException {
      if (next == prefix.length || length == 0) {
        return in.read(bytes, offset, length);
      }
      int count = Math.min(length, prefix.length - next);
      System.arraycopy(prefix, next, bytes, offset, count);
      next += count;
      return count;
    }

    @Override
    public int available() throws IOException {
      return prefix.length - next + in.available();
    }

    @Override
    public void close() throws IOException {
      in.close();
    }
  }

  /** Fails where stock code expects a connection to fail: when it reads the first operation. */
  private static final class FailingInput extends InputStream {
    private final IOException failure;

    FailingInput(IOException failure) {
      this.failure = failure;
    }

    @Override
    public int read() throws IOException {
      throw failure;
    }

    @Override
    public int read(byte[] bytes, int offset, int length) throws IOException {
      throw failure;
    }
  }
}
