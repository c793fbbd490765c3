/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.block;

import io.hdrf.spi.io.CorruptFileException;
import java.nio.file.Path;

/** A reduced block file is damaged, or is not the one that was asked for. */
public class CorruptBlockException extends CorruptFileException {
  private static final long serialVersionUID = 1L;

  public CorruptBlockException(Path file, String what, Object expected, Object found) {
    super(file, what, expected, found);
  }

  public CorruptBlockException(Path file, String message, Throwable cause) {
    super(file, message, cause);
  }
}
