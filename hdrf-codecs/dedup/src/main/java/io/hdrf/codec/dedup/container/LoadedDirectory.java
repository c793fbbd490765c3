/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.container;

import io.hdrf.codec.dedup.container.format.ContainerDirectory;
import java.io.IOException;

/** A container's directory in memory, and where it comes from. Immutable. */
final class LoadedDirectory {

  /** The origin of a directory. */
  enum Origin {
    /** The container's own directory. */
    WRITTEN,
    /** The directory is damaged and was made from the groups; nothing else is damaged. */
    REBUILT,
    /** The directory was made from the groups, and chunks may have been lost. */
    LOSSY
  }

  private final ContainerDirectory content;
  private final Origin origin;
  private final IOException readError;

  /**
   * @param readError where chunks may have been lost: the disk's error, if there was one, so that
   *     another look may find them; otherwise null
   */
  LoadedDirectory(ContainerDirectory content, Origin origin, IOException readError) {
    this.content = content;
    this.origin = origin;
    this.readError = readError;
  }

  ContainerDirectory content() {
    return content;
  }

  Origin origin() {
    return origin;
  }

  /** Returns why chunks are missing that may be found another time; null if that does not pass. */
  IOException readError() {
    return readError;
  }

  /** Returns whether another directory has more, or all of the container. */
  boolean isLessThan(LoadedDirectory other) {
    return other.readError == null || other.content.chunkCount() > content.chunkCount();
  }
}
