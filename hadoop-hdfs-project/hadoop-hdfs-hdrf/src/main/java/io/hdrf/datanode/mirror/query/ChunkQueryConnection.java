/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode.mirror.query;

import io.hdrf.wire.ChunkQueryStream;
import java.io.Closeable;
import java.io.IOException;

/** A connection to another DataNode, behind the preamble, on which this one asks. */
public final class ChunkQueryConnection implements Closeable {

  /** Connects. */
  public interface Source {
    /** A new connection. */
    ChunkQueryConnection connect() throws IOException;
  }

  private final ChunkQueryStream stream;
  private final String address;
  private final Closeable socket;

  /**
   * @param address where it goes, as of {@link BlockKeyProofs#address}
   * @param socket ends it
   */
  public ChunkQueryConnection(ChunkQueryStream stream, String address, Closeable socket) {
    this.stream = stream;
    this.address = address;
    this.socket = socket;
  }

  ChunkQueryStream stream() {
    return stream;
  }

  String address() {
    return address;
  }

  /** Ends the connection, even while it is used. The stream's buffers are not given back. */
  @Override
  public void close() throws IOException {
    socket.close();
  }
}
