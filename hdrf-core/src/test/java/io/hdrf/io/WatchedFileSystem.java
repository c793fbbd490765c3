/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.io;

import java.io.IOException;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.SeekableByteChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.file.AccessMode;
import java.nio.file.CopyOption;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileStore;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.nio.file.WatchService;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.FileAttributeView;
import java.nio.file.attribute.UserPrincipalLookupService;
import java.nio.file.spi.FileSystemProvider;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The default file system, with a watch that is called before a file is opened or read and before a
 * directory is listed, and may make that fail. Code under test reads files by their paths alone, so
 * it needs no hook for this. Thread-safe.
 */
public final class WatchedFileSystem extends FileSystem {

  /** Called before each reading operation, on its thread. */
  public interface Watch {

    /** Before a file is opened to be read, or a directory to be listed. */
    void opening(Path path) throws IOException;

    /**
     * Before bytes are read.
     *
     * @param length how many are wanted, at least 1
     * @return how many are to be read at most, at least 1
     */
    int reading(Path path, long position, int length) throws IOException;

    /** Before attributes are read. */
    default void looking(Path path) throws IOException {}

    /** Before an entry of a directory is shown. */
    default void listing(Path entry) throws IOException {}
  }

  private final FileSystem real = FileSystems.getDefault();
  private final Provider provider = new Provider();
  private final Watch watch;
  private final Set<FileChannel> open = ConcurrentHashMap.newKeySet();

  public WatchedFileSystem(Watch watch) {
    this.watch = watch;
  }

  /** A path of this file system for one of the default one. */
  public Path path(Path path) {
    return new WatchedPath(this, WatchedPath.real(path));
  }

  /** Closes what was opened and not closed: a process that ended has nothing open. */
  public void closeAll() {
    for (FileChannel channel : new ArrayList<>(open)) {
      try {
        channel.close();
      } catch (IOException e) {
        throw new IllegalStateException(e);
      }
    }
  }

  @Override
  public FileSystemProvider provider() {
    return provider;
  }

  @Override
  public void close() {
    throw new UnsupportedOperationException();
  }

  @Override
  public boolean isOpen() {
    return true;
  }

  @Override
  public boolean isReadOnly() {
    return false;
  }

  @Override
  public String getSeparator() {
    return real.getSeparator();
  }

  @Override
  public Iterable<Path> getRootDirectories() {
    List<Path> roots = new ArrayList<>();
    real.getRootDirectories().forEach(root -> roots.add(path(root)));
    return roots;
  }

  @Override
  public Iterable<FileStore> getFileStores() {
    return real.getFileStores();
  }

  @Override
  public Set<String> supportedFileAttributeViews() {
    return real.supportedFileAttributeViews();
  }

  @Override
  public Path getPath(String first, String... more) {
    return path(real.getPath(first, more));
  }

  @Override
  public PathMatcher getPathMatcher(String syntaxAndPattern) {
    PathMatcher matcher = real.getPathMatcher(syntaxAndPattern);
    return path -> matcher.matches(WatchedPath.real(path));
  }

  @Override
  public UserPrincipalLookupService getUserPrincipalLookupService() {
    return real.getUserPrincipalLookupService();
  }

  @Override
  public WatchService newWatchService() {
    throw new UnsupportedOperationException();
  }

  private final class Provider extends FileSystemProvider {
    private final FileSystemProvider files = real.provider();

    @Override
    public String getScheme() {
      return "watched";
    }

    @Override
    public FileSystem newFileSystem(URI uri, Map<String, ?> env) {
      throw new UnsupportedOperationException();
    }

    @Override
    public FileSystem getFileSystem(URI uri) {
      return WatchedFileSystem.this;
    }

    @Override
    public Path getPath(URI uri) {
      return path(files.getPath(uri));
    }

    @Override
    public SeekableByteChannel newByteChannel(
        Path path, Set<? extends OpenOption> options, FileAttribute<?>... attributes)
        throws IOException {
      return newFileChannel(path, options, attributes);
    }

    @Override
    public FileChannel newFileChannel(
        Path path, Set<? extends OpenOption> options, FileAttribute<?>... attributes)
        throws IOException {
      watch.opening(WatchedPath.real(path));
      FileChannel channel = files.newFileChannel(WatchedPath.real(path), options, attributes);
      FileChannel watched = new Channel(channel, WatchedPath.real(path));
      open.add(watched);
      return watched;
    }

    @Override
    public DirectoryStream<Path> newDirectoryStream(
        Path directory, DirectoryStream.Filter<? super Path> filter) throws IOException {
      watch.opening(WatchedPath.real(directory));
      // In an order that can be had again.
      List<Path> found = new ArrayList<>();
      try (DirectoryStream<Path> stream = Files.newDirectoryStream(WatchedPath.real(directory))) {
        for (Path entry : stream) {
          if (filter.accept(path(entry))) {
            found.add(path(entry));
          }
        }
      }
      Collections.sort(found);
      return new DirectoryStream<>() {
        @Override
        public Iterator<Path> iterator() {
          Iterator<Path> entries = found.iterator();
          return new Iterator<>() {
            @Override
            public boolean hasNext() {
              return entries.hasNext();
            }

            @Override
            public Path next() {
              Path entry = entries.next();
              try {
                watch.listing(WatchedPath.real(entry));
              } catch (IOException e) {
                throw new DirectoryIteratorException(e);
              }
              return entry;
            }
          };
        }

        @Override
        public void close() {}
      };
    }

    @Override
    public void createDirectory(Path directory, FileAttribute<?>... attributes) throws IOException {
      files.createDirectory(WatchedPath.real(directory), attributes);
    }

    @Override
    public void delete(Path path) throws IOException {
      files.delete(WatchedPath.real(path));
    }

    @Override
    public void copy(Path source, Path target, CopyOption... options) throws IOException {
      files.copy(WatchedPath.real(source), WatchedPath.real(target), options);
    }

    @Override
    public void move(Path source, Path target, CopyOption... options) throws IOException {
      files.move(WatchedPath.real(source), WatchedPath.real(target), options);
    }

    @Override
    public boolean isSameFile(Path path, Path other) throws IOException {
      return files.isSameFile(WatchedPath.real(path), WatchedPath.real(other));
    }

    @Override
    public boolean isHidden(Path path) throws IOException {
      return files.isHidden(WatchedPath.real(path));
    }

    @Override
    public FileStore getFileStore(Path path) throws IOException {
      return files.getFileStore(WatchedPath.real(path));
    }

    @Override
    public void checkAccess(Path path, AccessMode... modes) throws IOException {
      files.checkAccess(WatchedPath.real(path), modes);
    }

    @Override
    public <V extends FileAttributeView> V getFileAttributeView(
        Path path, Class<V> type, LinkOption... options) {
      return files.getFileAttributeView(WatchedPath.real(path), type, options);
    }

    @Override
    public <A extends BasicFileAttributes> A readAttributes(
        Path path, Class<A> type, LinkOption... options) throws IOException {
      watch.looking(WatchedPath.real(path));
      return files.readAttributes(WatchedPath.real(path), type, options);
    }

    @Override
    public Map<String, Object> readAttributes(Path path, String attributes, LinkOption... options)
        throws IOException {
      return files.readAttributes(WatchedPath.real(path), attributes, options);
    }

    @Override
    public void setAttribute(Path path, String attribute, Object value, LinkOption... options)
        throws IOException {
      files.setAttribute(WatchedPath.real(path), attribute, value, options);
    }
  }

  private final class Channel extends FileChannel {
    private final FileChannel channel;
    private final Path path;

    Channel(FileChannel channel, Path path) {
      this.channel = channel;
      this.path = path;
    }

    @Override
    public int read(ByteBuffer dst) throws IOException {
      int count = read(dst, channel.position());
      if (count > 0) {
        channel.position(channel.position() + count);
      }
      return count;
    }

    @Override
    public long read(ByteBuffer[] dsts, int offset, int length) {
      throw new UnsupportedOperationException();
    }

    @Override
    public int read(ByteBuffer dst, long position) throws IOException {
      if (!dst.hasRemaining()) {
        return channel.read(dst, position);
      }
      int most = watch.reading(path, position, dst.remaining());
      int limit = dst.limit();
      dst.limit(dst.position() + Math.min(most, dst.remaining()));
      try {
        return channel.read(dst, position);
      } finally {
        dst.limit(limit);
      }
    }

    @Override
    public int write(ByteBuffer src) throws IOException {
      return channel.write(src);
    }

    @Override
    public long write(ByteBuffer[] srcs, int offset, int length) throws IOException {
      return channel.write(srcs, offset, length);
    }

    @Override
    public int write(ByteBuffer src, long position) throws IOException {
      return channel.write(src, position);
    }

    @Override
    public long position() throws IOException {
      return channel.position();
    }

    @Override
    public FileChannel position(long newPosition) throws IOException {
      channel.position(newPosition);
      return this;
    }

    @Override
    public long size() throws IOException {
      return channel.size();
    }

    @Override
    public FileChannel truncate(long size) throws IOException {
      channel.truncate(size);
      return this;
    }

    @Override
    public void force(boolean metaData) throws IOException {
      channel.force(metaData);
    }

    @Override
    public long transferTo(long position, long count, WritableByteChannel target)
        throws IOException {
      return channel.transferTo(position, count, target);
    }

    @Override
    public long transferFrom(ReadableByteChannel src, long position, long count)
        throws IOException {
      return channel.transferFrom(src, position, count);
    }

    @Override
    public MappedByteBuffer map(MapMode mode, long position, long size) throws IOException {
      return channel.map(mode, position, size);
    }

    @Override
    public FileLock lock(long position, long size, boolean shared) throws IOException {
      return channel.lock(position, size, shared);
    }

    @Override
    public FileLock tryLock(long position, long size, boolean shared) throws IOException {
      return channel.tryLock(position, size, shared);
    }

    @Override
    protected void implCloseChannel() throws IOException {
      open.remove(this);
      channel.close();
    }
  }
}
