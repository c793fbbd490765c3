/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.spi.io;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;

/** A file that is read by position. Each class says whether many threads may read at once. */
public interface ReadableFile extends Closeable {

  /**
   * Reads at {@code position} until {@code dst} is full or the file ends.
   *
   * @return the number of bytes read, possibly 0
   */
  int read(ByteBuffer dst, long position) throws IOException;

  /**
   * Prefetches a range that will be read soon. Best effort; does not wait for the disk.
   *
   * @param position bytes from the file's beginning
   * @param length in bytes, at least 1
   * @return whether a prefetch was started
   */
  default boolean prefetch(long position, long length) {
    return false;
  }

  /** Returns the file's length in bytes. */
  long length() throws IOException;
}
