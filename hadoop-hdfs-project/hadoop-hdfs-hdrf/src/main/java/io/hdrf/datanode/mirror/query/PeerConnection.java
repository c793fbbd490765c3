/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode.mirror.query;

import io.hdrf.wire.ProvedStream;
import java.io.Closeable;
import java.io.IOException;

/**
 * A connection that this DataNode has opened to another one, behind the preamble.
 *
 * @param <S> what it carries
 */
public final class PeerConnection<S extends ProvedStream> implements Closeable {

  /**
   * Connects.
   *
   * @param <S> as for the connection
   */
  public interface Source<S extends ProvedStream> {
    /** A new connection. */
    PeerConnection<S> connect() throws IOException;
  }

  private final S stream;
  private final String address;
  private final Closeable socket;

  /**
   * @param address where it goes, as of {@link BlockKeyProofs#address}
   * @param socket ends it
   */
  public PeerConnection(S stream, String address, Closeable socket) {
    this.stream = stream;
    this.address = address;
    this.socket = socket;
  }

  /** Returns what it carries. */
  public S stream() {
    return stream;
  }

  /** Where it goes, as of {@link BlockKeyProofs#address}. */
  public String address() {
    return address;
  }

  /** Ends the connection, even while it is used. The stream's buffers are not given back. */
  @Override
  public void close() throws IOException {
    socket.close();
  }
}
