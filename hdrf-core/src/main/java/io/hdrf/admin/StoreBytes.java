/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.admin;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;

/**
 * The size of HDRF's own files of a pool on a volume: containers, filters, indexes and records, by
 * the files' lengths. Unfinished files don't count.
 */
public final class StoreBytes {
  private static final String SEPARATOR = "\t";
  private static final String UNFINISHED = "tmp";
  private static final int NAMED_DIRECTORIES = 2;

  private StoreBytes() {}

  /**
   * Adds up all files below a directory; files deleted meanwhile don't count.
   *
   * @param hdrf HDRF's directory of a pool on a volume
   * @return bytes
   */
  public static long of(Path hdrf) throws IOException {
    return byDirectory(hdrf, () -> true).values().stream().mapToLong(Long::longValue).sum();
  }

  /**
   * Returns the same by directory.
   *
   * @param goOn is asked at each file whether to look at the next one
   * @throws IOException if a file or directory can't be looked at, such as on a failing disk
   * @return bytes by the first two directories of the files' paths, such as {@code
   *     dedup/containers} and {@code metadata-embedded}; by the empty name for files in {@code
   *     hdrf} itself
   */
  public static Map<String, Long> byDirectory(Path hdrf, BooleanSupplier goOn) throws IOException {
    Map<String, Long> sums = new TreeMap<>();
    Files.walkFileTree(
        hdrf,
        new SimpleFileVisitor<Path>() {
          /** Files under way have room ahead of their bytes. */
          @Override
          public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes attributes) {
            return directory.equals(hdrf.resolve(UNFINISHED))
                ? FileVisitResult.SKIP_SUBTREE
                : FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
            if (attributes.isRegularFile()) {
              sums.merge(name(hdrf.relativize(file)), attributes.size(), Long::sum);
            }
            return goOn.getAsBoolean() ? FileVisitResult.CONTINUE : FileVisitResult.TERMINATE;
          }

          @Override
          public FileVisitResult visitFileFailed(Path file, IOException e) throws IOException {
            return goOn(e);
          }

          @Override
          public FileVisitResult postVisitDirectory(Path directory, IOException e)
              throws IOException {
            return goOn(e);
          }
        });
    return sums;
  }

  /** What is gone does not count; what can't be looked at is not 0 bytes. */
  private static FileVisitResult goOn(IOException e) throws IOException {
    if (e != null && !(e instanceof NoSuchFileException)) {
      throw e;
    }
    return FileVisitResult.CONTINUE;
  }

  private static String name(Path file) {
    int directories = Math.min(NAMED_DIRECTORIES, file.getNameCount() - 1);
    return directories == 0 ? "" : file.subpath(0, directories).toString();
  }

  /** Returns a key for a pool on a storage. */
  public static String key(String storageId, String poolId) {
    return storageId + SEPARATOR + poolId;
  }
}
