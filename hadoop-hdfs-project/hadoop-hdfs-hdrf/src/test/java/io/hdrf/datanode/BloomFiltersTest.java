/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode;

import static org.assertj.core.api.Assertions.assertThat;

import io.hdrf.admin.AdminClient;
import io.hdrf.admin.VolumeInfo;
import io.hdrf.conf.HdrfKeys;
import io.hdrf.spi.scheme.TestSeed;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Every kind of work on the Bloom filters of dedup, on a DataNode whose filters are tiny. */
class BloomFiltersTest {

  private static final int FILES = 70;

  /** About 40 chunks of 2 KiB, where a filter takes 100. */
  private static final int LENGTH = 80 << 10;

  private static final String FIGURES = "/jmx?qry=Hadoop:service=DataNode,name=Hdrf*";

  private final Random random = TestSeed.random("bloom filters");
  private final Map<String, byte[]> files = new TreeMap<>();
  private HdrfCluster cluster;

  private static Configuration configuration(String control) {
    Configuration conf = HdrfCluster.configuration();
    conf.set(HdrfKeys.PLUGINS_DIR, System.getProperty("hdrf.test.plugins.with.store"));
    conf.set(HdrfKeys.SCHEMES, "dedup");
    conf.setInt("hdrf.metadata.flush.interval", 20);
    conf.setInt("hdrf.metadata.check.interval", 100);
    conf.set("hdrf.dedup.chunk.size", "2k");
    conf.set("hdrf.dedup.container.size", "128k");
    conf.set("hdrf.dedup.index.sample", "1");
    conf.set("hdrf.dedup.dba.capacity", "100");
    conf.set("hdrf.dedup.dba.filters", "12");
    conf.set("hdrf.dedup.dba.control", control);
    conf.set("hdrf.dedup.dba.stale.share", "0.3");
    conf.set("hdrf.dedup.gc.interval", "0");
    conf.set("hdrf.dedup.gc.min.age", "0");
    conf.set("hdrf.dedup.gc.live.percent", "100");
    conf.set("hdrf.dedup.gc.rate", "0");
    return conf;
  }

  @AfterEach
  void stop() {
    if (cluster != null) {
      cluster.close();
    }
  }

  private void write(String path, byte[] data) throws Exception {
    cluster.write(path, data, 1);
    files.put(path, data);
  }

  private void awaitReduced() throws Exception {
    for (String path : files.keySet()) {
      cluster.awaitReduced(path);
    }
  }

  private void assertAllContents() throws IOException {
    for (Map.Entry<String, byte[]> file : files.entrySet()) {
      cluster.assertContent(file.getKey(), file.getValue());
    }
  }

  private long figure(String name) {
    return cluster
        .service(0)
        .schemeStores()
        .metrics()
        .getOrDefault("dedup", Map.of())
        .getOrDefault(name, 0L);
  }

  private void await(String name) throws InterruptedException {
    HdrfCluster.await(name, () -> figure(name) > 0);
  }

  private void collect() throws IOException {
    DataNode dataNode = cluster.mini().getDataNodes().get(0);
    InetSocketAddress address =
        new InetSocketAddress(InetAddress.getLoopbackAddress(), dataNode.getIpcPort());
    try (AdminClient admin = AdminClient.connect(address, cluster.conf())) {
      for (VolumeInfo store : admin.schemeStores()) {
        admin.reclaim(store);
      }
    }
  }

  @ParameterizedTest
  @CsvSource({"tighten, dbaTightened, DedupDbaTightened", "enlarge, dbaEnlarged, DedupDbaEnlarged"})
  void passThroughAllKindsOfWork(String control, String adjusted, String adjustedAtJmx)
      throws Exception {
    cluster = HdrfCluster.start(configuration(control), 1);
    for (int i = 0; i < FILES; i++) {
      byte[] data = new byte[LENGTH];
      random.nextBytes(data);
      write("/file" + i, data);
    }
    awaitReduced();
    await("dbaSealed");
    await("dbaCombined");
    await(adjusted);
    assertThat(figure("dbaExceeded")).isZero();

    for (int i = 0; i < FILES; i++) {
      if (i % 5 != 0) {
        String path = "/file" + i;
        cluster.fs().delete(new org.apache.hadoop.fs.Path(path), false);
        files.remove(path);
      }
    }
    HdrfCluster.await("the blocks to be deleted", () -> blocks() == files.size());
    collect();
    await("dbaRefreshed");
    await("dbaOrMerged");
    assertAllContents();

    assertThat(figure("indexNewByFilters")).isPositive();
    for (String name :
        new String[] {
          "DedupDbaSealed",
          adjustedAtJmx,
          "DedupDbaRefreshed",
          "DedupDbaCombined",
          "DedupDbaOrMerged",
          "DedupDbaNegatives",
          "DedupIndexNewByFilters"
        }) {
      HdrfCluster.await(name + " at /jmx", () -> figureAtJmx(name) > 0);
    }
    // Nothing else knows then where chunks are: copies are looked for in the filters.
    cluster.restartAs(configuration(control));
    await("dbaLoaded");
    assertAllContents();
    for (int i = 0; i < FILES; i += 5) {
      write("/copy" + i, files.get("/file" + i));
    }
    awaitReduced();
    assertThat(figure("indexFoundInStore") + figure("indexFoundBeside")).isPositive();
    assertThat(figure("bytesNew")).isLessThan(FILES / 5 * LENGTH / 10);
    assertAllContents();
  }

  /** Block files on disk, which collections go by. */
  private long blocks() {
    try (Stream<Path> found = Files.walk(cluster.mini().getInstanceStorageDir(0, 0).toPath())) {
      return found.filter(file -> file.getFileName().toString().matches("blk_[0-9]+")).count();
    } catch (IOException | UncheckedIOException e) {
      // Files go while they are counted.
      return -1;
    }
  }

  private long figureAtJmx(String name) {
    DataNode dataNode = cluster.mini().getDataNodes().get(0);
    URI uri = URI.create("http://localhost:" + dataNode.getInfoPort() + FIGURES);
    try (InputStream in = uri.toURL().openStream()) {
      String page = new String(in.readAllBytes(), StandardCharsets.UTF_8);
      Matcher figure = Pattern.compile('"' + name + "\" : ([0-9]+)").matcher(page);
      return figure.find() ? Long.parseLong(figure.group(1)) : 0;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
