/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.cli;

import io.hdrf.admin.ReferenceReport;
import io.hdrf.admin.VolumeInfo;
import io.hdrf.metadata.CheckResult;
import java.io.IOException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code hdrf fsck}. */
@Command(
    name = "fsck",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Compare the records of blocks with the blocks; on DataNodes that run, also what blocks refer"
          + " to with what schemes such as dedup store.",
      "The exit code is 1 if something differs and is not repaired, or a block can't be looked at."
    })
final class FsckCommand implements Callable<Integer> {
  @Mixin private RecordTarget target;

  @Option(names = "--repair", description = "Write what differs, as the blocks say.")
  private boolean repair;

  @Override
  public Integer call() throws IOException {
    Terminal terminal = Terminal.system();
    Troubles troubles = new Troubles(terminal);
    boolean same = target.each(troubles, (source, all) -> check(terminal, source, all));
    return troubles.exitCode(same);
  }

  private boolean check(Terminal terminal, RecordSource source, Troubles troubles)
      throws IOException {
    boolean[] same = {true};
    for (VolumeInfo volume : RecordTarget.volumes(source, troubles)) {
      troubles.attempt(
          RecordTarget.label(source, volume), () -> same[0] &= check(terminal, source, volume));
    }
    for (VolumeInfo volume : source.schemeStores()) {
      troubles.attempt(
          RecordTarget.label(source, volume),
          () -> same[0] &= checkReferences(terminal, source, volume));
    }
    if (!source.isRunning()) {
      terminal.say(
          "hdrf: "
              + source.name()
              + " does not run: what blocks refer to was not compared with the stores of schemes");
    }
    return same[0];
  }

  private static boolean checkReferences(Terminal terminal, RecordSource source, VolumeInfo volume)
      throws IOException {
    String label = RecordTarget.label(source, volume) + " " + volume.store();
    ReferenceReport report;
    try (Progress progress = terminal.progress(label, 0, Progress.Unit.NONE)) {
      report = source.checkReferences(volume);
      progress.done("references compared");
    }
    report.lines().forEach(line -> terminal.result("  " + line.replace("\t", ": ")));
    return report.isClean();
  }

  private boolean check(Terminal terminal, RecordSource source, VolumeInfo volume)
      throws IOException {
    String label = RecordTarget.label(source, volume);
    try (Progress progress = terminal.progress(label, 0, Progress.Unit.COUNT)) {
      CheckResult check = source.check(volume, repair, progress);
      progress.done("compared");
      terminal.result(
          label
              + ": "
              + (check.differences() == 0
                  ? check.blocks() + " blocks, no difference"
                  : String.format(
                      "%d blocks, %d without a record, %d wrong records, %d of blocks that are"
                          + " gone%s",
                      check.blocks(),
                      check.missing(),
                      check.wrong(),
                      check.extra(),
                      repair ? ", all repaired" : "")));
      if (check.unreadable() > 0) {
        terminal.result("  " + check.unreadable() + " blocks can't be looked at");
      }
      check.examples().forEach(line -> terminal.result("  " + line));
      return (check.differences() == 0 || repair) && check.unreadable() == 0;
    }
  }
}
