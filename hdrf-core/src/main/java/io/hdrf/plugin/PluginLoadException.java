/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.plugin;

import java.io.IOException;

/** A plug-in jar can't be used; the message names it and, where it is known, the plug-in. */
public class PluginLoadException extends IOException {
  private static final long serialVersionUID = 1L;

  public PluginLoadException(String message) {
    super(message);
  }

  public PluginLoadException(String message, Throwable cause) {
    super(message, cause);
  }
}
