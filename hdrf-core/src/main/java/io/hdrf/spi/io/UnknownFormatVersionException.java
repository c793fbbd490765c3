/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.spi.io;

import java.io.IOException;
import java.nio.file.Path;

/**
 * A file is sound, but written in a format version that this software can't read. The file is not
 * damaged and must not be treated as such.
 */
public class UnknownFormatVersionException extends IOException {
  private static final long serialVersionUID = 1L;

  private final String file;
  private final int found;
  private final int newest;

  /**
   * @param file the file
   * @param found its version
   * @param oldest the oldest version that can be read
   * @param newest the newest version that can be read
   */
  public UnknownFormatVersionException(Path file, int found, int oldest, int newest) {
    super(
        file
            + ": format version "
            + found
            + " is too "
            + (found > newest ? "new" : "old")
            + "; this version of HDRF reads "
            + oldest
            + " to "
            + newest);
    this.file = String.valueOf(file);
    this.found = found;
    this.newest = newest;
  }

  /**
   * For a file of a known version with something in it that only later versions of HDRF read.
   *
   * @param file the file
   * @param part what that is
   */
  public UnknownFormatVersionException(Path file, String part) {
    super(file + ": " + part + " is too new; only a later version of HDRF reads it");
    this.file = String.valueOf(file);
    this.found = Integer.MAX_VALUE;
    this.newest = 0;
  }

  /** Returns the file that can't be read. */
  public String file() {
    return file;
  }

  /** Returns its format version; {@link Integer#MAX_VALUE} if only a part of it is too new. */
  public int found() {
    return found;
  }

  /** Returns whether a newer version of HDRF wrote the file; otherwise the file is too old. */
  public boolean isTooNew() {
    return found > newest;
  }
}
