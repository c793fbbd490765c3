/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.io;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;

/** Files of DataNodes that run, and may rename or delete each of them at any time. */
public final class LiveFiles {

  private LiveFiles() {}

  /** Returns a directory, and the directories and files below it that were there to be listed. */
  public static List<Path> below(Path directory) throws IOException {
    List<Path> files = new ArrayList<>();
    Files.walkFileTree(
        directory,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult preVisitDirectory(Path entered, BasicFileAttributes attributes) {
            files.add(entered);
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
            files.add(file);
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFileFailed(Path file, IOException e) throws IOException {
            if (e instanceof NoSuchFileException) {
              return FileVisitResult.CONTINUE;
            }
            throw e;
          }
        });
    return files;
  }

  /** Copies a directory with what is below it, but for the locks. */
  public static void copy(Path directory, Path target) throws IOException {
    for (Path file : below(directory)) {
      Path copy = target.resolve(directory.relativize(file));
      if (Files.isDirectory(file)) {
        Files.createDirectories(copy);
      } else if (!file.getFileName().toString().endsWith(".lock")) {
        try {
          Files.copy(file, copy);
        } catch (NoSuchFileException e) {
          // Renamed or deleted since.
        }
      }
    }
  }
}
