/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.cli;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code hdrf block}. */
@Command(
    name = "block",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Show what is known of one block, checked against its file.",
      "The exit code is 1 if no DataNode has it, or a record does not agree with its file."
    })
final class BlockCommand implements Callable<Integer> {
  @Parameters(paramLabel = "ID", description = "The number after blk_ in the file's name.")
  private long blockId;

  @Mixin private RecordTarget target;

  @Override
  public Integer call() throws IOException {
    Terminal terminal = Terminal.system();
    Troubles troubles = new Troubles(terminal);
    boolean[] found = {false};
    boolean agree =
        target.each(
            troubles,
            (source, all) -> {
              RecordTarget.isComplete(source, all);
              List<String> lines = source.block(blockId);
              if (!lines.isEmpty()) {
                found[0] = true;
                terminal.result("DataNode  " + source.name());
                lines.forEach(terminal::result);
                terminal.result("");
              }
              return lines.stream().noneMatch(line -> line.matches("agree +no"));
            });
    if (!found[0]) {
      terminal.say("No DataNode asked knows block " + blockId);
    }
    return troubles.exitCode(found[0] && agree);
  }
}
