/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.spi.io;

import java.io.IOException;
import java.nio.file.Path;

/**
 * Every file operation on which durability rests. Production code changes files of a volume through
 * this interface alone, so that a test double can drop or tear unsynced writes, at every step.
 *
 * <p>The contract: after {@link DurableFile#force()} returns, the file's content and length survive
 * a power loss; after {@link #forceDirectory} returns, so do the names in it; {@link #rename} is
 * atomic. Nothing else survives for certain, and unsynced operations may survive in any part. Safe
 * for use by many threads.
 */
public interface DurableFiles {

  /**
   * Creates a new file for reading and writing, readable and writable by its owner alone.
   *
   * @throws java.nio.file.FileAlreadyExistsException if the file exists
   */
  DurableFile create(Path file) throws IOException;

  /**
   * Opens an existing file for reading and writing.
   *
   * @throws java.nio.file.NoSuchFileException if there is no such file
   */
  DurableFile open(Path file) throws IOException;

  /**
   * Gives {@code target} the mode of {@code model}: all permission bits, including the sticky bit.
   */
  void copyMode(Path model, Path target) throws IOException;

  /** Renames a file within a file system, atomically replacing {@code to} where it exists. */
  void rename(Path from, Path to) throws IOException;

  /** Deletes a file, or an empty directory, where it exists. */
  void deleteIfExists(Path path) throws IOException;

  /** Creates a directory and its missing parents; each new name is durable on return. */
  void createDirectories(Path directory) throws IOException;

  /** Makes the names in a directory durable. */
  void forceDirectory(Path directory) throws IOException;
}
