/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.scrub;

import io.hdrf.spi.io.DurableFile;
import io.hdrf.spi.io.DurableFiles;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps a {@link ScrubState} over restarts. Written aside and renamed, never forced: where it is
 * lost or damaged, a cycle begins anew.
 */
public final class ScrubFile {

  private static final Logger LOG = LoggerFactory.getLogger(ScrubFile.class);

  /** The file's name in the store's directory. */
  public static final String NAME = "scrub.state";

  /** Never read; a longer file is none. */
  private static final int MAX_LENGTH = 4096;

  private final Path file;
  private final DurableFiles files;
  private final long volumeId;

  public ScrubFile(Path file, DurableFiles files, long volumeId) {
    this.file = file;
    this.files = files;
    this.volumeId = volumeId;
  }

  /** Returns the state; null if there is none that can be used. */
  ScrubState load() {
    try {
      if (Files.size(file) <= MAX_LENGTH) {
        return ScrubState.decode(file, Files.readAllBytes(file), volumeId);
      }
      LOG.warn("{} is too long; the scrub begins anew", file);
    } catch (NoSuchFileException e) {
      LOG.debug("The first scrub of {}", file.getParent());
    } catch (IOException e) {
      LOG.warn("The scrub begins anew: {}", e.getMessage());
    }
    return null;
  }

  /** Keeps a state, if the disk allows it. */
  void store(ScrubState state) {
    Path temporary = file.resolveSibling(NAME + ".tmp");
    try {
      files.deleteIfExists(temporary);
      try (DurableFile out = files.create(temporary)) {
        out.write(ByteBuffer.wrap(state.encode(volumeId)), 0);
      }
      files.rename(temporary, file);
    } catch (IOException e) {
      LOG.warn("After a restart the scrub reads some containers again", e);
    }
  }
}
