/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode.read;

import io.hdrf.block.ReducedBlock;
import io.hdrf.datanode.mirror.StoredFrameSource;
import io.hdrf.read.FrameReader;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.NonWritableChannelException;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.WritableByteChannel;
import java.util.function.LongConsumer;

/**
 * A read-only channel whose bytes are a reduced block's decoded ones. {@link #transferTo} writes
 * decoded frames to the socket from the buffer they were decoded into. For one thread.
 */
final class DecodedBlockChannel extends FileChannel implements StoredFrameSource {

  private final FrameReader reader;
  private final Closeable file;
  private final LongConsumer onEnd;
  private long position;
  private long handedOut;

  /**
   * @param file what the reader reads from; closed with the channel
   * @param onEnd receives the number of decoded bytes that were handed out, before the file is
   *     closed
   */
  DecodedBlockChannel(FrameReader reader, Closeable file, long position, LongConsumer onEnd) {
    this.reader = reader;
    this.file = file;
    this.position = position;
    this.onEnd = onEnd;
  }

  @Override
  public ReducedBlock storedBlock() {
    return reader.block();
  }

  @Override
  public void readStored(int frame, ByteBuffer dst) throws IOException {
    requireOpen();
    reader.readStored(frame, dst);
    handedOut += reader.block().frames().originalLength(frame);
  }

  private void requireOpen() throws ClosedChannelException {
    if (!isOpen()) {
      throw new ClosedChannelException();
    }
  }

  @Override
  public int read(ByteBuffer dst) throws IOException {
    int count = read(dst, position);
    if (count > 0) {
      position += count;
    }
    return count;
  }

  @Override
  public long read(ByteBuffer[] dsts, int offset, int length) throws IOException {
    long total = 0;
    for (int i = offset; i < offset + length; i++) {
      while (dsts[i].hasRemaining()) {
        int count = read(dsts[i]);
        if (count < 0) {
          return total == 0 ? -1 : total;
        }
        total += count;
      }
    }
    return total;
  }

  @Override
  public int read(ByteBuffer dst, long from) throws IOException {
    requireOpen();
    if (from < 0) {
      throw new IllegalArgumentException("negative position " + from);
    }
    if (from >= reader.length()) {
      return -1;
    }
    int total = 0;
    while (dst.hasRemaining() && from + total < reader.length()) {
      ByteBuffer bytes = limited(reader.at(from + total), dst.remaining());
      total += bytes.remaining();
      dst.put(bytes);
    }
    handedOut += total;
    return total;
  }

  @Override
  public long transferTo(long from, long count, WritableByteChannel target) throws IOException {
    requireOpen();
    if (from < 0 || count < 0) {
      throw new IllegalArgumentException("negative position or count");
    }
    long total = 0;
    while (total < count && from + total < reader.length()) {
      ByteBuffer bytes = limited(reader.at(from + total), count - total);
      int wanted = bytes.remaining();
      int written = target.write(bytes);
      total += written;
      if (written < wanted) {
        break;
      }
    }
    handedOut += total;
    return total;
  }

  private static ByteBuffer limited(ByteBuffer bytes, long count) {
    if (bytes.remaining() > count) {
      bytes.limit(bytes.position() + (int) count);
    }
    return bytes;
  }

  @Override
  public long position() throws IOException {
    requireOpen();
    return position;
  }

  @Override
  public FileChannel position(long newPosition) throws IOException {
    requireOpen();
    if (newPosition < 0) {
      throw new IllegalArgumentException("negative position " + newPosition);
    }
    position = newPosition;
    return this;
  }

  @Override
  public long size() throws IOException {
    requireOpen();
    return reader.length();
  }

  @Override
  public void force(boolean metaData) {}

  @Override
  public int write(ByteBuffer src) {
    throw new NonWritableChannelException();
  }

  @Override
  public long write(ByteBuffer[] srcs, int offset, int length) {
    throw new NonWritableChannelException();
  }

  @Override
  public int write(ByteBuffer src, long to) {
    throw new NonWritableChannelException();
  }

  @Override
  public FileChannel truncate(long size) {
    throw new NonWritableChannelException();
  }

  @Override
  public long transferFrom(ReadableByteChannel src, long to, long count) {
    throw new NonWritableChannelException();
  }

  @Override
  public MappedByteBuffer map(MapMode mode, long from, long size) throws IOException {
    throw new IOException("a reduced block can't be mapped");
  }

  @Override
  public FileLock lock(long from, long size, boolean shared) throws IOException {
    throw new IOException("a reduced block can't be locked");
  }

  @Override
  public FileLock tryLock(long from, long size, boolean shared) throws IOException {
    throw new IOException("a reduced block can't be locked");
  }

  @Override
  protected void implCloseChannel() throws IOException {
    try {
      reader.close();
    } finally {
      try {
        onEnd.accept(handedOut);
      } finally {
        file.close();
      }
    }
  }
}
