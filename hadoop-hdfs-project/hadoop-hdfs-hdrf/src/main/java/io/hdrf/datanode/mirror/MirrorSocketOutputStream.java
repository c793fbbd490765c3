/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode.mirror;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.WritableByteChannel;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.net.SocketOutputStream;

/**
 * A {@link MirrorOutput} as the stream to which the DataNode sends blocks by channel. Everything
 * goes through the {@link MirrorOutput}, and so through SASL where that is in use; the socket's own
 * channel is only what the parent class insists on.
 */
final class MirrorSocketOutputStream extends SocketOutputStream {

  private final MirrorOutput out;

  /**
   * @param socket the connection's channel
   * @param timeout for writing, in milliseconds
   */
  MirrorSocketOutputStream(MirrorOutput out, WritableByteChannel socket, long timeout)
      throws IOException {
    super(socket, timeout);
    this.out = out;
  }

  @Override
  public void write(int value) throws IOException {
    out.write(new byte[] {(byte) value}, 0, 1);
  }

  @Override
  public void write(byte[] bytes, int offset, int length) throws IOException {
    out.write(bytes, offset, length);
  }

  @Override
  public int write(ByteBuffer bytes) throws IOException {
    byte[] copy = new byte[bytes.remaining()];
    bytes.get(copy);
    out.write(copy, 0, copy.length);
    return copy.length;
  }

  @Override
  public void flush() throws IOException {
    out.flush();
  }

  @Override
  public void waitForWritable() {}

  @Override
  public void transferToFully(
      FileChannel channel,
      long position,
      int count,
      LongWritable waitForWritableTime,
      LongWritable transferToTime)
      throws IOException {
    long start = System.nanoTime();
    out.transferFrom(channel, position, count);
    if (waitForWritableTime != null) {
      waitForWritableTime.set(0);
    }
    if (transferToTime != null) {
      transferToTime.set(System.nanoTime() - start);
    }
  }

  @Override
  public synchronized void close() throws IOException {
    out.close();
  }
}
