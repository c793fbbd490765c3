/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.cli;

import io.hdrf.admin.JobKind;
import picocli.CommandLine.Command;

/** {@code hdrf convert}. */
@Command(
    name = "convert",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Have running DataNodes reduce the blocks that are plain, now and at a limited rate.",
      "Ends 'hdrf inflate' and what that command keeps plain. The DataNodes go on if this command is"
          + " interrupted, and after a restart; --stop stops them, and then only new blocks are"
          + " reduced."
    })
final class ConvertCommand extends JobCommand {
  @Override
  JobKind kind() {
    return JobKind.CONVERT;
  }
}
