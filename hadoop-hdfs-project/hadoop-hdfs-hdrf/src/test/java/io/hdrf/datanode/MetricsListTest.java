/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode;

import static org.assertj.core.api.Assertions.assertThat;

import io.hdrf.conf.HdrfKeys;
import io.hdrf.io.TestBytes;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.metrics2.AbstractMetric;
import org.apache.hadoop.metrics2.MetricsRecord;
import org.apache.hadoop.metrics2.impl.MetricsCollectorImpl;
import org.apache.hadoop.metrics2.lib.DefaultMetricsSystem;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The metrics of a DataNode are those that {@code metrics.txt} and documents list. */
@Timeout(120)
class MetricsListTest {

  /** Two DataNodes: traffic between them is counted by operation and peer. */
  @Test
  void whatIsCountedIsListedAndWhatIsListedIsCounted() throws Exception {
    Configuration conf = HdrfCluster.configuration();
    conf.set(HdrfKeys.PLUGINS_DIR, System.getProperty("hdrf.test.plugins.with.store"));
    conf.set(HdrfKeys.SCHEMES, "dedup,lz4");
    try (HdrfCluster cluster = HdrfCluster.start(conf, 2)) {
      String path = "/reduced";
      cluster.write(path, TestBytes.text(1 << 20, 7), 2);
      cluster.awaitReduced(path);
      // The index, with its filters, comes some time after the store.
      HdrfCluster.await("the filters", () -> counted(cluster).toString().contains("DedupDba"));
      HdrfCluster.await(
          "the traffic",
          () -> {
            String counted = counted(cluster).toString();
            return counted.contains("MirrorBytesWireSent-*")
                && counted.contains("MirrorBytesWireReceived-*");
          });
      for (int i = 0; i < 2; i++) {
        cluster.service(i).history().sample();
      }
      Set<String> listed = new TreeSet<>(MetricsList.lines().values());
      // Blocks wait for a scheme only where it has too many.
      listed.removeIf(line -> line.contains(" BlocksWaiting-* "));
      // Garbage is known after a collection.
      listed.removeIf(line -> line.contains(" DedupGcGarbageBytes "));
      assertThat(counted(cluster)).containsExactlyElementsOf(listed);
    }
  }

  /** A line for each metric, as in the list. */
  private static Set<String> counted(HdrfCluster cluster) {
    Set<String> lines = new TreeSet<>();
    cluster
        .mini()
        .getDataNodes()
        .forEach(
            dataNode -> {
              MetricsCollectorImpl collector = new MetricsCollectorImpl();
              DefaultMetricsSystem.instance()
                  .getSource("Hdrf-" + dataNode.getDatanodeUuid())
                  .getMetrics(collector, true);
              for (Object record : (List<?>) collector.getRecords()) {
                ((MetricsRecord) record).metrics().forEach(metric -> lines.add(line(metric)));
              }
            });
    return lines;
  }

  private static String line(AbstractMetric metric) {
    return metric.type().name().toLowerCase(Locale.ROOT)
        + " "
        + MetricsList.listed(metric.name())
        + " "
        + metric.description();
  }
}
