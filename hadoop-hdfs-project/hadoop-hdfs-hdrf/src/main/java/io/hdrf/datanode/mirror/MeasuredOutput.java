/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode.mirror;

import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.function.LongConsumer;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.net.SocketOutputStream;

/** Streams of stock HDFS to a peer to which blocks go plain, with their writes measured. */
final class MeasuredOutput {

  private MeasuredOutput() {}

  /**
   * Returns a stream that writes through another one.
   *
   * @param out above SASL
   * @param timeout for writing to a socket, which the stream below has already, in milliseconds
   * @param onClose receives the number of bytes that were written
   */
  static OutputStream of(OutputStream out, long timeout, LinkMeter meter, LongConsumer onClose)
      throws IOException {
    return out instanceof SocketOutputStream
        ? new OnSocket((SocketOutputStream) out, timeout, meter, onClose)
        : new OnStream(out, meter, onClose);
  }

  /** What both kinds measure. For one thread at a time. */
  private static final class Measure {
    private final LinkMeter meter;
    private final LongConsumer onClose;
    private long bytes;

    Measure(LinkMeter meter, LongConsumer onClose) {
      this.meter = meter;
      this.onClose = onClose;
    }

    void wrote(int count, long from) {
      bytes += count;
      meter.wrote(count, from, System.nanoTime());
    }

    void close() {
      meter.end();
      onClose.accept(bytes);
      bytes = 0;
    }
  }

  /** A stream to which the DataNode can also send by channel. */
  private static final class OnSocket extends SocketOutputStream {
    private final SocketOutputStream out;
    private final Measure measure;

    OnSocket(SocketOutputStream out, long timeout, LinkMeter meter, LongConsumer onClose)
        throws IOException {
      super(out.getChannel(), timeout);
      this.out = out;
      this.measure = new Measure(meter, onClose);
    }

    @Override
    public void write(int value) throws IOException {
      out.write(value);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
      long from = System.nanoTime();
      out.write(bytes, offset, length);
      measure.wrote(length, from);
    }

    @Override
    public int write(ByteBuffer bytes) throws IOException {
      return out.write(bytes);
    }

    @Override
    public void waitForWritable() throws IOException {
      out.waitForWritable();
    }

    @Override
    public void transferToFully(
        FileChannel channel,
        long position,
        int count,
        LongWritable waitForWritableTime,
        LongWritable transferToTime)
        throws IOException {
      long from = System.nanoTime();
      out.transferToFully(channel, position, count, waitForWritableTime, transferToTime);
      measure.wrote(count, from);
    }

    @Override
    public synchronized void close() throws IOException {
      measure.close();
      out.close();
    }
  }

  private static final class OnStream extends FilterOutputStream {
    private final Measure measure;

    OnStream(OutputStream out, LinkMeter meter, LongConsumer onClose) {
      super(out);
      this.measure = new Measure(meter, onClose);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
      long from = System.nanoTime();
      out.write(bytes, offset, length);
      measure.wrote(length, from);
    }

    @Override
    public void close() throws IOException {
      measure.close();
      super.close();
    }
  }
}
