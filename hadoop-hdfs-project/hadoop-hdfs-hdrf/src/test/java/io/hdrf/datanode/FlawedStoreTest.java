/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode;

import io.hdrf.conf.HdrfKeys;
import io.hdrf.io.TestBytes;
import io.hdrf.metadata.StoreStatus;
import io.hdrf.scheme.PluginJarBuilder;
import io.hdrf.spi.store.FlawedStoreProvider;
import io.hdrf.spi.store.MetadataStoreProvider;
import java.nio.file.Path;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The scan after a start with a store that has a fault. */
class FlawedStoreTest {

  @AfterEach
  void mend() {
    FlawedStoreProvider.flawed = false;
  }

  private static Configuration configuration(Path plugins, String chain) {
    Configuration conf = HdrfCluster.configuration(plugins, chain);
    conf.set(HdrfKeys.METADATA_STORE, "flawed");
    conf.setInt("hdrf.metadata.flush.interval", 20);
    conf.setInt("hdrf.metadata.check.interval", 100);
    return conf;
  }

  @Test
  void blocksAreReducedAllTheSame() throws Exception {
    Path plugins = HdrfCluster.plugins();
    new PluginJarBuilder()
        .file(
            "META-INF/services/" + MetadataStoreProvider.class.getName(),
            FlawedStoreProvider.class.getName())
        .write(plugins.resolve("flawed.jar"));
    byte[] first = TestBytes.text(200_000, 1);
    byte[] second = TestBytes.text(200_000, 2);
    try (HdrfCluster cluster = HdrfCluster.start(configuration(plugins, "lz4"), 1)) {
      cluster.write("/first", first, 1);
      cluster.awaitReduced("/first");
      cluster.restartAs(configuration(plugins, "none"));
      cluster.write("/second", second, 1);
      HdrfCluster.await("records in step", () -> isInStep(cluster));
      cluster.restartAs(configuration(plugins, "lz4"), () -> FlawedStoreProvider.flawed = true);
      cluster.awaitReduced("/second");
      HdrfCluster.await("records in step in spite of it", () -> isInStep(cluster));
      TestBytes.assertSame("/first", cluster.read("/first"), first);
      TestBytes.assertSame("/second", cluster.read("/second"), second);
    }
  }

  private static boolean isInStep(HdrfCluster cluster) {
    return !cluster.service(0).records().volumes().isEmpty()
        && cluster.service(0).records().volumes().stream()
            .allMatch(
                volume ->
                    volume.status().state() == StoreStatus.State.IN_STEP && volume.pending() == 0);
  }
}
