/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.container;

import io.hdrf.io.ChannelFile;
import io.hdrf.io.CorruptFileException;
import io.hdrf.io.DiskErrors;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** With which schemes the containers of a store that is not open were written. */
final class ContainerChains {

  private static final Logger LOG = LoggerFactory.getLogger(ContainerChains.class);

  private ContainerChains() {}

  /** Whether a container has the scheme in its tail chain. */
  static boolean anyHas(Path directory, int schemeId) throws IOException {
    if (!Files.isDirectory(directory)) {
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
    } catch (IOException e) {
      if (!isDamage(e)) {
        throw e;
      }
      // Nothing in it can be read, with whatever scheme.
      LOG.warn("{}: with which schemes it was written is not known: {}", path, e.getMessage());
      return false;
    }
  }

  /** From the header, or from the footer where the header is damaged. */
  private static ContainerHeader readDescription(Path path, ChannelFile file) throws IOException {
    try {
      return ContainerFiles.readHeader(path, file);
    } catch (IOException e) {
      if (!isDamage(e)) {
        throw e;
      }
      return ContainerFiles.readFooter(path, file).header();
    }
  }

  private static boolean isDamage(IOException e) {
    return e instanceof CorruptFileException || DiskErrors.isReadError(e);
  }
}
