/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.io;

import io.hdrf.spi.io.DurableFile;
import io.hdrf.spi.io.DurableFiles;
import java.io.IOException;
import java.nio.file.Path;

/**
 * Forwards every operation to other {@link DurableFiles}; a subclass overrides those that it
 * changes. As thread-safe as the wrapped files.
 */
public abstract class ForwardingFiles implements DurableFiles {

  private final DurableFiles files;

  protected ForwardingFiles(DurableFiles files) {
    this.files = files;
  }

  @Override
  public DurableFile create(Path file) throws IOException {
    return files.create(file);
  }

  @Override
  public DurableFile open(Path file) throws IOException {
    return files.open(file);
  }

  @Override
  public void copyMode(Path model, Path target) throws IOException {
    files.copyMode(model, target);
  }

  @Override
  public void rename(Path from, Path to) throws IOException {
    files.rename(from, to);
  }

  @Override
  public void deleteIfExists(Path path) throws IOException {
    files.deleteIfExists(path);
  }

  @Override
  public void createDirectories(Path directory) throws IOException {
    files.createDirectories(directory);
  }

  @Override
  public void forceDirectory(Path directory) throws IOException {
    files.forceDirectory(directory);
  }
}
