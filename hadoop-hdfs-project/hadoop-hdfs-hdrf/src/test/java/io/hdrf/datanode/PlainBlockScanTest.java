/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode;

import static org.assertj.core.api.Assertions.assertThat;

import io.hdrf.conf.HdrfConf;
import io.hdrf.io.LocalDurableFiles;
import io.hdrf.reduce.Reducer;
import io.hdrf.reduce.ReducerCounters;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.server.datanode.ReplicaInfo;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class PlainBlockScanTest {

  /** Copying the map of a large pool is where memory runs out first. */
  @Test
  void roundsGoOnAfterAnError() throws Exception {
    CountDownLatch rounds = new CountDownLatch(4);
    AtomicInteger next = new AtomicInteger();
    DatasetAccess dataset = dataset(rounds, next);
    ReducerCounters counters = new ReducerCounters();
    Configuration conf = new Configuration(false);
    conf.setInt("hdrf.reduce.threads", 1);
    try (Reducer reducer =
            new Reducer(
                "test",
                new HdrfConf(conf),
                null,
                LocalDurableFiles.INSTANCE,
                counters,
                () -> {},
                (block, reason) -> {});
        PlainBlockScan scan =
            new PlainBlockScan("test", dataset, reducer, 1, 10, (pool, replica) -> true)) {
      scan.addPool("BP-1");
      scan.start();
      while (rounds.getCount() > 0) {
        scan.wake();
        Thread.sleep(5);
      }
      assertThat(next.get()).isGreaterThanOrEqualTo(4);
    }
  }

  private static DatasetAccess dataset(CountDownLatch rounds, AtomicInteger next) {
    Error[] faults = {
      new OutOfMemoryError("for a test"),
      new StackOverflowError("for a test"),
      new NoClassDefFoundError("for a test")
    };
    return (DatasetAccess)
        Proxy.newProxyInstance(
            PlainBlockScanTest.class.getClassLoader(),
            new Class<?>[] {DatasetAccess.class},
            (proxy, method, arguments) -> {
              assertThat(method.getName()).isEqualTo("finalizedReplicas");
              rounds.countDown();
              int round = next.getAndIncrement();
              if (round < faults.length) {
                throw faults[round];
              }
              return List.<ReplicaInfo>of();
            });
  }
}
