/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode;

import static org.assertj.core.api.Assertions.assertThat;

import io.hdrf.admin.BlockSum;
import io.hdrf.admin.VolumeUse;
import io.hdrf.conf.HdrfKeys;
import io.hdrf.datanode.replica.DatasetAccess;
import io.hdrf.datanode.volume.PoolSlice;
import io.hdrf.io.TestBytes;
import io.hdrf.scheme.SchemeRegistry;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.impl.FsVolumeImpl;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Sums of a DataNode one of whose volumes does not answer. */
@Timeout(120)
class SpaceUseTest {
  private static final long STALL_MILLIS = 2_000;

  private final CountDownLatch answer = new CountDownLatch(1);
  private final AtomicInteger begun = new AtomicInteger();

  /** Who is interrupted while it waits for the disk. */
  private volatile Thread waiting;

  /** The sums of a running DataNode, in which the disk of one volume hangs until it answers. */
  private SpaceUse hanging(HdrfCluster cluster, String storageId) throws IOException {
    DatasetAccess dataset =
        (DatasetAccess)
            Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {DatasetAccess.class},
                (self, method, arguments) -> List.of());
    HdrfService service = cluster.service(0);
    return new SpaceUse(
        service.slices(), service.records(), dataset, SchemeRegistry.of(List.of()), STALL_MILLIS) {
      @Override
      VolumeUse sum(PoolSlice slice, String type, BlockSum plain, AtomicLong steps) {
        if (slice.storageId().equals(storageId)) {
          begun.incrementAndGet();
          if (waiting != null) {
            waiting.interrupt();
          }
          VolumeUse old = super.sum(slice, type, plain, new AtomicLong());
          try {
            answer.await();
          } catch (InterruptedException e) {
            throw new IllegalStateException(e);
          }
          return old;
        }
        return super.sum(slice, type, plain, steps);
      }
    };
  }

  @Test
  void aHungDiskHidesNoOtherVolumeAndTakesOneThread() throws Exception {
    Configuration conf = HdrfCluster.configuration();
    conf.set(HdrfKeys.SCHEMES, "lz4");
    conf.set(HdrfKeys.PLUGINS_DIR, System.getProperty("hdrf.test.plugins.with.store"));
    conf.setInt("hdrf.metadata.flush.interval", 20);
    try (HdrfCluster cluster = HdrfCluster.start(conf, 1, 3)) {
      cluster.write("/text", TestBytes.text(6 * HdrfCluster.BLOCK_SIZE, 3), 1);
      cluster.awaitReduced("/text");
      HdrfCluster.await("the records", () -> blocks(cluster.service(0).history().use().sum()) == 6);
      List<PoolSlice> slices = new ArrayList<>();
      cluster.service(0).slices().forEach(slices::add);
      PoolSlice hung = slices.get(1);
      SpaceUse use = hanging(cluster, hung.storageId());

      waiting = Thread.currentThread();
      List<VolumeUse> interrupted = use.all();
      assertThat(Thread.interrupted()).isTrue();
      waiting = null;
      assertThat(interrupted)
          .filteredOn(volume -> !volume.isWhole())
          .isNotEmpty()
          .allSatisfy(volume -> assertThat(volume.obstacle()).contains("interrupted"));

      List<VolumeUse> first = use.all();
      assertThat(first).hasSize(3).filteredOn(VolumeUse::isWhole).hasSize(2);
      assertThat(blocks(first)).isBetween(1L, 5L);
      assertThat(first)
          .filteredOn(volume -> !volume.isWhole())
          .singleElement()
          .satisfies(
              volume -> {
                assertThat(volume.storageId()).isEqualTo(hung.storageId());
                assertThat(volume.obstacle()).contains("its disk may hang");
              });
      assertThat(use.progress()).endsWith(", 3 volumes");
      assertThat(use.sum()).filteredOn(VolumeUse::isWhole).hasSize(2);
      cluster.service(0).slices().close(hung.storageId(), hung.poolId());
      assertThat(use.sum()).hasSize(2);
      for (FsVolumeImpl volume : cluster.volumes(0)) {
        cluster.service(0).slices().open(volume, hung.poolId());
      }
      assertThat(use.sum()).filteredOn(VolumeUse::isWhole).hasSize(2);
      assertThat(begun).as("threads that wait for the disk").hasValue(1);

      answer.countDown();
      HdrfCluster.await("its answer", () -> blocks(use.sum()) == 6);
      assertThat(begun).as("the old answer is not that of now").hasValue(2);

      use.stop();
      assertThat(use.sum()).noneMatch(VolumeUse::isWhole);
    }
  }

  private static long blocks(List<VolumeUse> uses) {
    return uses.stream().filter(VolumeUse::isWhole).mapToLong(use -> use.all().blocks()).sum();
  }
}
