/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.spi.io;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;

/** A file that is read by position. Whether many threads may do so at once is up to the class. */
public interface ReadableFile extends Closeable {

  /**
   * Reads at {@code position} until {@code dst} is full or the file ends.
   *
   * @return the number of bytes read, possibly 0
   */
  int read(ByteBuffer dst, long position) throws IOException;

  /**
   * Says that a range will be read soon, so that it can be on its way from the disk by then. Best
   * effort; waits for no disk.
   *
   * @param position bytes from the file's beginning
   * @param length in bytes, at least 1
   * @return whether anything was begun
   */
  default boolean prefetch(long position, long length) {
    return false;
  }

  /** The file's length in bytes. */
  long length() throws IOException;
}
