/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.container;

import io.hdrf.codec.dedup.container.format.ContainerDirectory;
import io.hdrf.codec.dedup.container.format.ContainerFooter;
import io.hdrf.codec.dedup.container.format.ContainerFormat;
import io.hdrf.codec.dedup.container.format.ContainerHeader;
import io.hdrf.codec.dedup.container.format.ContainerNames;
import io.hdrf.codec.dedup.container.format.ContainerScanner;
import io.hdrf.codec.dedup.container.format.DirectoryFormat;
import io.hdrf.spi.io.ChannelFile;
import io.hdrf.spi.io.CorruptFileException;
import io.hdrf.spi.io.DiskErrors;
import io.hdrf.spi.scheme.CorruptFrameException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Loads sealed containers. Where a directory is damaged, or the disk can't read it, it is made
 * again from the groups, in memory. Safe for use by many threads.
 */
class ContainerLoader {

  private static final Logger LOG = LoggerFactory.getLogger(ContainerLoader.class);

  private final ContainerContext context;

  ContainerLoader(ContainerContext context) {
    this.context = context;
  }

  /** Loads a container's file; the caller releases it. */
  LoadedContainer load(Container container) throws IOException {
    Path path = context.file(container.id(), ContainerNames.SEALED);
    ChannelFile file;
    try {
      file = ChannelFile.open(path);
    } catch (NoSuchFileException e) {
      throw new MissingChunkException(path + ": there is no such file");
    }
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

  private LoadedContainer load(Container container, Path path, ChannelFile file)
      throws IOException {
    ContainerFooter footer = null;
    ContainerDirectory content = null;
    IOException readError = null;
    try {
      footer = ContainerFooter.read(path, file);
      content = footer.readDirectory(path, file);
    } catch (CorruptFileException e) {
      LOG.warn("{}; its directory is made again from its groups", e.getMessage());
    } catch (IOException e) {
      if (!DiskErrors.isReadError(e)) {
        throw e;
      }
      LOG.warn("{}: {}; its directory is made again from its groups", path, e.getMessage());
      readError = e;
    }
    ContainerHeader header = footer != null ? footer.header() : header(path, file, readError);
    header.check(path, container.id(), context.settings().identity());
    if (content != null) {
      ContainerDirectory read = content;
      return new LoadedContainer(path, header, file, () -> read, context.chains());
    }
    return rebuild(path, file, header, footer, readError);
  }

  /** Where the footer can't be read; it may be another time, even if the header is damaged. */
  private static ContainerHeader header(Path path, ChannelFile file, IOException readError)
      throws IOException {
    try {
      return ContainerHeader.read(path, file);
    } catch (CorruptFileException e) {
      throw readError != null ? readError : e;
    }
  }

  private LoadedContainer rebuild(
      Path path,
      ChannelFile file,
      ContainerHeader header,
      ContainerFooter footer,
      IOException readError)
      throws IOException {
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
    ContainerDirectory found = scanner.directory();
    boolean whole = !scanner.hasDamage();
    if (footer != null) {
      whole &= scanner.endOfGroups() == end && found.chunkCount() == footer.chunkCount();
    } else {
      whole &= hasDirectoryAt(file, scanner.endOfGroups());
    }
    if (whole) {
      return new LoadedContainer(
          path, header, file, () -> found, context.chains(), LoadedContainer.Origin.REBUILT, null);
    }
    return new LoadedContainer(
        path,
        header,
        file,
        () -> found,
        context.chains(),
        LoadedContainer.Origin.LOSSY,
        scanner.hasUnreadable() ? scanner.readError() : readError);
  }

  private static boolean hasDirectoryAt(ChannelFile file, long position) throws IOException {
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
