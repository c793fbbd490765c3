/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.wire;

import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.ReadableByteChannel;

/** Bytes in a stream that has to be read as a channel. */
abstract class ChannelInput extends InputStream implements ReadableByteChannel {

  private final ByteBuffer bytes;

  ChannelInput(byte[] bytes) {
    this.bytes = ByteBuffer.wrap(bytes);
  }

  /**
   * Returns the maximum number of bytes of the next read, at least 1.
   *
   * @param position how many bytes were read before
   */
  abstract int limit(ByteBuffer dst, int position);

  @Override
  public final int read(ByteBuffer dst) {
    int limit = Math.min(limit(dst, bytes.position()), dst.remaining());
    if (!bytes.hasRemaining()) {
      return -1;
    }
    int count = Math.min(bytes.remaining(), limit);
    dst.put(bytes.slice(bytes.position(), count));
    bytes.position(bytes.position() + count);
    return count;
  }

  @Override
  public final int read() {
    throw new AssertionError("read as a stream");
  }

  @Override
  public final int read(byte[] dst, int offset, int length) {
    throw new AssertionError("read as a stream");
  }

  @Override
  public final boolean isOpen() {
    return true;
  }
}
