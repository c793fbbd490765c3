/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.spi.io;

import java.io.IOException;
import java.nio.ByteBuffer;

/** An open file of {@link DurableFiles}. For one thread at a time. */
public interface DurableFile extends ReadableFile {

  /** Writes all of {@code src} at {@code position} (bytes from the file's beginning). */
  void write(ByteBuffer src, long position) throws IOException;

  /** Cuts the file, or extends it by a hole. */
  void setLength(long length) throws IOException;

  /**
   * Starts writing a range to the device, so that {@link #force} waits for less. Makes nothing
   * durable, and never fails.
   *
   * @param position bytes from the file's beginning
   * @param length in bytes
   */
  default void beginWriting(long position, long length) {}

  /** Makes content and length durable (fdatasync). */
  void force() throws IOException;
}
