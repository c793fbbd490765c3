/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.cli;

/**
 * Exit codes of {@code hdrf}, the same for all commands. 0 is never given where something that was
 * to be looked at was not. Where more than one holds, it is the greatest of 0, 1 and 3.
 */
final class ExitCode {
  /** All was done and looked at, and nothing differs. */
  static final int OK = 0;

  /** The command ran and its answer is no: bytes differ, a block is damaged, a test failed. */
  static final int DIFFERENT = 1;

  /** The command line can't be understood; nothing was done. */
  static final int USAGE = 2;

  /** Something could not be done or looked at; all else was. */
  static final int FAILED = 3;

  private ExitCode() {}
}
