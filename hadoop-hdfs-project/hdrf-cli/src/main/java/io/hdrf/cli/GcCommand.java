/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.cli;

import io.hdrf.admin.VolumeInfo;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code hdrf gc}. */
@Command(
    name = "gc",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Take away, now, the chunks of deduplicated data that no block needs any more.",
      "DataNodes do so by themselves every hdrf.dedup.gc.interval. A chunk goes only when two"
          + " collections, hdrf.dedup.gc.min.age apart, found no block that needs it."
    })
final class GcCommand implements Callable<Integer> {
  @Mixin private RecordTarget target;

  @Override
  public Integer call() throws IOException {
    Terminal terminal = Terminal.system();
    int stores = 0;
    for (RecordSource source : target.open()) {
      try (source) {
        for (VolumeInfo volume : source.schemeStores()) {
          stores++;
          collect(terminal, source, volume);
        }
      }
    }
    if (stores == 0) {
      terminal.result(
          "No scheme keeps a store of its own on a DataNode that runs: nothing to collect.");
    }
    return ExitCode.OK;
  }

  private static void collect(Terminal terminal, RecordSource source, VolumeInfo volume)
      throws IOException {
    String label = RecordTarget.label(source, volume);
    List<String> lines;
    try (Progress progress = terminal.progress(label, 0, Progress.Unit.NONE)) {
      lines = source.reclaim(volume, progress);
      progress.done("collected");
    }
    lines.forEach(line -> terminal.result("  " + line.replace("\t", ": ")));
  }
}
