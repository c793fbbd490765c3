/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.jni;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.WritableByteChannel;

/** A channel that is not the JDK's own. */
final class ForwardingFileChannel extends FileChannel {

  private final FileChannel to;

  ForwardingFileChannel(FileChannel to) {
    this.to = to;
  }

  @Override
  public int read(ByteBuffer dst) throws IOException {
    return to.read(dst);
  }

  @Override
  public long read(ByteBuffer[] dsts, int offset, int length) throws IOException {
    return to.read(dsts, offset, length);
  }

  @Override
  public int write(ByteBuffer src) throws IOException {
    return to.write(src);
  }

  @Override
  public long write(ByteBuffer[] srcs, int offset, int length) throws IOException {
    return to.write(srcs, offset, length);
  }

  @Override
  public long position() throws IOException {
    return to.position();
  }

  @Override
  public FileChannel position(long newPosition) throws IOException {
    to.position(newPosition);
    return this;
  }

  @Override
  public long size() throws IOException {
    return to.size();
  }

  @Override
  public FileChannel truncate(long size) throws IOException {
    to.truncate(size);
    return this;
  }

  @Override
  public void force(boolean metaData) throws IOException {
    to.force(metaData);
  }

  @Override
  public long transferTo(long position, long count, WritableByteChannel target) throws IOException {
    return to.transferTo(position, count, target);
  }

  @Override
  public long transferFrom(ReadableByteChannel src, long position, long count) throws IOException {
    return to.transferFrom(src, position, count);
  }

  @Override
  public int read(ByteBuffer dst, long position) throws IOException {
    return to.read(dst, position);
  }

  @Override
  public int write(ByteBuffer src, long position) throws IOException {
    return to.write(src, position);
  }

  @Override
  public MappedByteBuffer map(MapMode mode, long position, long size) throws IOException {
    return to.map(mode, position, size);
  }

  @Override
  public FileLock lock(long position, long size, boolean shared) throws IOException {
    return to.lock(position, size, shared);
  }

  @Override
  public FileLock tryLock(long position, long size, boolean shared) throws IOException {
    return to.tryLock(position, size, shared);
  }

  @Override
  protected void implCloseChannel() throws IOException {
    to.close();
  }
}
