/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode;

import static org.assertj.core.api.Assertions.assertThat;

import io.hdrf.admin.AdminClient;
import io.hdrf.admin.VolumeInfo;
import io.hdrf.conf.HdrfKeys;
import io.hdrf.io.LogCapture;
import io.hdrf.io.TestBytes;
import io.hdrf.spi.memory.MemoryBudget;
import io.hdrf.spi.scheme.TestSeed;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.DFSConfigKeys;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.log4j.Level;
import org.junit.jupiter.api.Test;

/** DataNodes with little memory: {@code hdrf.memory}. */
class MemoryTest {

  private static final long LIMIT = 8 << 20;
  private static final int LENGTH = 3 * HdrfCluster.BLOCK_SIZE / 2;
  private static final String DIRECTORIES = DFSConfigKeys.DFS_DATANODE_DATA_DIR_KEY;

  private final Random random = TestSeed.random("memory");
  private final Map<String, byte[]> files = new TreeMap<>();

  private static Configuration configuration() {
    Configuration conf = HdrfCluster.configuration();
    conf.set(HdrfKeys.PLUGINS_DIR, System.getProperty("hdrf.test.plugins.with.store"));
    conf.set(HdrfKeys.SCHEMES, "dedup,lz4");
    conf.set(HdrfKeys.MEMORY, "8m");
    conf.setInt("hdrf.metadata.flush.interval", 20);
    conf.setInt("hdrf.metadata.check.interval", 100);
    conf.set("hdrf.read.cache.size", "1m");
    conf.set("hdrf.dedup.chunk.size", "1k");
    conf.set("hdrf.dedup.index.sample", "1");
    conf.set("hdrf.dedup.container.size", "1m");
    conf.set("hdrf.dedup.directory.memory", "256k");
    conf.set("hdrf.dedup.group.memory", "1m");
    conf.set("hdrf.dedup.dba.capacity", "500");
    conf.set("hdrf.dedup.gc.interval", "0");
    conf.set("hdrf.dedup.gc.min.age", "0");
    conf.set("hdrf.dedup.gc.rate", "0");
    return conf;
  }

  /** Looks at the memory of the DataNode all the time. */
  private static final class Sampler extends Thread implements AutoCloseable {
    private final MemoryBudget budget;
    private final AtomicReference<String> wrong = new AtomicReference<>();
    private long highest;
    private volatile boolean stopping;

    Sampler(HdrfCluster cluster) {
      budget = cluster.service(0).memory();
      start();
    }

    @Override
    public void run() {
      while (!stopping) {
        long used = budget.used();
        highest = Math.max(highest, used);
        if (used < 0 || used > LIMIT || budget.limit() != LIMIT) {
          wrong.set(used + " of " + budget.limit() + " bytes: " + budget.usedByUser());
        }
      }
    }

    @Override
    public void close() throws InterruptedException {
      stopping = true;
      join();
      assertThat(wrong.get()).isNull();
      assertThat(highest).isGreaterThan(LIMIT / 4);
    }
  }

  private void write(HdrfCluster cluster, int count) throws Exception {
    for (int i = 0; i < count; i++) {
      byte[] data = TestBytes.noise(LENGTH, random);
      // A third of it is known.
      for (byte[] other : files.values()) {
        System.arraycopy(other, 0, data, 0, LENGTH / 3);
      }
      String path = "/file" + files.size();
      cluster.write(path, data, 1);
      files.put(path, data);
    }
    for (String path : files.keySet()) {
      cluster.awaitReduced(path);
    }
  }

  private void check(HdrfCluster cluster) throws Exception {
    for (Map.Entry<String, byte[]> file : files.entrySet()) {
      cluster.assertContent(file.getKey(), file.getValue());
    }
  }

  private static long dedup(HdrfCluster cluster, String metric) {
    return cluster
        .service(0)
        .schemeStores()
        .metrics()
        .getOrDefault("dedup", Map.of())
        .getOrDefault(metric, 0L);
  }

  private static long filters(Sampler sampler) {
    return sampler.budget.usedByUser().getOrDefault("Filters", 0L);
  }

  private static void collect(HdrfCluster cluster) throws Exception {
    DataNode datanode = cluster.datanode(0);
    InetSocketAddress address =
        new InetSocketAddress(InetAddress.getLoopbackAddress(), datanode.getIpcPort());
    try (AdminClient admin = AdminClient.connect(address, cluster.conf())) {
      for (VolumeInfo store : admin.schemeStores()) {
        admin.reclaim(store);
      }
    }
  }

  @Test
  void aDataNodeWithLittleMemoryLosesNothing() throws Exception {
    try (HdrfCluster cluster = HdrfCluster.start(configuration(), 1, 2)) {
      try (Sampler sampler = new Sampler(cluster)) {
        write(cluster, 6);
        check(cluster);
        cluster.fs().delete(new org.apache.hadoop.fs.Path("/file1"), false);
        files.remove("/file1");
        collect(cluster);
        check(cluster);
        // A volume leaves and comes again.
        DataNode datanode = cluster.datanode(0);
        String both = datanode.getConf().get(DIRECTORIES);
        // Each volume's index opens beside its first blocks.
        HdrfCluster.await("filters", () -> filters(sampler) > 0);
        datanode.reconfigurePropertyImpl(DIRECTORIES, both.split(",", -1)[0]);
        HdrfCluster.await(
            "the filters of the volume that is left to be all",
            () -> filters(sampler) == dedup(cluster, "dbaMemoryBytes"));
        datanode.reconfigurePropertyImpl(DIRECTORIES, both);
        HdrfCluster.await(
            "all blocks to be back",
            () -> {
              try {
                check(cluster);
                return true;
              } catch (Exception e) {
                return false;
              }
            });
        files.put("/again", files.get("/file0"));
        cluster.write("/again", files.get("/file0"), 1);
        check(cluster);
        assertThat(cluster.service(0).adminService().metrics())
            .contains("MemoryLimitBytes\t" + LIMIT)
            .anyMatch(line -> line.startsWith("MemoryUsedBytes-Filters\t"));
      }
      MemoryBudget before = cluster.service(0).memory();
      cluster.restartDataNodes();
      cluster.mini().waitActive();
      assertThat(before.used()).as("after the end").isZero();
      assertThat(before.usedByUser()).isEmpty();
      try (Sampler sampler = new Sampler(cluster)) {
        check(cluster);
        write(cluster, 2);
        collect(cluster);
        check(cluster);
      }
    }
  }

  @Test
  void tooLittleIsRaisedToWhatIsNeeded() throws Exception {
    Configuration conf = configuration();
    conf.set(HdrfKeys.MEMORY, "1k");
    try (LogCapture warnings = new LogCapture(Level.WARN, "MemoryBalance");
        HdrfCluster cluster = HdrfCluster.start(conf, 1, 1)) {
      write(cluster, 1);
      check(cluster);
      HdrfCluster.await("the warning", () -> !warnings.messages().isEmpty());
      long limit = cluster.service(0).memory().limit();
      assertThat(limit).isBetween(1L << 20, LIMIT);
      assertThat(warnings.messages())
          .hasSize(1)
          .allMatch(line -> line.contains("hdrf.memory is 1024") && line.contains("" + limit));
    }
  }
}
