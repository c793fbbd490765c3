/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.container;

import io.hdrf.codec.dedup.container.format.ContainerDirectory;
import io.hdrf.codec.dedup.container.format.ContainerHeader;
import io.hdrf.codec.dedup.container.format.ContainerNames;
import io.hdrf.codec.dedup.container.format.ContainerScanner;
import io.hdrf.spi.io.BufferPool;
import io.hdrf.spi.io.ChannelFile;
import io.hdrf.spi.io.CorruptFileException;
import io.hdrf.spi.io.DiskErrors;
import io.hdrf.spi.io.DurableFile;
import io.hdrf.spi.io.UnknownFormatVersionException;
import io.hdrf.spi.scheme.FrameChain;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds the containers of a store that is opened. Those that were open when the process ended are
 * sealed, and can be read even where that fails; damage other than by a torn write is left as it
 * is. Others are only listed. For one thread.
 */
final class ContainerRecovery {

  private static final Logger LOG = LoggerFactory.getLogger(ContainerRecovery.class);

  private static final int PIECE = 1 << 20;

  private final ContainerContext context;
  private final ConcurrentSkipListMap<Long, Container> containers;

  /**
   * @param containers gets those that are found
   */
  ContainerRecovery(ContainerContext context, ConcurrentSkipListMap<Long, Container> containers) {
    this.context = context;
    this.containers = containers;
  }

  /** Adds all containers that there are to those of the store. */
  void findContainers() throws IOException {
    List<String> names;
    try (Stream<Path> list = Files.list(context.directory())) {
      names = list.map(path -> path.getFileName().toString()).collect(Collectors.toList());
    }
    SortedMap<Long, Path> unsealed = new TreeMap<>();
    for (String name : names) {
      long sealed = ContainerNames.id(name, ContainerNames.SEALED);
      long open = ContainerNames.id(name, ContainerNames.OPEN);
      if (sealed >= 0) {
        containers.put(sealed, new Container(sealed));
      } else if (open >= 0) {
        unsealed.put(open, context.directory().resolve(name));
      } else if (ContainerNames.id(name, ContainerNames.TEMPORARY) >= 0) {
        context.files().deleteIfExists(context.directory().resolve(name));
      }
    }
    for (Map.Entry<Long, Path> file : unsealed.entrySet()) {
      recover(file.getKey(), file.getValue());
    }
  }

  /** Deals with a container that was open when the process ended. */
  private void recover(long id, Path path) throws IOException {
    if (containers.containsKey(id)) {
      // The sealed copy was forced before it got its name.
      context.files().deleteIfExists(path);
      return;
    }
    Container container = new Container(id);
    container.setFoundOpen(true);
    try {
      if (!read(container, path)) {
        context.files().deleteIfExists(path);
        return;
      }
    } catch (IOException e) {
      LOG.error("{} could not be recovered and is left as it is: {}", path, e.toString());
      container.setProblem(e);
    }
    containers.put(id, container);
  }

  /**
   * Looks again at a container of the store that could not be recovered, or not all of it. It is
   * read as it was before until more is known.
   *
   * @return false if the disk can't read more of it than before
   * @throws IOException if that is for another reason than the disk
   */
  boolean recoverAgain(Container container) throws IOException {
    Path path = context.file(container.id(), ContainerNames.OPEN);
    try {
      if (!read(container, path)) {
        if (container.open() != null) {
          return false;
        }
        context.files().deleteIfExists(path);
        containers.remove(container.id());
      }
    } catch (CorruptFileException | UnknownFormatVersionException e) {
      if (container.open() == null) {
        container.setProblem(e);
      }
      throw e;
    } catch (IOException e) {
      if (DiskErrors.isReadError(e)) {
        return false;
      }
      throw e;
    }
    return true;
  }

  /**
   * Returns false, and has changed nothing, if there is nothing in the file, or nothing more than
   * is known of it.
   */
  private boolean read(Container container, Path path) throws IOException {
    try (ChannelFile file = ChannelFile.open(path)) {
      ContainerHeader header = readHeaderOf(path, file);
      if (header == null) {
        // Groups are written only after the header was forced.
        return false;
      }
      header.check(path, container.id(), context.settings().identity());
      FrameChain chain = context.chains().chain(header.chainIds());
      ContainerScanner scanner =
          new ContainerScanner(path, file, header, chain, context.fingerprinter(), file.length());
      scanner.scan();
      if (scanner.undecodable() != null) {
        // No torn write, and so never to be cut off.
        throw scanner.undecodable();
      }
      if (scanner.directory().chunkCount() == 0 && file.length() == ContainerHeader.LENGTH) {
        return false;
      }
      ContainerDirectory found = scanner.directory();
      OpenContainer known = container.open();
      if (known != null && !isBetter(found, known.written(), scanner.hasUnreadable())) {
        return false;
      }
      boolean damaged = scanner.hasDamage() || scanner.hasUnreadable();
      IOException notForced = writeAgain(path, found);
      OpenContainer open =
          new OpenContainer(
              container, header, context, found, damaged, scanner.readError(), notForced);
      container.setOpen(open);
      // Only now: with neither it is taken for a sealed one.
      container.setProblem(null);
      if (known != null) {
        known.close();
      }
      LOG.info(
          "{}: has {} chunks, up to byte {} of {}",
          path,
          found.chunkCount(),
          scanner.endOfGroups(),
          file.length());
      if (damaged) {
        LOG.error(
            "{} is damaged. It is left as it is until no block needs what can't be read in it",
            path);
      } else {
        end(open, path);
      }
      return true;
    }
  }

  /** Whether a later look found all that is known, and more or all that there is. */
  private static boolean isBetter(
      ContainerDirectory found, ContainerDirectory known, boolean isPart) {
    BitSet lost = known.numbers();
    lost.andNot(found.numbers());
    return lost.isEmpty() && (!isPart || found.chunkCount() > known.chunkCount());
  }

  /**
   * Makes the sound part of a file durable, in its place. Where a force had failed before the
   * process ended, pages that never reached the disk may lie in the cache as clean ones, which no
   * force would write: so all are written again.
   *
   * @return why that can't be done, or null
   */
  private IOException writeAgain(Path path, ContainerDirectory content) {
    try (DurableFile file = context.files().open(path)) {
      long start = 0;
      long end = ContainerHeader.LENGTH;
      for (int g = 0; g < content.groupCount(); g++) {
        if (content.groupPosition(g) != end) {
          writeAgain(file, start, end);
          start = content.groupPosition(g);
        }
        end = content.groupEnd(g);
      }
      writeAgain(file, start, end);
      file.force();
      return null;
    } catch (IOException e) {
      LOG.warn("{} can't be written again: {}", path, e.toString());
      return e;
    }
  }

  private static void writeAgain(DurableFile file, long start, long end) throws IOException {
    ByteBuffer bytes = BufferPool.shared().take(PIECE);
    try {
      for (long position = start; position < end; position += PIECE) {
        bytes.clear();
        bytes.limit((int) Math.min(PIECE, end - position));
        file.read(bytes, position);
        bytes.flip();
        int count = bytes.remaining();
        file.write(bytes, position);
        file.beginWriting(position, count);
      }
    } finally {
      BufferPool.shared().give(bytes);
    }
  }

  private static void end(OpenContainer open, Path path) {
    try {
      open.end();
    } catch (IOException e) {
      LOG.warn("{} can't be sealed now, and is read as it is: {}", path, e.toString());
    }
  }

  /** The header of a container that was open; null if it is a torn one with nothing behind it. */
  private static ContainerHeader readHeaderOf(Path path, ChannelFile file) throws IOException {
    try {
      return ContainerHeader.read(path, file);
    } catch (CorruptFileException e) {
      if (file.length() > ContainerHeader.LENGTH) {
        throw e;
      }
      return null;
    }
  }
}
