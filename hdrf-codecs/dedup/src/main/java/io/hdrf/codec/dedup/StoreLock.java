/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * Sees to it that a directory is used by one codec at a time in this process; HDFS does so between
 * processes. A volume that was taken out of service may be put into service again while readers
 * still hold the codec that it had.
 */
final class StoreLock implements Closeable {

  private static final long WAIT_MILLIS = TimeUnit.SECONDS.toMillis(30);
  private static final Set<Path> HELD = new HashSet<>();

  private final Path directory;
  private boolean closed;

  private StoreLock(Path directory) {
    this.directory = directory;
  }

  /**
   * Waits until the directory is free.
   *
   * @throws IOException if it is not for long
   */
  static StoreLock acquire(Path directory) throws IOException {
    Path name = directory.toRealPath();
    long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(WAIT_MILLIS);
    synchronized (HELD) {
      while (!HELD.add(name)) {
        long left = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
        if (left <= 0) {
          throw new IOException(name + " is still in use");
        }
        try {
          HELD.wait(left);
        } catch (InterruptedException e) {
          Thread.currentThread().interrupt();
          throw new IOException("interrupted while waiting for " + name, e);
        }
      }
    }
    return new StoreLock(name);
  }

  @Override
  public void close() {
    synchronized (HELD) {
      if (!closed) {
        closed = true;
        HELD.remove(directory);
        HELD.notifyAll();
      }
    }
  }
}
