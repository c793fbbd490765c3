/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.cli;

import io.hdrf.admin.JobKind;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code hdrf verify}. */
@Command(
    name = "verify",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Have running DataNodes read reduced blocks and compare them with all their checksums."
          + " Damaged ones are reported to the NameNode.",
      "A verification ends with the DataNode. The exit code is 1 if a block is damaged or can't be"
          + " read, and 3 if not all were looked at: it was stopped, or, with --status, is not"
          + " done."
    })
final class VerifyCommand extends JobCommand {
  @Option(
      names = "--fraction",
      paramLabel = "F",
      defaultValue = "1",
      description =
          "Which share of the blocks is read, more than 0 and at most 1; others each time. Default:"
              + " ${DEFAULT-VALUE}.")
  private double fraction;

  @Override
  JobKind kind() {
    return JobKind.VERIFY;
  }

  @Override
  double fraction() {
    if (!(fraction > 0 && fraction <= 1)) {
      throw new IllegalArgumentException(
          "--fraction is " + fraction + "; more than 0 and at most 1 is needed");
    }
    return fraction;
  }
}
