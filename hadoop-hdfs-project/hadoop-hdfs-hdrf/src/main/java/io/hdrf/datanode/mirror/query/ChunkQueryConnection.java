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

  /** Sets how long the other side's next bytes may take. */
  public interface Patience {
    /** From the next read on. */
    void set(long millis) throws IOException;
  }

  private final ChunkQueryStream stream;
  private final String address;
  private final Closeable socket;
  private final Patience patience;

  /**
   * @param address where it goes, as of {@link BlockKeyProofs#address}
   * @param socket ends it
   * @param patience of the stream, little at first
   */
  public ChunkQueryConnection(
      ChunkQueryStream stream, String address, Closeable socket, Patience patience) {
    this.patience = patience;
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

  /** Waits for answers as long as a writer may rest. */
  void expectRest() throws IOException {
    patience.set(ChunkQueries.REST_MILLIS);
  }

  /** Ends the connection, even while it is used. The stream's buffers are not given back. */
  @Override
  public void close() throws IOException {
    socket.close();
  }
}
