/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.cluster;

import java.io.IOException;

/**
 * A daemon or job failed to do what the user asked. The message is meant for the person at the
 * terminal.
 */
public class ClusterException extends IOException {
  private static final long serialVersionUID = 1;

  public ClusterException(String message) {
    super(message);
  }

  public ClusterException(String message, Throwable cause) {
    super(message, cause);
  }
}
