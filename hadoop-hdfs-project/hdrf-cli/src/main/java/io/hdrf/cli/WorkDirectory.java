/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.cli;

import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Stream;

/** A new directory that is deleted, with its content, when this is closed or the JVM ends. */
final class WorkDirectory implements Closeable {
  private static final int ATTEMPTS = 10;

  private final Path path;
  private final Thread hook = new Thread(this::deleteAtExit, "hdrf-work-directory");

  private WorkDirectory(Path path) {
    this.path = path;
  }

  /** Creates it in an existing directory. */
  static WorkDirectory in(Path parent) throws IOException {
    if (!Files.isDirectory(parent)) {
      throw new IllegalArgumentException("No directory " + parent);
    }
    WorkDirectory directory =
        new WorkDirectory(Files.createTempDirectory(parent.toAbsolutePath(), "hdrf-estimate-"));
    Runtime.getRuntime().addShutdownHook(directory.hook);
    return directory;
  }

  Path path() {
    return path;
  }

  /** Deletes a directory with all in it; does nothing where there is none. */
  static void deleteTree(Path root) throws IOException {
    if (!Files.exists(root, LinkOption.NOFOLLOW_LINKS)) {
      return;
    }
    try (Stream<Path> found = Files.walk(root)) {
      for (Path file : found.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(file);
      }
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
  }

  private void deleteAtExit() {
    IOException failure = null;
    for (int i = 0; i < ATTEMPTS; i++) {
      try {
        deleteTree(path);
        return;
      } catch (IOException e) {
        // Other threads use their files for a moment more.
        failure = e;
      }
    }
    System.err.println("hdrf: " + path + " is left behind: " + failure);
  }

  @Override
  public void close() throws IOException {
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      // The JVM ends, and the shutdown hook deletes the directory.
      return;
    }
    deleteTree(path);
  }
}
