/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.cli;

import io.hdrf.cluster.ClusterException;
import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.stream.Stream;

/**
 * Reserves a directory of clusters for one {@code hdrf} process at a time, until it is closed or
 * the process ends. The file also marks the directory as one whose content HDRF may delete.
 */
final class DirectoryLock implements Closeable {
  static final String FILE = "hdrf.lock";

  private final FileChannel channel;

  private DirectoryLock(FileChannel channel) {
    this.channel = channel;
  }

  /**
   * Locks a directory; creates it if it is missing.
   *
   * @throws ClusterException if another process has it, or it holds files and was never locked:
   *     then it does not belong to HDRF
   */
  static DirectoryLock take(Path directory) throws IOException {
    Path file = directory.resolve(FILE);
    if (!Files.exists(file) && holdsFiles(directory)) {
      throw new ClusterException(
          directory + " holds files that are not HDRF's; choose an empty or new directory");
    }
    Files.createDirectories(directory);
    FileChannel channel =
        FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    FileLock lock = null;
    try {
      lock = channel.tryLock();
    } finally {
      if (lock == null) {
        channel.close();
      }
    }
    if (lock == null) {
      throw new ClusterException("Another hdrf command works in " + directory);
    }
    return new DirectoryLock(channel);
  }

  private static boolean holdsFiles(Path directory) throws IOException {
    if (!Files.exists(directory)) {
      return false;
    }
    try (Stream<Path> list = Files.list(directory)) {
      return list.findAny().isPresent();
    }
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}
