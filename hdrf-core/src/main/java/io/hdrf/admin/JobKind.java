/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.admin;

import java.io.IOException;
import java.util.Locale;

/** The jobs over all blocks that an administrator may start in a DataNode. */
public enum JobKind {
  /** Reduces plain blocks. */
  CONVERT,
  /** Makes reduced blocks plain, and keeps all blocks plain. */
  INFLATE,
  /** Reads reduced blocks and compares them with their checksums. */
  VERIFY;

  /** Returns the command's name. */
  public String command() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Returns the kind with that name. */
  public static JobKind of(String command) throws IOException {
    for (JobKind kind : values()) {
      if (kind.command().equals(command)) {
        return kind;
      }
    }
    throw new IOException("This DataNode can't " + command);
  }
}
