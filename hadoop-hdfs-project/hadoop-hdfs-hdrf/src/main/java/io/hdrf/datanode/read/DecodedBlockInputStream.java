/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode.read;

import java.io.File;
import java.io.FileInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;

/**
 * A reduced block as the stream that the DataNode expects. It is a {@link FileInputStream}, because
 * the DataNode sends those with {@link FileChannel#transferTo} in large packets, and others in
 * packets of {@code io.file.buffer.size}.
 *
 * <p>Its descriptor is one of the null device: the DataNode's advice to the kernel about it has no
 * effect. It must not be passed to a client, which would find the block empty.
 */
public final class DecodedBlockInputStream extends FileInputStream {

  private static final File NULL_DEVICE = new File("/dev/null");

  private final DecodedBlockChannel channel;
  private final byte[] single = new byte[1];

  DecodedBlockInputStream(DecodedBlockChannel channel) throws IOException {
    super(NULL_DEVICE);
    this.channel = channel;
  }

  @Override
  public FileChannel getChannel() {
    return channel;
  }

  @Override
  public int read() throws IOException {
    return read(single, 0, 1) < 0 ? -1 : single[0] & 0xFF;
  }

  @Override
  public int read(byte[] bytes) throws IOException {
    return read(bytes, 0, bytes.length);
  }

  @Override
  public int read(byte[] bytes, int offset, int length) throws IOException {
    return length == 0 ? 0 : channel.read(ByteBuffer.wrap(bytes, offset, length));
  }

  @Override
  public long skip(long count) throws IOException {
    long skipped = Math.max(0, Math.min(count, channel.size() - channel.position()));
    channel.position(channel.position() + skipped);
    return skipped;
  }

  @Override
  public int available() throws IOException {
    return (int) Math.max(0, Math.min(Integer.MAX_VALUE, channel.size() - channel.position()));
  }

  @Override
  public void close() throws IOException {
    try {
      channel.close();
    } finally {
      super.close();
    }
  }
}
