/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode.wire;

import io.hdrf.wire.AskStream;
import java.io.Closeable;
import java.io.IOException;

/** A connection to another DataNode, behind the preamble, on which this one asks. */
final class AskConnection implements Closeable {

  /** Connects. */
  interface Source {
    /** A new connection. */
    AskConnection connect() throws IOException;
  }

  private final AskStream stream;
  private final String address;
  private final Closeable socket;

  /**
   * @param address where it goes, as of {@link PeerProofs#address}
   * @param socket ends it
   */
  AskConnection(AskStream stream, String address, Closeable socket) {
    this.stream = stream;
    this.address = address;
    this.socket = socket;
  }

  AskStream stream() {
    return stream;
  }

  String address() {
    return address;
  }

  /** Ends the connection, whoever uses it. The stream's buffers are not given back. */
  @Override
  public void close() throws IOException {
    socket.close();
  }
}
