/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.container;

import io.hdrf.io.ChannelFile;
import java.io.IOException;
import java.nio.file.Path;

/** What is known of containers without their directories. Safe for use by many threads. */
final class ContainerListing {

  private final ContainerContext context;
  private final ContainerCache cache;

  ContainerListing(ContainerContext context, ContainerCache cache) {
    this.context = context;
    this.cache = cache;
  }

  /** The first time, the footer is read. */
  ContainerInfo info(Container container) {
    OpenContainer open = container.open();
    if (open != null) {
      ContainerDirectory written = open.written();
      return new ContainerInfo(
          container.id(),
          false,
          open.length(),
          written.chunkCount(),
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
    boolean sealed = container.problem() == null;
    Path path = context.file(id, sealed ? ContainerNames.SEALED : ContainerNames.OPEN);
    long length = 0;
    String problem;
    // Before the file is opened: what is read from one that was replaced must not be kept.
    int generation = cache.generation(container);
    try (ChannelFile file = ChannelFile.open(path)) {
      length = file.length();
      if (sealed) {
        ContainerFooter footer = ContainerFiles.readFooter(path, file);
        footer.header().check(path, id, context.settings().identity());
        ContainerInfo info =
            new ContainerInfo(
                id,
                true,
                length,
                footer.chunkCount(),
                footer.originalBytes(),
                footer.sealTime(),
                null);
        cache.setInfo(container, generation, info);
        return info;
      }
      problem = container.problem().getMessage();
    } catch (IOException e) {
      problem = e.getMessage();
    }
    return new ContainerInfo(id, sealed, length, 0, 0, 0, problem);
  }
}
