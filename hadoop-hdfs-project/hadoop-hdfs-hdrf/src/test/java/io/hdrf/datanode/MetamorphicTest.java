/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode;

import static org.assertj.core.api.Assertions.assertThat;

import io.hdrf.conf.HdrfKeys;
import io.hdrf.sample.StoreScheme;
import io.hdrf.spi.scheme.TestSeed;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.DFSConfigKeys;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * The same random operations on stock HDFS and under HDRF with several chains: every read gives the
 * same bytes, every file has the same checksum, and both match a model in memory.
 */
@Timeout(600)
class MetamorphicTest {

  private static final int ACTORS = 5;

  private static Configuration with(String chain) {
    Configuration conf = HdrfCluster.configuration();
    conf.set(HdrfKeys.SCHEMES, chain);
    return conf;
  }

  @Test
  void everyChainGivesTheBytesOfStockHdfs() throws Exception {
    long seed = TestSeed.random(MetamorphicTest.class.getName()).nextLong();
    Configuration store = with("store");
    store.set(HdrfKeys.PLUGINS_DIR, HdrfCluster.plugins(StoreScheme.class).toString());
    store.setInt("hdrf.reduce.min.block.size", 0);
    Map<String, Configuration> configurations = new LinkedHashMap<>();
    configurations.put("stock", HdrfCluster.stockConfiguration());
    configurations.put("lz4", with("lz4"));
    configurations.put("store", store);
    List<String> stock = null;
    for (Map.Entry<String, Configuration> entry : configurations.entrySet()) {
      List<String> transcript = run(entry.getKey(), entry.getValue(), seed);
      Files.write(
          Paths.get(System.getProperty("test.build.data"), "transcript-" + entry.getKey()),
          transcript);
      if (stock == null) {
        stock = transcript;
        assertThat(stock).hasSizeGreaterThan(ACTORS * RandomActor.STEPS);
      } else {
        assertThat(transcript).as("what %s gives, against stock", entry.getKey()).isEqualTo(stock);
      }
    }
  }

  private static List<String> run(String name, Configuration conf, long seed) throws Exception {
    conf.setLong(DFSConfigKeys.DFS_BLOCK_SIZE_KEY, RandomActor.BLOCK_SIZE);
    boolean isStock = name.equals("stock");
    try (HdrfCluster cluster = HdrfCluster.start(conf, 2)) {
      List<RandomActor> actors = new ArrayList<>();
      ExecutorService threads = Executors.newFixedThreadPool(ACTORS);
      try {
        List<Future<?>> tasks = new ArrayList<>();
        for (int i = 0; i < ACTORS; i++) {
          RandomActor actor = new RandomActor(cluster, i, seed, !isStock);
          actors.add(actor);
          tasks.add(threads.submit(actor));
        }
        for (Future<?> task : tasks) {
          task.get();
        }
      } finally {
        threads.shutdownNow();
      }
      if (!isStock) {
        for (int i = 0; i < 2; i++) {
          Map<String, Long> counters = cluster.service(i).counters().values();
          assertThat(counters.get("blocksReduced")).as(name).isGreaterThan(10);
          assertThat(counters.get("blocksInflated")).as(name).isPositive();
          assertThat(counters.get("corruptBlocks")).as(name).isZero();
          assertThat(counters.get("skippedMismatch")).as(name).isZero();
          assertThat(counters.get("skippedVerificationFailed")).as(name).isZero();
        }
      }
      cluster.restartDataNodes();
      cluster.mini().waitActive();
      List<String> transcript = new ArrayList<>();
      for (RandomActor actor : actors) {
        actor.checkAll();
        transcript.addAll(actor.transcript());
      }
      assertThat(cluster.mini().getNamesystem().getCorruptReplicaBlocks()).as(name).isZero();
      return transcript;
    }
  }
}
