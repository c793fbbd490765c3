/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import io.hdrf.sample.MapStoreProvider;
import io.hdrf.spi.io.LocalDurableFiles;
import io.hdrf.spi.store.StoreContext;
import io.hdrf.volume.Superblock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ScaleProbeTest {

  @TempDir private Path temporary;

  /** All that the benchmark does, without a DataNode, on a volume of 2 GiB in small containers. */
  @Test
  void aVolumeIsReadWrittenAndCollected() throws Exception {
    Path pool = temporary.resolve("current").resolve("BP-1-127.0.0.1-1");
    Path hdrf = pool.resolve("hdrf");
    Files.createDirectories(pool.resolve("current").resolve("finalized"));
    Files.createDirectories(hdrf);
    Superblock.create(hdrf, LocalDurableFiles.INSTANCE);
    Configuration configuration = new Configuration(false);
    configuration.set("hdrf.dedup.container.size", "4m");
    configuration.set("hdrf.dedup.gc.rate", "0");
    configuration.set("hdrf.dedup.gc.min.age", "1");
    AgedVolume.Plan plan = new AgedVolume.Plan(2L << 30, 64, 14, List.of(1, 14), 0.75, 1);
    AgedVolume volume = new AgedVolume(pool, plan, configuration);
    volume.make();
    assertThat(volume.uniqueBytes()).isLessThan(plan.logicalBytes());
    StoreContext context =
        StoreContext.of(configuration, "map", hdrf, "DS-scale", temporary.toString());

    ScaleProbe probe =
        new ScaleProbe(
            volume, () -> new MapStoreProvider().open(context), new DiskCounts(temporary));
    probe.completeIndex();
    probe.measure();

    Map<String, Double> figures = probe.figures().values();

    assertThat(figures.get("look-ups, cold: found (%)")).isBetween(60.0, 80.0);
    assertThat(figures.get("generation 1, in sequence: runs per MiB"))
        .isLessThan(figures.get("generation 14, in sequence: runs per MiB"));
    String drops = "collection, third cycle: ";
    assertThat(figures.get(drops + "freed (MB)")).isPositive();
    assertThat(figures.get(drops + "written (MB)")).isPositive();
    assertThat(figures.get(drops + "containers that failed")).isZero();
  }
}
