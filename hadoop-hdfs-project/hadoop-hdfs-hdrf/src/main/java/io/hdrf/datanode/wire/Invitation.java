/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode.wire;

import io.hdrf.wire.AskStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.SocketTimeoutException;
import java.security.SecureRandom;
import java.util.concurrent.TimeUnit;

/**
 * Waits for the connection of the DataNode that a block is copied to, which was invited to be asked
 * for the block's chunks. Only that DataNode is told the id. Thread-safe.
 */
final class Invitation implements AskConnection.Source, Closeable {

  private static final SecureRandom RANDOM = new SecureRandom();
  private static final int ID_LENGTH = 16;

  private final byte[] id = new byte[ID_LENGTH];
  private final int patienceMillis;

  // Guarded by the monitor
  private AskConnection connection;
  private boolean taken;
  private boolean closed;

  /**
   * @param patienceMillis how long {@link #connect} waits
   */
  Invitation(int patienceMillis) {
    this.patienceMillis = patienceMillis;
    RANDOM.nextBytes(id);
  }

  /** A copy. */
  byte[] id() {
    return id.clone();
  }

  /**
   * Waits for the connection, which is then the caller's with its stream; once.
   *
   * @throws IOException if it does not come in time; one that comes later is refused
   */
  @Override
  public synchronized AskConnection connect() throws IOException {
    long until = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(patienceMillis);
    try {
      while (connection == null && !closed) {
        long left = until - System.nanoTime();
        if (left <= 0) {
          throw new SocketTimeoutException(
              "the DataNode that a block is copied to did not come in "
                  + patienceMillis
                  + " ms to be asked for chunks");
        }
        TimeUnit.NANOSECONDS.timedWait(this, left);
      }
      if (closed) {
        throw new IOException("the block's copy has ended");
      }
      taken = true;
      return connection;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw (InterruptedIOException)
          new InterruptedIOException("interrupted while a connection is waited for").initCause(e);
    } finally {
      if (!taken) {
        close();
      }
    }
  }

  /**
   * Hands over the connection, and waits until it is of no more use.
   *
   * @param address of this DataNode, as of {@link PeerProofs#invited}
   * @param socket ends the connection
   * @return whether it was taken; then the stream is not the caller's any more
   */
  synchronized boolean serve(AskStream stream, String address, Closeable socket) {
    if (connection != null) {
      return false;
    }
    connection =
        new AskConnection(
            stream,
            address,
            () -> {
              close();
              socket.close();
            });
    notifyAll();
    try {
      while (!closed) {
        wait();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      close();
    }
    return taken;
  }

  /** The copy has ended, or goes on without questions. */
  @Override
  public synchronized void close() {
    closed = true;
    notifyAll();
  }
}
