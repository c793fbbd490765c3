/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.admin;

import java.io.IOException;
import java.util.Locale;

/** What an administrator may have a DataNode do with all its blocks. */
public enum JobKind {
  /** Reduce those that are plain. */
  CONVERT,
  /** Make those plain that are reduced, and keep all plain. */
  INFLATE,
  /** Read reduced ones and compare them with their checksums. */
  VERIFY;

  /** The command's name. */
  public String command() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** The kind of that name. */
  public static JobKind of(String command) throws IOException {
    for (JobKind kind : values()) {
      if (kind.command().equals(command)) {
        return kind;
      }
    }
    throw new IOException("This DataNode can't " + command);
  }
}
