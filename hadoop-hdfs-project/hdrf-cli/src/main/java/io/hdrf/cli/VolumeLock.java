/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.cli;

import io.hdrf.cluster.ClusterException;
import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.UserPrincipal;

/**
 * Keeps DataNodes away from a volume until it is closed, with the lock by which they exclude each
 * other.
 */
final class VolumeLock implements Closeable {

  /** HDFS's own lock file. */
  static final String FILE = "in_use.lock";

  private final FileChannel channel;

  private VolumeLock(FileChannel channel) {
    this.channel = channel;
  }

  /**
   * Locks a volume.
   *
   * @throws ClusterException if a DataNode has it in service, or this process runs as another user
   *     than the volume's owner: the DataNode could not open the files that this process makes
   */
  static VolumeLock take(Path volume) throws IOException {
    requireOwner(volume.resolve("current"));
    FileChannel channel =
        FileChannel.open(volume.resolve(FILE), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    FileLock lock = null;
    try {
      lock = channel.tryLock();
    } catch (OverlappingFileLockException e) {
      lock = null;
    } finally {
      if (lock == null) {
        channel.close();
      }
    }
    if (lock == null) {
      throw new ClusterException(inUse(volume));
    }
    return new VolumeLock(channel);
  }

  /** Returns the message about a volume that a DataNode has in service. */
  static String inUse(Path volume) {
    return volume
        + " is in use by a DataNode that runs and can't be asked: give its address with --datanode,"
        + " or stop it";
  }

  static void requireOwner(Path directory) throws IOException {
    UserPrincipal owner = Files.getOwner(directory);
    UserPrincipal self = Files.getOwner(Path.of("/proc/self"));
    if (!owner.equals(self)) {
      throw new ClusterException(
          directory
              + " belongs to "
              + owner.getName()
              + ", and this command runs as "
              + self.getName()
              + ": what it makes there the DataNode could not use. Run it as "
              + owner.getName()
              + " (sudo -u "
              + owner.getName()
              + ")");
    }
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}
