/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.volume;

import java.io.IOException;

/**
 * A volume's secret can't be read, so that its reduced blocks can't be told from look-alikes. The
 * message names the files and says what to do.
 */
public class DamagedSuperblockException extends IOException {
  private static final long serialVersionUID = 1L;

  public DamagedSuperblockException(String message) {
    super(message);
  }
}
