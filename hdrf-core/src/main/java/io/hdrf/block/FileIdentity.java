/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.block;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * What changes whenever a file's content does: inode, length and the time of the last change of the
 * inode, which no program can set. Immutable.
 */
final class FileIdentity {

  /**
   * Clocks of file systems tick in steps, the coarsest of them of two seconds. A file that changes
   * again within a step keeps its identity.
   */
  private static final long SETTLED_MILLIS = 10_000;

  private final long inode;
  private final long changed;
  private final long length;

  /**
   * @param changed in nanoseconds since 1970-01-01 UTC
   * @param length in bytes
   */
  FileIdentity(long inode, long changed, long length) {
    this.inode = inode;
    this.changed = changed;
    this.length = length;
  }

  /**
   * Looks at a file; follows links.
   *
   * @throws java.nio.file.NoSuchFileException if there is none
   */
  static FileIdentity of(Path file) throws IOException {
    Map<String, Object> attributes = Files.readAttributes(file, "unix:ino,ctime,size");
    return new FileIdentity(
        (Long) attributes.get("ino"),
        ((FileTime) attributes.get("ctime")).to(TimeUnit.NANOSECONDS),
        (Long) attributes.get("size"));
  }

  long inode() {
    return inode;
  }

  /** Returns the time of the last change in nanoseconds since 1970-01-01 UTC. */
  long changed() {
    return changed;
  }

  long length() {
    return length;
  }

  /**
   * Returns whether every later change of the file will be seen in its identity.
   *
   * @param millis the time of the look or an earlier one, in milliseconds since 1970-01-01 UTC
   */
  boolean isSettled(long millis) {
    return TimeUnit.NANOSECONDS.toMillis(changed) < millis - SETTLED_MILLIS;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof FileIdentity
        && ((FileIdentity) other).inode == inode
        && ((FileIdentity) other).changed == changed
        && ((FileIdentity) other).length == length;
  }

  @Override
  public int hashCode() {
    return Long.hashCode(inode * 31 + changed);
  }
}
