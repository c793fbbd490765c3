/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.container;

import io.hdrf.codec.dedup.container.format.ContainerDirectory;
import io.hdrf.codec.dedup.container.format.ContainerFooter;
import io.hdrf.codec.dedup.container.format.ContainerFormat;
import io.hdrf.codec.dedup.container.format.ContainerHeader;
import io.hdrf.codec.dedup.container.format.ContainerNames;
import io.hdrf.codec.dedup.container.format.ContainerScanner;
import io.hdrf.codec.dedup.container.format.DirectoryFormat;
import io.hdrf.codec.dedup.container.format.GroupIndex;
import io.hdrf.spi.io.BufferPool;
import io.hdrf.spi.io.ChannelFile;
import io.hdrf.spi.io.CorruptFileException;
import io.hdrf.spi.io.DiskErrors;
import io.hdrf.spi.io.ReadableFile;
import io.hdrf.spi.scheme.CorruptFrameException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Loads sealed containers: their group index, or the directory where there is none. Where that is
 * damaged, or the disk can't read it, the directory is made again from the groups, in memory. Safe
 * for use by many threads.
 */
class ContainerLoader {

  private static final Logger LOG = LoggerFactory.getLogger(ContainerLoader.class);

  /**
   * So much of a file's end is read at once. It has the group index of some 2700 groups, 256 MiB or
   * more of the default size.
   */
  private static final int TAIL = 32 << 10;

  private final ContainerContext context;

  ContainerLoader(ContainerContext context) {
    this.context = context;
  }

  /** Loads a container's file; the caller releases it. */
  LoadedContainer load(Container container) throws IOException {
    Path path = context.file(container.id(), ContainerNames.SEALED);
    ChannelFile file = open(path);
    boolean loaded = false;
    try {
      LoadedContainer result = load(container, path, file);
      loaded = true;
      return result;
    } catch (CorruptFileException e) {
      throw new CorruptFrameException(e.getMessage(), e);
    } finally {
      if (!loaded) {
        file.close();
      }
    }
  }

  /** Loads the directory of a container. */
  LoadedDirectory loadDirectory(Container container) throws IOException {
    Path path = context.file(container.id(), ContainerNames.SEALED);
    try (ChannelFile file = open(path)) {
      return loadDirectory(container, path, file);
    }
  }

  /** Returns the directory of a container that was loaded just now, of the very same file. */
  LoadedDirectory loadDirectory(Container container, LoadedContainer source) throws IOException {
    LoadedDirectory known = source.known();
    return known != null ? known : loadDirectory(container, source.path(), source.file());
  }

  private LoadedDirectory loadDirectory(Container container, Path path, ReadableFile file)
      throws IOException {
    try {
      Found found = new Found();
      ContainerDirectory content =
          found.tryTo(
              path,
              () -> {
                found.footer = ContainerFooter.read(path, file);
                return found.footer.readDirectory(path, file);
              });
      ContainerHeader header = header(container, path, file, found);
      return content != null
          ? new LoadedDirectory(content, LoadedDirectory.Origin.WRITTEN, null)
          : rebuild(path, file, header, found);
    } catch (CorruptFileException e) {
      throw new CorruptFrameException(e.getMessage(), e);
    }
  }

  private static ChannelFile open(Path path) throws IOException {
    try {
      return ChannelFile.open(path);
    } catch (NoSuchFileException e) {
      throw new MissingChunkException(path + ": there is no such file");
    }
  }

  private LoadedContainer load(Container container, Path path, ChannelFile file)
      throws IOException {
    Found found = new Found();
    LoadedContainer loaded = found.tryTo(path, () -> read(path, file, found));
    ContainerHeader header = header(container, path, file, found);
    if (loaded != null) {
      return loaded;
    }
    LoadedDirectory directory = rebuild(path, file, header, found);
    return new LoadedContainer(
        path,
        header,
        file,
        directory::content,
        context.chains(),
        directory.origin(),
        directory.readError());
  }

  private LoadedContainer read(Path path, ChannelFile file, Found found) throws IOException {
    ByteBuffer tail = BufferPool.shared().take(TAIL);
    try {
      boolean whole = readTail(file, tail);
      found.footer =
          whole
              ? ContainerFooter.ofTail(path, tail, file.length())
              : ContainerFooter.read(path, file);
      ContainerHeader header = found.footer.header();
      if (!header.hasGroupIndex()) {
        ContainerDirectory content = found.footer.readDirectory(path, file);
        return new LoadedContainer(path, header, file, () -> content, context.chains());
      }
      GroupIndex groups = found.footer.readGroups(path, file, whole ? tail : null);
      return new LoadedContainer(path, header, file, groups, context.chains());
    } finally {
      BufferPool.shared().give(tail);
    }
  }

  /** Returns false if the disk can't read all of it: the footer may still be sound. */
  private static boolean readTail(ChannelFile file, ByteBuffer tail) throws IOException {
    try {
      file.read(tail, Math.max(0, file.length() - TAIL));
      tail.flip();
      return tail.remaining() >= ContainerFooter.LENGTH;
    } catch (IOException e) {
      if (!DiskErrors.isReadError(e)) {
        throw e;
      }
      return false;
    }
  }

  /** What is known of a file after an attempt to read it. */
  private static final class Found {
    private ContainerFooter footer;
    private IOException readError;

    private interface Reading<T> {
      T read() throws IOException;
    }

    /** Null if what was to be read is damaged, or the disk can't read it. */
    <T> T tryTo(Path path, Reading<T> reading) throws IOException {
      try {
        return reading.read();
      } catch (CorruptFileException e) {
        LOG.warn("{}; its directory is made again from its groups", e.getMessage());
      } catch (IOException e) {
        if (!DiskErrors.isReadError(e)) {
          throw e;
        }
        LOG.warn("{}: {}; its directory is made again from its groups", path, e.getMessage());
        readError = e;
      }
      return null;
    }
  }

  private ContainerHeader header(Container container, Path path, ReadableFile file, Found found)
      throws IOException {
    ContainerHeader header =
        found.footer != null ? found.footer.header() : header(path, file, found.readError);
    header.check(path, container.id(), context.settings().identity());
    return header;
  }

  /** Where the footer can't be read; it may be another time, even if the header is damaged. */
  private static ContainerHeader header(Path path, ReadableFile file, IOException readError)
      throws IOException {
    try {
      return ContainerHeader.read(path, file);
    } catch (CorruptFileException e) {
      throw readError != null ? readError : e;
    }
  }

  private LoadedDirectory rebuild(Path path, ReadableFile file, ContainerHeader header, Found found)
      throws IOException {
    ContainerFooter footer = found.footer;
    long end = footer != null ? footer.directoryPosition() : file.length();
    ContainerScanner scanner =
        new ContainerScanner(
            path,
            file,
            header,
            context.chains().chain(header.chainIds()),
            context.fingerprinter(),
            end);
    scanner.scan();
    if (scanner.undecodable() != null) {
      // A scheme fails, which says nothing of the file.
      throw scanner.undecodable();
    }
    ContainerDirectory content = scanner.directory();
    boolean whole = !scanner.hasDamage();
    if (footer != null) {
      whole &= scanner.endOfGroups() == end && content.chunkCount() == footer.chunkCount();
    } else {
      whole &= hasDirectoryAt(file, scanner.endOfGroups());
    }
    return whole
        ? new LoadedDirectory(content, LoadedDirectory.Origin.REBUILT, null)
        : new LoadedDirectory(
            content,
            LoadedDirectory.Origin.LOSSY,
            scanner.hasUnreadable() ? scanner.readError() : found.readError);
  }

  private static boolean hasDirectoryAt(ReadableFile file, long position) throws IOException {
    ByteBuffer magic = ByteBuffer.allocate(Integer.BYTES);
    try {
      file.read(magic, position);
    } catch (IOException e) {
      if (!DiskErrors.isReadError(e)) {
        throw e;
      }
      return false;
    }
    magic.flip();
    return magic.remaining() == Integer.BYTES
        && ContainerFormat.littleEndian(magic).getInt() == DirectoryFormat.MAGIC;
  }
}
