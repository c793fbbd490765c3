/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.container;

import io.hdrf.codec.dedup.container.format.ContainerDirectory;
import io.hdrf.codec.dedup.container.format.ContainerFooter;
import io.hdrf.codec.dedup.container.format.ContainerNames;
import io.hdrf.codec.dedup.container.format.GroupIndex;
import io.hdrf.spi.io.ChannelFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Describes containers without their directories. Safe for use by many threads. */
final class ContainerListing {

  private static final Logger LOG = LoggerFactory.getLogger(ContainerListing.class);

  private static final int UNKNOWN = -1;

  private final ContainerContext context;
  private final LoadedContainers loaded;

  ContainerListing(ContainerContext context, LoadedContainers loaded) {
    this.context = context;
    this.loaded = loaded;
  }

  /** The first time, footer and group index are read; where the footer is damaged, all groups. */
  ContainerInfo info(Container container) {
    OpenContainer open = container.open();
    if (open != null) {
      ContainerDirectory written = open.written();
      return new ContainerInfo(
          container.id(),
          false,
          open.length(),
          written.chunkCount(),
          UNKNOWN,
          written.originalBytes(),
          0,
          null);
    }
    ContainerInfo known = container.info();
    if (known != null) {
      return known;
    }
    return readInfo(container);
  }

  private ContainerInfo readInfo(Container container) {
    long id = container.id();
    if (container.problem() != null) {
      Path path = context.file(id, ContainerNames.OPEN);
      return new ContainerInfo(
          id, false, length(path), 0, UNKNOWN, 0, 0, container.problem().getMessage());
    }
    // Before the file is opened: a description of a file that was replaced must not be kept.
    int generation = loaded.generation(container);
    ContainerInfo info;
    try {
      try {
        info = readFooter(id);
      } catch (IOException | RuntimeException | OutOfMemoryError e) {
        info = infoWithoutFooter(container);
      }
    } catch (IOException | RuntimeException | OutOfMemoryError e) {
      long length = length(context.file(id, ContainerNames.SEALED));
      return new ContainerInfo(id, true, length, 0, UNKNOWN, 0, 0, String.valueOf(e.getMessage()));
    }
    loaded.setInfo(container, generation, info);
    return info;
  }

  private static long length(Path path) {
    try {
      return Files.size(path);
    } catch (IOException e) {
      return 0;
    }
  }

  private ContainerInfo readFooter(long id) throws IOException {
    Path path = context.file(id, ContainerNames.SEALED);
    try (ChannelFile file = ChannelFile.open(path)) {
      ContainerFooter footer = ContainerFooter.read(path, file);
      footer.header().check(path, id, context.settings().identity());
      return new ContainerInfo(
          id,
          true,
          file.length(),
          footer.chunkCount(),
          endNumber(path, file, footer),
          footer.originalBytes(),
          footer.sealTime(),
          null);
    }
  }

  /** That of a damaged group index is unknown: whoever reads chunks finds it, and has it mended. */
  private static int endNumber(Path path, ChannelFile file, ContainerFooter footer) {
    if (!footer.header().hasGroupIndex()) {
      return UNKNOWN;
    }
    try {
      return endNumber(footer.readGroups(path, file, null));
    } catch (IOException | RuntimeException | OutOfMemoryError e) {
      LOG.debug("{} is listed without its group index", path, e);
      return UNKNOWN;
    }
  }

  private static int endNumber(GroupIndex groups) {
    return groups.endNumber(groups.groupCount() - 1);
  }

  /** Describes a container by its groups; nothing says when it was sealed. */
  private ContainerInfo infoWithoutFooter(Container container) throws IOException {
    ContainerDirectory content = loaded.directory(container).content();
    return new ContainerInfo(
        container.id(),
        true,
        Files.size(context.file(container.id(), ContainerNames.SEALED)),
        content.chunkCount(),
        endNumber(content.groups()),
        content.originalBytes(),
        0,
        null);
  }
}
