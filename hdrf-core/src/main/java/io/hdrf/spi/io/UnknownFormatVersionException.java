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
  private final String what;
  private final boolean tooNew;

  /**
   * @param file the file
   * @param found its version
   * @param oldest the oldest version that can be read
   * @param newest the newest version that can be read
   */
  public UnknownFormatVersionException(Path file, int found, int oldest, int newest) {
    this(
        file,
        "format version "
            + found
            + " is too "
            + (found > newest ? "new" : "old")
            + "; this version of HDRF reads "
            + oldest
            + " to "
            + newest,
        found > newest);
  }

  /**
   * For a file of a known version with something in it that only later versions of HDRF read.
   *
   * @param file the file
   * @param part what that is
   */
  public UnknownFormatVersionException(Path file, String part) {
    this(file, part + " is too new; only a later version of HDRF reads it", true);
  }

  private UnknownFormatVersionException(Path file, String what, boolean tooNew) {
    super(file + ": " + what);
    this.file = String.valueOf(file);
    this.what = what;
    this.tooNew = tooNew;
  }

  /** The same of the file by another name, for whoever comes across it later. */
  public UnknownFormatVersionException of(Path name) {
    return new UnknownFormatVersionException(name, what, tooNew);
  }

  /** Returns the file that can't be read. */
  public String file() {
    return file;
  }

  /** Returns whether a newer version of HDRF wrote the file; otherwise the file is too old. */
  public boolean isTooNew() {
    return tooNew;
  }
}
