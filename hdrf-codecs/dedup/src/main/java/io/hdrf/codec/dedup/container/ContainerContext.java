/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.container;

import io.hdrf.codec.dedup.container.format.ContainerNames;
import io.hdrf.codec.dedup.container.format.Fingerprinter;
import io.hdrf.spi.io.DurableFiles;
import java.nio.file.Path;

/** The place of a store's containers, and their settings. Immutable. */
final class ContainerContext {

  private final Path directory;
  private final DurableFiles files;
  private final ContainerSettings settings;
  private final ChainSource chains;
  private final Fingerprinter fingerprinter;

  ContainerContext(
      Path directory,
      DurableFiles files,
      ContainerSettings settings,
      ChainSource chains,
      Fingerprinter fingerprinter) {
    this.directory = directory;
    this.files = files;
    this.settings = settings;
    this.chains = chains;
    this.fingerprinter = fingerprinter;
  }

  Path directory() {
    return directory;
  }

  DurableFiles files() {
    return files;
  }

  ContainerSettings settings() {
    return settings;
  }

  /** Returns the source of the chains that containers were written with. */
  ChainSource chains() {
    return chains;
  }

  Fingerprinter fingerprinter() {
    return fingerprinter;
  }

  /**
   * A container's file.
   *
   * @param suffix one of those of {@link ContainerNames}
   */
  Path file(long id, String suffix) {
    return ContainerNames.file(directory, id, suffix);
  }
}
