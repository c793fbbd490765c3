/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.container;

import io.hdrf.codec.dedup.container.format.ContainerDirectory;
import java.io.IOException;
import java.util.BitSet;

/** Says which chunks of a container a compaction keeps. */
public interface ChunkSelection {

  /**
   * Called once, with the very directory by which the container is compacted: another one may have
   * been read before, when the disk could read more of the file, or less.
   *
   * @param content what was found in the container
   * @param whole false if there may be chunks in it that were not found; they go, too
   * @return numbers of the chunks to keep; all others go
   * @throws IOException if none must go
   */
  BitSet keep(ContainerDirectory content, boolean whole) throws IOException;
}
