/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode;

import static org.assertj.core.api.Assertions.assertThat;

import io.hdrf.conf.HdrfKeys;
import io.hdrf.io.SourceTree;
import io.hdrf.io.TestBytes;
import io.hdrf.scheme.SchemeRegistry;
import io.hdrf.spi.store.Table;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.metrics2.MetricsRecord;
import org.apache.hadoop.metrics2.impl.MetricsCollectorImpl;
import org.apache.hadoop.metrics2.lib.DefaultMetricsSystem;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * The interfaces to configurations, dashboards, volumes and other DataNodes: keys, names of beans
 * and attributes in JMX, ids of schemes, codes of tables, golden bytes. {@code frozen.txt} lists
 * them. A removed or changed line breaks clusters; add new ones to the list.
 */
@Timeout(120)
class FrozenTest {

  private static final Path ROOT = Path.of("..", "..");
  private static final Path LIST =
      Path.of("../hadoop-hdfs-hdrf/src/test/resources/io/hdrf/datanode/frozen.txt");
  private static final Path FOUND = Path.of("target/frozen.txt");
  private static final Pattern KEY = Pattern.compile("<name>([^<]+)</name>");

  @Test
  void whatOthersRelyOnStays() throws Exception {
    Set<String> found = new TreeSet<>();
    keys(found);
    for (Table table : Table.values()) {
      found.add("table " + table + " " + table.code());
    }
    Path plugins = Path.of(System.getProperty("hdrf.test.plugins.with.store"));
    SchemeRegistry registry = SchemeRegistry.load(plugins);
    for (String name : registry.names()) {
      found.add("scheme " + name + " " + registry.byName(name).id());
    }
    goldenBytes(found);
    beans(found, plugins);
    Files.write(FOUND, found);
    assertThat(found)
        .as("what is listed in " + LIST + "; what is there now is in " + FOUND)
        .containsExactlyElementsOf(new TreeSet<>(Files.readAllLines(LIST)));
  }

  private static void keys(Set<String> found) throws IOException {
    Matcher key = KEY.matcher(Files.readString(ROOT.resolve("conf/hdrf-default.xml")));
    while (key.find()) {
      found.add("key " + key.group(1));
    }
  }

  private static void goldenBytes(Set<String> found) throws Exception {

    for (Path file : SourceTree.files(ROOT)) {
      if (file.toString().matches(".*/src/test/resources/.*(\\.golden|\\.tar\\.gz)")) {
        byte[] digest = MessageDigest.getInstance("SHA-256").digest(Files.readAllBytes(file));
        StringBuilder line = new StringBuilder("golden " + file.getFileName() + " ");
        for (int i = 0; i < 8; i++) {
          line.append(String.format("%02x", digest[i]));
        }
        found.add(line.toString());
      }
    }
  }

  private static void beans(Set<String> found, Path plugins) throws Exception {
    Configuration conf = HdrfCluster.configuration();
    conf.set(HdrfKeys.PLUGINS_DIR, plugins.toString());
    conf.set(HdrfKeys.SCHEMES, "dedup,lz4");
    try (HdrfCluster cluster = HdrfCluster.start(conf, 1)) {
      String path = "/reduced";
      cluster.write(path, TestBytes.text(1 << 20, 7), 1);
      cluster.awaitReduced(path);
      String uuid = cluster.mini().getDataNodes().get(0).getDatanodeUuid();
      // The index, with its filters, comes some time after the store, and a block counts after it
      // is
      // in place.
      HdrfCluster.await(
          "the filters and the block",
          () ->
              metrics(uuid)
                  .containsAll(Set.of("DedupDbaQueries", "BytesReducedPhysical-dedup,lz4")));
      metrics(uuid)
          .forEach(name -> found.add("jmx Hadoop:service=DataNode,name=Hdrf-UUID " + name));
    }
  }

  /** Reads the source itself: JMX shows the attributes of its first query. */
  private static Set<String> metrics(String uuid) {
    MetricsCollectorImpl collector = new MetricsCollectorImpl();
    DefaultMetricsSystem.instance().getSource("Hdrf-" + uuid).getMetrics(collector, true);
    Set<String> names = new TreeSet<>();
    for (Object record : (List<?>) collector.getRecords()) {
      ((MetricsRecord) record).metrics().forEach(metric -> names.add(metric.name()));
    }
    return names;
  }
}
