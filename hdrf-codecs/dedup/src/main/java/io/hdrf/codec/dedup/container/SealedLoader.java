/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.container;

import io.hdrf.io.ChannelFile;
import io.hdrf.io.CorruptFileException;
import io.hdrf.scheme.CorruptFrameException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.BitSet;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Loads sealed containers. Where a directory is damaged, it is made again from the groups, in
 * memory; what may have been lost with it is quarantined. Safe for use by many threads.
 */
final class SealedLoader implements ContainerCache.Loader {

  private static final Logger LOG = LoggerFactory.getLogger(SealedLoader.class);

  private final ContainerContext context;
  private final Quarantine quarantine;

  SealedLoader(ContainerContext context, Quarantine quarantine) {
    this.context = context;
    this.quarantine = quarantine;
  }

  @Override
  public LoadedContainer load(Container container) throws IOException {
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
    try {
      footer = ContainerFiles.readFooter(path, file);
      content = ContainerFiles.readDirectory(path, file, footer);
    } catch (CorruptFileException e) {
      LOG.warn("{}; its directory is made again from its groups", e.getMessage());
    }
    ContainerHeader header =
        footer != null ? footer.header() : ContainerFiles.readHeader(path, file);
    header.check(path, container.id(), context.settings().identity());
    if (content != null) {
      ContainerDirectory read = content;
      return new LoadedContainer(path, header, file, () -> read, context.chains());
    }
    return rebuild(container, path, file, header, footer);
  }

  private LoadedContainer rebuild(
      Container container,
      Path path,
      ChannelFile file,
      ContainerHeader header,
      ContainerFooter footer)
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
    ContainerDirectory found = scanner.directory();
    boolean whole = scanner.damaged().isEmpty() && !scanner.hasGaps();
    if (footer != null) {
      whole &= scanner.endOfGroups() == end && found.chunkCount() == footer.chunkCount();
    } else {
      whole &= hasDirectoryAt(file, scanner.endOfGroups());
    }
    if (!whole) {
      BitSet bad = scanner.damaged();
      bad.set(Math.min(scanner.nextNumber(), ContainerFormat.MAX_CHUNKS - 1));
      quarantine.add(container.id(), bad);
    }
    return new LoadedContainer(
        path,
        header,
        file,
        () -> found,
        context.chains(),
        whole ? LoadedContainer.Origin.REBUILT : LoadedContainer.Origin.LOSSY);
  }

  private static boolean hasDirectoryAt(ChannelFile file, long position) throws IOException {
    ByteBuffer magic = ByteBuffer.allocate(Integer.BYTES);
    file.read(magic, position);
    magic.flip();
    return magic.remaining() == Integer.BYTES
        && ContainerFormat.littleEndian(magic).getInt() == DirectoryFormat.MAGIC;
  }
}
