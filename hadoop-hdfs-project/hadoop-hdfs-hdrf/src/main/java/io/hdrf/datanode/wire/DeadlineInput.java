/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode.wire;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.SocketTimeoutException;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hdfs.net.Peer;

/**
 * What a peer sends, all of which must have come by a certain time until that is {@link #lift}ed: a
 * time-out for each read would let it send a byte now and then for ever. For one thread.
 */
final class DeadlineInput extends FilterInputStream {

  private final Peer peer;
  private final long deadline;
  private boolean lifted;

  /**
   * @param in what comes from the peer, on the connection whose time-out {@code peer} sets
   * @param millis from now to the deadline
   */
  DeadlineInput(InputStream in, Peer peer, int millis) {
    super(in);
    this.peer = peer;
    this.deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
  }

  /** From now on each read may take so long. */
  void lift(int readTimeoutMillis) {
    try {
      peer.setReadTimeout(readTimeoutMillis);
      lifted = true;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void hurry() throws IOException {
    if (!lifted) {
      long millis = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
      if (millis <= 0) {
        throw new SocketTimeoutException("the peer takes too long to say who it is");
      }
      peer.setReadTimeout((int) millis);
    }
  }

  @Override
  public int read() throws IOException {
    hurry();
    return super.read();
  }

  @Override
  public int read(byte[] bytes, int offset, int length) throws IOException {
    hurry();
    return super.read(bytes, offset, length);
  }
}
