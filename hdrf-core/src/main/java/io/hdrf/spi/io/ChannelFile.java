/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.spi.io;

import io.hdrf.jni.NativeFiles;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * A file read through a {@link FileChannel}. Safe for use by many threads, but an interrupt of one
 * of them closes the channel for all: share it only among threads that are never interrupted.
 */
public final class ChannelFile implements ReadableFile {

  /**
   * For one advice Linux reads no more than it reads ahead for the disk, or the disk takes in one
   * request, which is 1280 KiB for most; it drops the rest.
   */
  private static final int MAX_ADVICE = 512 << 10;

  private final FileChannel channel;

  /**
   * @param channel open for reading; closed together with this object
   */
  public ChannelFile(FileChannel channel) {
    this.channel = channel;
  }

  /** Opens a file for reading. */
  public static ChannelFile open(Path file) throws IOException {
    return new ChannelFile(FileChannel.open(file, StandardOpenOption.READ));
  }

  @Override
  public int read(ByteBuffer dst, long position) throws IOException {
    return readFully(channel, dst, position);
  }

  @Override
  public boolean prefetch(long position, long length) {
    boolean started = true;
    for (long done = 0; started && done < length; done += MAX_ADVICE) {
      long part = Math.min(MAX_ADVICE, length - done);
      started = NativeFiles.fadvise(channel, position + done, part, NativeFiles.Advice.WILLNEED);
    }
    return started;
  }

  @Override
  public long length() throws IOException {
    return channel.size();
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }

  static int readFully(FileChannel channel, ByteBuffer dst, long position) throws IOException {
    int total = 0;
    while (dst.hasRemaining()) {
      int n;
      try {
        n = channel.read(dst, position + total);
      } catch (IOException e) {
        throw DiskErrors.ofRead(e);
      }
      if (n < 0) {
        break;
      }
      total += n;
    }
    return total;
  }
}
