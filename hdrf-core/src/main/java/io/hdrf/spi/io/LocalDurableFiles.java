/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.spi.io;

import io.hdrf.jni.NativeFiles;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Set;

/**
 * {@link DurableFiles} on a local POSIX file system. Interrupting a thread that works on a file
 * closes that file, as with any {@link FileChannel}.
 */
public final class LocalDurableFiles implements DurableFiles {

  /** The only instance; it has no state. */
  public static final LocalDurableFiles INSTANCE = new LocalDurableFiles();

  private static final FileAttribute<Set<PosixFilePermission>> OWNER_ONLY =
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));

  private static final String MODE = "unix:mode";
  private static final int MODE_BITS = 07777;

  private LocalDurableFiles() {}

  @Override
  public DurableFile create(Path file) throws IOException {
    Files.createFile(file, OWNER_ONLY);
    return new LocalFile(new RandomAccessFile(file.toFile(), "rw"));
  }

  @Override
  public DurableFile open(Path file) throws IOException {
    if (!Files.isRegularFile(file)) {
      throw new NoSuchFileException(file.toString());
    }
    return new LocalFile(new RandomAccessFile(file.toFile(), "rw"));
  }

  /** Copies the raw mode, since {@link PosixFilePermission} knows no sticky bit. */
  @Override
  public void copyMode(Path model, Path target) throws IOException {
    int mode = (Integer) Files.getAttribute(model, MODE) & MODE_BITS;
    Files.setAttribute(target, MODE, mode);
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
    Deque<Path> missing = new ArrayDeque<>();
    Path parent = directory.toAbsolutePath().normalize();
    while (parent != null && !Files.isDirectory(parent)) {
      missing.push(parent);
      parent = parent.getParent();
    }
    if (parent != null && parent.getParent() != null) {
      // A process killed after it made this directory may have left a name that only seems durable.
      forceDirectory(parent.getParent());
    }
    for (Path next : missing) {
      try {
        Files.createDirectory(next);
      } catch (FileAlreadyExistsException e) {
        if (!Files.isDirectory(next)) {
          throw e;
        }
      }
      forceDirectory(next.getParent());
    }
  }

  @Override
  public void forceDirectory(Path directory) throws IOException {
    try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
      channel.force(true);
    }
  }

  private static final class LocalFile implements DurableFile {
    private final RandomAccessFile file;
    private final FileChannel channel;

    LocalFile(RandomAccessFile file) {
      this.file = file;
      this.channel = file.getChannel();
    }

    @Override
    public void write(ByteBuffer src, long position) throws IOException {
      long at = position;
      while (src.hasRemaining()) {
        at += channel.write(src, at);
      }
    }

    @Override
    public int read(ByteBuffer dst, long position) throws IOException {
      return ChannelFile.readFully(channel, dst, position);
    }

    /** Uses the file, because a channel can't extend without allocating. */
    @Override
    public void setLength(long length) throws IOException {
      file.setLength(length);
    }

    @Override
    public long length() throws IOException {
      return channel.size();
    }

    @Override
    public void beginWriting(long position, long length) {
      NativeFiles.beginWriting(channel, position, length);
    }

    @Override
    public void force() throws IOException {
      channel.force(false);
    }

    @Override
    public void close() throws IOException {
      file.close();
    }
  }
}
