/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.block;

import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileSystemException;
import java.nio.file.FileVisitOption;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The block files of a pool on a volume, wherever HDFS keeps them: {@code current}, {@code
 * previous} and its like, {@code trash}.
 *
 * <p>{@code current} is visited first: while a DataNode runs, HDFS moves blocks out of it, into the
 * trash, and never the other way, so that no block escapes by being moved. The trash may be made
 * meanwhile.
 */
public final class BlockFiles {

  static final String CURRENT = "current";

  /**
   * The directories of blocks that were never reduced: HDFS writes to these, or moves them to their
   * places when they are whole.
   */
  private static final Set<String> UNFINISHED =
      new HashSet<>(Arrays.asList("rbw", "tmp", "lazypersist"));

  private static final Pattern BLOCK_FILE = Pattern.compile("blk_(-?\\d{1,19})");

  /** Is shown block files. */
  public interface Visitor {

    /** Called for a file with room for a header; it may be gone by now. */
    void visit(Path file, long blockId) throws IOException;

    /**
     * Called for what can't be looked at, which may have been a block or a directory with any.
     *
     * @throws IOException to end the visit
     */
    default void failed(Path path, IOException why) throws IOException {
      throw why;
    }

    /** Called for a directory whose files, and directories, have been visited. */
    default void left(Path directory) throws IOException {}
  }

  private BlockFiles() {}

  /**
   * Shows all block files of a pool that may be reduced, those included that HDFS keeps for a
   * rollback, and those behind symbolic links, which HDFS follows.
   *
   * @param poolDirectory {@code <volume>/current/<pool>}
   * @param excluded a directory below it to be left out: HDRF's own
   * @throws IOException also, unless the visitor goes on, if something can't be looked at, or a
   *     link leads nowhere that is not a hidden one, as editors lock files by: who is not shown a
   *     block takes what it needs for garbage
   */
  public static void forEach(Path poolDirectory, Path excluded, Visitor visitor)
      throws IOException {
    Set<Path> seen = new HashSet<>();
    Path directory;
    // Listed again after each: HDFS makes the trash when it moves the first block there.
    while ((directory = next(poolDirectory, seen, visitor)) != null) {
      Files.walkFileTree(
          directory,
          EnumSet.of(FileVisitOption.FOLLOW_LINKS),
          Integer.MAX_VALUE,
          new SimpleFileVisitor<Path>() {
            @Override
            public FileVisitResult preVisitDirectory(Path entered, BasicFileAttributes attributes) {
              Path name = entered.getFileName();
              return entered.equals(excluded) || UNFINISHED.contains(name.toString())
                  ? FileVisitResult.SKIP_SUBTREE
                  : FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
                throws IOException {
              if (attributes.isSymbolicLink()) {
                // One that can be followed comes with what it leads to.
                requireHidden(file, visitor);
              }
              Matcher name = BLOCK_FILE.matcher(file.getFileName().toString());
              if (name.matches()
                  && isLong(name.group(1))
                  && attributes.size() >= BlockFormat.HEADER_LENGTH) {
                visitor.visit(file, Long.parseLong(name.group(1)));
              }
              return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult postVisitDirectory(Path left, IOException failure)
                throws IOException {
              if (failure != null) {
                visitor.failed(left, failure);
              }
              visitor.left(left);
              return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFileFailed(Path file, IOException e) throws IOException {
              if (!(e instanceof NoSuchFileException)) {
                visitor.failed(file, e);
              }
              return FileVisitResult.CONTINUE;
            }
          });
    }
  }

  /** HDFS gives no block another number. */
  private static boolean isLong(String number) {
    try {
      Long.parseLong(number);
      return true;
    } catch (NumberFormatException e) {
      return false;
    }
  }

  /** Returns one that is not in {@code seen} and adds it; null if there is none. */
  private static Path next(Path poolDirectory, Set<Path> seen, Visitor visitor) throws IOException {
    for (Path directory : directories(poolDirectory, visitor)) {
      if (seen.add(directory)) {
        return directory;
      }
    }
    return null;
  }

  private static List<Path> directories(Path poolDirectory, Visitor visitor) throws IOException {
    List<Path> directories = new ArrayList<>();
    try (DirectoryStream<Path> entries = Files.newDirectoryStream(poolDirectory)) {
      for (Path entry : entries) {
        if (isDirectory(entry, visitor)) {
          boolean first = entry.getFileName().toString().equals(CURRENT);
          directories.add(first ? 0 : directories.size(), entry);
        }
      }
    } catch (DirectoryIteratorException e) {
      throw e.getCause();
    }
    return directories;
  }

  /** Unlike {@link Files#isDirectory}, does not say no where that can't be told. */
  private static boolean isDirectory(Path entry, Visitor visitor) throws IOException {
    try {
      return Files.readAttributes(entry, BasicFileAttributes.class).isDirectory();
    } catch (NoSuchFileException e) {
      if (Files.isSymbolicLink(entry)) {
        requireHidden(entry, visitor);
      }
      return false;
    } catch (IOException e) {
      visitor.failed(entry, e);
      return false;
    }
  }

  /** HDFS gives no file such a name, and nobody moves one of its directories there. */
  private static void requireHidden(Path link, Visitor visitor) throws IOException {
    if (!link.getFileName().toString().startsWith(".")) {
      visitor.failed(
          link,
          new FileSystemException(
              link.toString(),
              null,
              "a link that leads nowhere, where blocks may be; remove it if not"));
    }
  }
}
