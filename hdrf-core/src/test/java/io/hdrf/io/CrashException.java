/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.io;

/**
 * The power went off. An error, so that no code under test takes it for a failed operation and
 * continues.
 */
public final class CrashException extends Error {
  private static final long serialVersionUID = 1L;

  CrashException(String message) {
    super(message);
  }
}
