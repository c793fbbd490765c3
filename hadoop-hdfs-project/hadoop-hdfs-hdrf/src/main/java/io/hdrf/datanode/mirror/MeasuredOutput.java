/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode.mirror;

import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.WritableByteChannel;
import org.apache.hadoop.net.SocketOutputStream;

/** Streams as in stock HDFS to a peer to which blocks go plain, which measure their writes. */
final class MeasuredOutput {

  private MeasuredOutput() {}

  /**
   * Returns a stream that writes through another one.
   *
   * @param out above SASL
   * @param timeout for writing to a socket without SASL, in milliseconds
   */
  static OutputStream of(OutputStream out, long timeout, LinkMeter meter) throws IOException {
    return out instanceof SocketOutputStream
        ? new OnSocket(((SocketOutputStream) out).getChannel(), timeout, meter)
        : new OnStream(out, meter);
  }

  /** A stream to which the DataNode can also send by channel, which is not measured. */
  private static final class OnSocket extends SocketOutputStream {
    private final LinkMeter meter;

    OnSocket(WritableByteChannel channel, long timeout, LinkMeter meter) throws IOException {
      super(channel, timeout);
      this.meter = meter;
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
      long from = System.nanoTime();
      super.write(bytes, offset, length);
      meter.wrote(length, from, System.nanoTime());
    }

    @Override
    public synchronized void close() throws IOException {
      meter.end();
      super.close();
    }
  }

  private static final class OnStream extends FilterOutputStream {
    private final LinkMeter meter;

    OnStream(OutputStream out, LinkMeter meter) {
      super(out);
      this.meter = meter;
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
      long from = System.nanoTime();
      out.write(bytes, offset, length);
      meter.wrote(length, from, System.nanoTime());
    }

    @Override
    public void close() throws IOException {
      meter.end();
      super.close();
    }
  }
}
