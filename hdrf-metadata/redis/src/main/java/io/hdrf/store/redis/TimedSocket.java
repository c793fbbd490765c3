/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.store.redis;

import io.hdrf.spi.thread.HdrfThreads;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A socket that limits the time of all its reads and writes together. Each byte may come in time,
 * but the answer never end; and a server that reads nothing stops accepting bytes. TLS reads and
 * writes many times before it passes anything on, in the handshake and in a record, so only the
 * socket below it can limit the time. Java has no time-out for writes: the socket is closed during
 * one that takes too long. For one thread.
 */
final class TimedSocket extends Socket {

  private static final Logger LOG = LoggerFactory.getLogger(TimedSocket.class);

  /** The maximum number of bytes of all answers to one exchange, including those that TLS adds. */
  private static final long MAX_EXCHANGE = 2 * ReplyGuard.MAX_EXCHANGE;

  private static final ScheduledExecutorService CLOSER = closer();

  private final long timeoutNanos;
  private long deadline;

  /** The number of bytes that may come until {@link #begin} is called again. */
  private long bytesLeft;

  private long received;

  private static ScheduledExecutorService closer() {
    ScheduledThreadPoolExecutor closer =
        new ScheduledThreadPoolExecutor(1, HdrfThreads.factory("hdrf-redis-time-out"));
    closer.setRemoveOnCancelPolicy(true);
    return closer;
  }

  TimedSocket(int timeoutMillis) {
    this.timeoutNanos = TimeUnit.MILLISECONDS.toNanos(timeoutMillis);
  }

  /** Returns the number of all bytes received. */
  long received() {
    return received;
  }

  /** Begins a budget of time and bytes for the answers to the next commands. */
  void begin() {
    deadline = System.nanoTime() + timeoutNanos;
    bytesLeft = MAX_EXCHANGE;
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

  @Override
  public OutputStream getOutputStream() throws IOException {
    return new TimedOutputStream(super.getOutputStream());
  }

  private void closeBelowWriter() {
    try {
      close();
    } catch (IOException e) {
      LOG.debug("A connection can't be closed", e);
    }
  }

  private int leftMillis() throws SocketTimeoutException {
    long left = deadline - System.nanoTime();
    if (left <= 0) {
      throw new SocketTimeoutException("Read timed out");
    }
    // 0 would mean no limit.
    return (int) Math.max(1, TimeUnit.NANOSECONDS.toMillis(left));
  }

  /** Skips by reading, so that nothing bypasses {@link #read}. */
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
      int count = in.read(bytes, offset, length);
      received += Math.max(0, count);
      bytesLeft -= Math.max(0, count);
      if (bytesLeft < 0) {
        throw new SocketException("more than " + MAX_EXCHANGE + " bytes come at once");
      }
      return count;
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

  private final class TimedOutputStream extends OutputStream {
    private final OutputStream out;

    TimedOutputStream(OutputStream out) {
      this.out = out;
    }

    @Override
    public void write(int one) throws IOException {
      write(new byte[] {(byte) one}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
      Future<?> limit =
          CLOSER.schedule(
              TimedSocket.this::closeBelowWriter,
              deadline - System.nanoTime(),
              TimeUnit.NANOSECONDS);
      try {
        out.write(bytes, offset, length);
      } finally {
        limit.cancel(false);
      }
    }

    @Override
    public void close() throws IOException {
      out.close();
    }
  }
}
