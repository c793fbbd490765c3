/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.cli;

/**
 * Exit codes of {@code hdrf}, the same for all commands. A command that could not check everything
 * it should never returns 0. Where more than one code applies, the greatest of 0, 1 and 3 counts.
 */
final class ExitCode {
  /** Everything was done and checked, and nothing differs. */
  static final int OK = 0;

  /** The command ran and its answer is no: bytes differ, a block is damaged, a test failed. */
  static final int DIFFERENT = 1;

  /** The command line can't be understood; nothing was done. */
  static final int USAGE = 2;

  /** Something could not be done or checked; the rest was. */
  static final int FAILED = 3;

  private ExitCode() {}
}
