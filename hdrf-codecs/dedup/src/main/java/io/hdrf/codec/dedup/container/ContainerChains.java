/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.container;

import io.hdrf.codec.dedup.container.format.ContainerFooter;
import io.hdrf.codec.dedup.container.format.ContainerHeader;
import io.hdrf.codec.dedup.container.format.ContainerNames;
import io.hdrf.spi.io.ChannelFile;
import io.hdrf.spi.io.CorruptFileException;
import io.hdrf.spi.io.DiskErrors;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Finds the schemes with which the containers of a closed store were written. */
final class ContainerChains {

  private static final Logger LOG = LoggerFactory.getLogger(ContainerChains.class);

  private ContainerChains() {}

  /** Returns whether a container has the scheme in its tail chain. */
  static boolean anyHas(Path directory, int schemeId) throws IOException {
    if (Files.notExists(directory)) {
      return false;
    }
    try (DirectoryStream<Path> files = Files.newDirectoryStream(directory)) {
      for (Path path : files) {
        if (isContainer(String.valueOf(path.getFileName())) && has(path, schemeId)) {
          return true;
        }
      }
      return false;
    }
  }

  private static boolean isContainer(String name) {
    return ContainerNames.id(name, ContainerNames.SEALED) >= 0
        || ContainerNames.id(name, ContainerNames.OPEN) >= 0;
  }

  private static boolean has(Path path, int schemeId) throws IOException {
    try (ChannelFile file = ChannelFile.open(path)) {
      int[] chain = readDescription(path, file).chainIds();
      return Arrays.stream(chain).anyMatch(id -> id == schemeId);
    } catch (NoSuchFileException e) {
      return false;
    } catch (CorruptFileException e) {
      // Nothing in it can be read, with any scheme.
      LOG.warn("{}: with which schemes it was written is not known: {}", path, e.getMessage());
      return false;
    } catch (IOException e) {
      if (!DiskErrors.isReadError(e)) {
        throw e;
      }
      LOG.warn(
          "{}: with which schemes it was written can't be read now, so it may need any: {}",
          path,
          e.getMessage());
      return true;
    }
  }

  /**
   * Reads the header, or the footer where the header can't be read.
   *
   * @throws CorruptFileException if both are damaged; not if the disk may give one another time
   */
  private static ContainerHeader readDescription(Path path, ChannelFile file) throws IOException {
    try {
      return ContainerHeader.read(path, file);
    } catch (CorruptFileException e) {
      return ContainerFooter.read(path, file).header();
    } catch (IOException e) {
      if (!DiskErrors.isReadError(e)) {
        throw e;
      }
      try {
        return ContainerFooter.read(path, file).header();
      } catch (CorruptFileException noFooter) {
        throw e;
      }
    }
  }
}
