/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode.mirror;

import java.io.BufferedInputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;

/**
 * The answers on a connection that this DataNode opened: HDFS's own bytes, or records where it
 * asked for a block to be copied. For one thread at a time.
 */
final class CopyReply extends FilterInputStream {

  /** Some acknowledgements, each of which HDFS reads in two parts. */
  private static final int ACKNOWLEDGEMENTS = 512;

  private final Mirroring mirroring;
  private final PeerLink peer;
  private final Acknowledgements acknowledgements;

  /** Null where nothing is copied from the peer. */
  private MirrorInputStream copied;

  private final byte[] single = new byte[1];

  /**
   * @param acknowledgements are counted if this asks for no block to be copied
   */
  CopyReply(Mirroring mirroring, InputStream in, PeerLink peer, Acknowledgements acknowledgements) {
    super(in);
    this.acknowledgements = acknowledgements;
    this.mirroring = mirroring;
    this.peer = peer;
  }

  /** Takes note of the request before it is sent. */
  void expect(BlockTransfer transfer) {
    if (transfer.isCopy()) {
      copied = new MirrorInputStream(mirroring, in, 0, peer.name(), request -> {});
      copied.expect(transfer);
      in = copied;
    } else {
      in = new BufferedInputStream(in, ACKNOWLEDGEMENTS);
    }
  }

  @Override
  public int read() throws IOException {
    return read(single, 0, 1) < 0 ? -1 : single[0] & 0xFF;
  }

  @Override
  public int read(byte[] bytes, int offset, int length) throws IOException {
    int count = length == 0 ? 0 : receive(bytes, offset, length);
    if (in != copied) {
      acknowledgements.read(bytes, offset, Math.max(0, count));
    }
    return count;
  }

  /**
   * A peer that closes or resets a connection may come back as another one: above all one that ends
   * in the middle of a block, after its reply. Asking it again takes one short connection; not
   * asking, a pipeline that breaks.
   */
  private int receive(byte[] bytes, int offset, int length) throws IOException {
    int count;
    try {
      count = in.read(bytes, offset, length);
    } catch (InterruptedIOException e) {
      // The peer is slow, or this side waits no longer.
      throw e;
    } catch (IOException e) {
      mirroring.broken(peer);
      throw e;
    }
    if (count < 0) {
      mirroring.broken(peer);
    }
    return count;
  }
}
