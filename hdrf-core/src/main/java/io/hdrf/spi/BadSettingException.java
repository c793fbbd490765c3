/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.spi;

import java.io.IOException;

/** A configuration value is wrong; the message names the key, the value and what is accepted. */
public class BadSettingException extends IOException {
  private static final long serialVersionUID = 1L;

  /**
   * @param key the configuration key
   * @param value its value as it stands in the configuration
   * @param accepted what would be accepted, to follow "must be"
   */
  public BadSettingException(String key, String value, String accepted) {
    super(key + " is \"" + value + "\", but must be " + accepted);
  }
}
