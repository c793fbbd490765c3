/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.cli;

/** Exit codes of {@code hdrf}, the same for all commands. */
final class ExitCode {
  static final int OK = 0;

  /** The command ran and its answer is no: bytes differ, a block is damaged, a test failed. */
  static final int DIFFERENT = 1;

  /** The command line can't be understood. */
  static final int USAGE = 2;

  /** The command could not do its work. */
  static final int FAILED = 3;

  private ExitCode() {}
}
