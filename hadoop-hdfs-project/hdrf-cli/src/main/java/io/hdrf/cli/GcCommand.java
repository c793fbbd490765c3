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
    Troubles troubles = new Troubles(terminal);
    int[] stores = {0};
    boolean done =
        target.each(
            troubles,
            (source, all) -> {
              if (!source.isRunning()) {
                all.add(source.name() + " does not run; only a running DataNode collects");
              }
              RecordTarget.isComplete(source, all);
              for (VolumeInfo volume : source.schemeStores()) {
                stores[0]++;
                all.attempt(
                    RecordTarget.label(source, volume), () -> collect(terminal, source, volume));
              }
              return true;
            });
    if (stores[0] == 0 && troubles.isEmpty()) {
      terminal.result("No scheme keeps a store of its own: nothing to collect.");
    }
    return troubles.exitCode(done);
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
