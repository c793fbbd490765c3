/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Stream;

/** The directories that benchmarks work in, and what they do with them. */
public final class Directories {

  private Directories() {}

  /** HDRF's source tree. */
  public static Path home() {
    return Path.of(System.getProperty("hdrf.home"));
  }

  /** What was built of it. */
  static Path dist() {
    return Path.of(System.getProperty("hdrf.dist"));
  }

  /** Where a benchmark keeps its files. */
  public static Path work(String benchmark) {
    return home().resolve("target").resolve(benchmark);
  }

  /** Deletes a directory with all that is in it, if it is there. */
  public static void delete(Path directory) throws IOException {
    if (Files.exists(directory)) {
      try (Stream<Path> tree = Files.walk(directory)) {
        for (Path path : (Iterable<Path>) tree.sorted(Comparator.reverseOrder())::iterator) {
          Files.delete(path);
        }
      }
    }
  }

  /** The lengths of all files below a directory, in bytes. */
  static long bytes(Path directory) throws IOException {
    long sum = 0;
    try (Stream<Path> tree = Files.walk(directory)) {
      for (Path path : (Iterable<Path>) tree.filter(Files::isRegularFile)::iterator) {
        sum += Files.size(path);
      }
    }
    return sum;
  }
}
