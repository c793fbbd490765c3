/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.spi.io;

import java.io.IOException;
import java.nio.file.Path;

/** A file violates its format. The message names the file. */
public class CorruptFileException extends IOException {
  private static final long serialVersionUID = 1L;

  private final String file;

  /**
   * @param file the damaged file
   * @param what the wrong part
   * @param expected the expected value
   * @param found the found value
   */
  public CorruptFileException(Path file, String what, Object expected, Object found) {
    this(file, what + ": expected " + expected + ", found " + found);
  }

  public CorruptFileException(Path file, String message) {
    super(file + ": " + message);
    this.file = String.valueOf(file);
  }

  public CorruptFileException(Path file, String message, Throwable cause) {
    super(file + ": " + message, cause);
    this.file = String.valueOf(file);
  }

  /** Throws unless a number of a file is the expected one; shows both in hexadecimal. */
  public static void expect(Path file, String what, int expected, int found)
      throws CorruptFileException {
    expect(file, what, expected & 0xFFFFFFFFL, found & 0xFFFFFFFFL);
  }

  /** As {@link #expect(Path, String, int, int)}, for numbers of 64 bits. */
  public static void expect(Path file, String what, long expected, long found)
      throws CorruptFileException {
    if (expected != found) {
      throw new CorruptFileException(
          file, what, "0x" + Long.toHexString(expected), "0x" + Long.toHexString(found));
    }
  }

  /** Returns the damaged file. */
  public String file() {
    return file;
  }
}
