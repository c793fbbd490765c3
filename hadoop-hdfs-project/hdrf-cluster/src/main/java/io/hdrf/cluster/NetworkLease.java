/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.cluster;

import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;

/**
 * The right to use the names and addresses of one of {@link #COUNT} networks. It is a lock on a
 * file, so it ends with its JVM, however that ends; processes that this JVM started don't keep it.
 */
final class NetworkLease implements Closeable {

  /** The number of networks; they are numbered from 0. */
  static final int COUNT = 256;

  private final int number;
  private final FileChannel channel;

  private NetworkLease(int number, FileChannel channel) {
    this.number = number;
    this.channel = channel;
  }

  /** Returns the lease of {@code number}, or empty if this or another JVM has it. */
  static Optional<NetworkLease> of(Path directory, int number) throws IOException {
    Files.createDirectories(directory);
    FileChannel channel =
        FileChannel.open(
            directory.resolve("network-" + number + ".lock"),
            StandardOpenOption.CREATE,
            StandardOpenOption.WRITE);
    boolean locked = false;
    try {
      FileLock lock = channel.tryLock();
      locked = lock != null;
    } catch (OverlappingFileLockException e) {
      // This JVM has it already.
    } finally {
      if (!locked) {
        channel.close();
      }
    }
    return locked ? Optional.of(new NetworkLease(number, channel)) : Optional.empty();
  }

  int number() {
    return number;
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}
