/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.store.redis;

import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.SocketTimeoutException;
import java.util.concurrent.TimeUnit;

/**
 * A socket all of whose reads together end in time: each byte may come in time, and all of them
 * never end. TLS reads many times before it hands anything on, in the handshake and in a record, so
 * that only the socket below it can tell. For one thread.
 */
final class TimedSocket extends Socket {

  private final long timeoutNanos;
  private long deadline;

  TimedSocket(int timeoutMillis) {
    this.timeoutNanos = TimeUnit.MILLISECONDS.toNanos(timeoutMillis);
  }

  /** Allows time for the answers to something that is about to be sent. */
  void begin() {
    deadline = System.nanoTime() + timeoutNanos;
  }

  @Override
  public void connect(SocketAddress address, int timeoutMillis) throws IOException {
    begin();
    super.connect(address, timeoutMillis);
  }

  @Override
  public InputStream getInputStream() throws IOException {
    return new TimedInputStream(super.getInputStream());
  }

  private int leftMillis() throws SocketTimeoutException {
    long left = deadline - System.nanoTime();
    if (left <= 0) {
      throw new SocketTimeoutException("Read timed out");
    }
    // 0 would stand for ever.
    return (int) Math.max(1, TimeUnit.NANOSECONDS.toMillis(left));
  }

  /** Skips by reading, so that no way leads around {@link #read}. */
  private final class TimedInputStream extends InputStream {
    private final InputStream in;

    TimedInputStream(InputStream in) {
      this.in = in;
    }

    @Override
    public int read() throws IOException {
      byte[] one = new byte[1];
      return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
    }

    @Override
    public int read(byte[] bytes, int offset, int length) throws IOException {
      setSoTimeout(leftMillis());
      return in.read(bytes, offset, length);
    }

    @Override
    public int available() throws IOException {
      return in.available();
    }

    @Override
    public void close() throws IOException {
      in.close();
    }
  }
}
