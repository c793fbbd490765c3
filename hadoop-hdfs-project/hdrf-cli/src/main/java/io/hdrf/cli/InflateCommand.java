/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.cli;

import io.hdrf.admin.JobKind;
import picocli.CommandLine.Command;

/** {@code hdrf inflate}. */
@Command(
    name = "inflate",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Have running DataNodes make every reduced block plain, and keep all blocks plain, new ones"
          + " too, until 'hdrf convert' is run.",
      "The DataNodes go on if this command is interrupted, and after a restart; --stop stops them,"
          + " and reduced blocks then stay reduced. --status counts what is reduced, on stopped"
          + " DataNodes too.",
      "The exit code is 1 if blocks remain reduced, and 3 if a directory of dfs.datanode.data.dir"
          + " could not be counted: only 0 means that every block is plain."
    })
final class InflateCommand extends JobCommand {
  @Override
  JobKind kind() {
    return JobKind.INFLATE;
  }
}
