/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.cli;

import io.hdrf.admin.VolumeInfo;
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
    for (RecordSource source : target.open()) {
      try (source) {
        for (VolumeInfo volume : source.volumes()) {
          String label = RecordTarget.label(source, volume);
          try (Progress progress = terminal.progress(label, 0, Progress.Unit.COUNT)) {
            source.rebuild(volume, progress);
            progress.done("all records made anew");
          }
        }
      }
    }
    return ExitCode.OK;
  }
}
