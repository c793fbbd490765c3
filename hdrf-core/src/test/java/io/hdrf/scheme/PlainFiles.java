/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.scheme;

import io.hdrf.io.DurableFile;
import io.hdrf.io.DurableFiles;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;

/** Files that promise no more than the platform does. */
final class PlainFiles implements DurableFiles {

  @Override
  public DurableFile create(Path file) throws IOException {
    FileChannel channel =
        FileChannel.open(
            file, StandardOpenOption.CREATE_NEW, StandardOpenOption.READ, StandardOpenOption.WRITE);
    return new Open(channel);
  }

  @Override
  public void copyMode(Path model, Path target) throws IOException {
    Files.setPosixFilePermissions(target, Files.getPosixFilePermissions(model));
  }

  @Override
  public void rename(Path from, Path to) throws IOException {
    Files.move(from, to, StandardCopyOption.ATOMIC_MOVE);
  }

  @Override
  public void deleteIfExists(Path path) throws IOException {
    Files.deleteIfExists(path);
  }

  @Override
  public void createDirectories(Path directory) throws IOException {
    Files.createDirectories(directory);
  }

  @Override
  public void forceDirectory(Path directory) throws IOException {
    try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
      channel.force(true);
    }
  }

  private record Open(FileChannel channel) implements DurableFile {
    @Override
    public void write(ByteBuffer src, long position) throws IOException {
      for (long at = position; src.hasRemaining(); ) {
        at += channel.write(src, at);
      }
    }

    @Override
    public int read(ByteBuffer dst, long position) throws IOException {
      int start = dst.position();
      for (long at = position; dst.hasRemaining(); ) {
        int count = channel.read(dst, at);
        if (count < 0) {
          break;
        }
        at += count;
      }
      return dst.position() - start;
    }

    @Override
    public void setLength(long length) throws IOException {
      if (length < channel.size()) {
        channel.truncate(length);
      } else if (length > channel.size()) {
        channel.write(ByteBuffer.allocate(1), length - 1);
      }
    }

    @Override
    public long length() throws IOException {
      return channel.size();
    }

    @Override
    public void force() throws IOException {
      channel.force(false);
    }

    @Override
    public void close() throws IOException {
      channel.close();
    }
  }
}
