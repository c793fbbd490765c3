/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode.mirror;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.ReadableByteChannel;

/** Counts the bytes that are read. For one thread. */
class CountingInput extends FilterInputStream {

  private long count;

  private CountingInput(InputStream in, long count) {
    super(in);
    this.count = count;
  }

  /**
   * Counts what is read of a stream; the result is a channel where the stream is.
   *
   * @param count how many bytes were read of it before
   */
  static CountingInput over(InputStream in, long count) {
    return in instanceof ReadableByteChannel
        ? new Channel(in, count)
        : new CountingInput(in, count);
  }

  long count() {
    return count;
  }

  @Override
  public int read() throws IOException {
    int next = super.read();
    count += next < 0 ? 0 : 1;
    return next;
  }

  @Override
  public int read(byte[] bytes, int offset, int length) throws IOException {
    int read = super.read(bytes, offset, length);
    count += Math.max(0, read);
    return read;
  }

  /** Reads into direct buffers without a copy in between. */
  private static final class Channel extends CountingInput implements ReadableByteChannel {
    private final ReadableByteChannel channel;

    Channel(InputStream in, long count) {
      super(in, count);
      this.channel = (ReadableByteChannel) in;
    }

    @Override
    public int read(ByteBuffer dst) throws IOException {
      int read = channel.read(dst);
      super.count += Math.max(0, read);
      return read;
    }

    @Override
    public boolean isOpen() {
      return channel.isOpen();
    }
  }
}
