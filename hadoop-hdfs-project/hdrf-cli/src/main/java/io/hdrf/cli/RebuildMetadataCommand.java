/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.cli;

import io.hdrf.admin.VolumeInfo;
import io.hdrf.metadata.CheckResult;
import java.io.IOException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code hdrf rebuild-metadata}. */
@Command(
    name = "rebuild-metadata",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Empty the metadata stores and make every record anew from the blocks.",
      "A DataNode does so by itself when a store was lost or put back from an older copy."
    })
final class RebuildMetadataCommand implements Callable<Integer> {
  @Mixin private RecordTarget target;

  @Override
  public Integer call() throws IOException {
    Terminal terminal = Terminal.system();
    Troubles troubles = new Troubles(terminal);
    boolean done =
        target.each(
            troubles,
            (source, all) -> {
              for (VolumeInfo volume : RecordTarget.volumes(source, all)) {
                String label = RecordTarget.label(source, volume);
                all.attempt(label, () -> rebuild(terminal, label, source, volume));
              }
              return true;
            });
    return troubles.exitCode(done);
  }

  private static void rebuild(
      Terminal terminal, String label, RecordSource source, VolumeInfo volume) throws IOException {
    try (Progress progress = terminal.progress(label, 0, Progress.Unit.COUNT)) {
      CheckResult check = source.rebuild(volume, progress);
      if (check.unreadable() > 0) {
        throw new IOException(
            check.unreadable()
                + " blocks can't be looked at and have no record; hdrf fsck names them");
      }
      progress.done("all records made anew");
    }
  }
}
