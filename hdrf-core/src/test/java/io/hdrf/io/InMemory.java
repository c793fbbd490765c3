/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.io;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.extension.AnnotatedElementContext;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.io.TempDirFactory;

/**
 * Temporary directories on a file system in memory, if there is one: for tests that make thousands
 * of small files, and simulate power losses.
 */
public final class InMemory implements TempDirFactory {

  private static final Path SHARED_MEMORY = Path.of("/dev/shm");

  @Override
  public Path createTempDirectory(
      AnnotatedElementContext elementContext, ExtensionContext extensionContext)
      throws IOException {
    return Files.isDirectory(SHARED_MEMORY) && Files.isWritable(SHARED_MEMORY)
        ? Files.createTempDirectory(SHARED_MEMORY, "hdrf")
        : Files.createTempDirectory("hdrf");
  }
}
