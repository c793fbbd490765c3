/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode.volume;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hdrf.io.ForwardingFiles;
import io.hdrf.reduce.HookedScheme;
import io.hdrf.sample.StoreScheme;
import io.hdrf.spi.io.DurableFiles;
import io.hdrf.spi.io.LocalDurableFiles;
import io.hdrf.spi.scheme.BlockCodec;
import io.hdrf.spi.scheme.BlockScheme;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class PoolSlicesTest {

  private static final int VOLUMES = 40;

  @TempDir Path directory;

  /** Each opening waits until all others have begun. */
  @Test
  void volumesAreOpenedAtTheSameTime() throws Exception {
    CountDownLatch begun = new CountDownLatch(VOLUMES);
    Set<Path> seen = ConcurrentHashMap.newKeySet();
    DurableFiles files =
        new ForwardingFiles(LocalDurableFiles.INSTANCE) {
          @Override
          public void createDirectories(Path created) throws IOException {
            super.createDirectories(created);
            if (created.endsWith("hdrf") && seen.add(created)) {
              begun.countDown();
              try {
                begun.await();
              } catch (InterruptedException e) {
                throw new IOException(e);
              }
            }
          }
        };
    PoolSlices volumes =
        DirectoryPools.slices(new HookedScheme("hooked", 65100, Integer.MAX_VALUE), files);
    ExecutorService threads = Executors.newFixedThreadPool(VOLUMES);
    try {
      List<Future<?>> opening = new ArrayList<>();
      for (int i = 0; i < VOLUMES; i++) {
        DirectoryVolume volume = DirectoryPools.volume(directory, "DS-" + i);
        opening.add(
            threads.submit(
                () -> {
                  volumes.open(volume, "BP-1");
                  return null;
                }));
      }
      for (Future<?> one : opening) {
        one.get();
      }
      List<String> found = new ArrayList<>();
      volumes.forEach(volume -> found.add(volume.storageId()));
      assertThat(found).hasSize(VOLUMES);
    } finally {
      threads.shutdownNow();
      volumes.closeAll();
    }
  }

  private PoolSlices oneSlice() throws IOException {
    PoolSlices volumes =
        DirectoryPools.slices(
            new HookedScheme("hooked", 65100, Integer.MAX_VALUE), LocalDurableFiles.INSTANCE);
    volumes.open(DirectoryPools.volume(directory, "DS-1"), "BP-1");
    return volumes;
  }

  /** A DataNode may end its dataset while a pool's own thread still forgets the replicas. */
  @Test
  void whatIsClosedBeforeItsPoolLeavesCountsAsLeaving() throws IOException {
    PoolSlices volumes = oneSlice();
    PoolSlice slice = volumes.find("DS-1", "BP-1");
    assertThat(slice.isLeaving()).isFalse();
    volumes.closeAll();
    volumes.poolLeaves("BP-1");
    assertThat(slice.isLeaving()).isTrue();
  }

  /** As at the end of the process. */
  @Test
  void whatIsClosedAndStaysListedIsUsedByNobodyNew() throws IOException {
    PoolSlices volumes = oneSlice();
    PoolSlice reader = volumes.use("DS-1", "BP-1");
    reader.close();
    assertThatThrownBy(() -> volumes.use("DS-1", "BP-1")).isInstanceOf(UnavailableException.class);
    assertThat(reader.isLeaving()).isFalse();
    volumes.poolLeaves("BP-1");
    assertThat(reader.isLeaving()).isTrue();
    reader.endUse();
    volumes.closeAll();
  }

  /** Otherwise its threads run on unknown, and the volume can't come back. */
  @Test
  void whatCouldNotBeOpenedForWantOfMemoryIsClosed() throws IOException {
    AtomicInteger open = new AtomicInteger();
    BlockScheme counted =
        DirectoryPools.withCodecs(
            new StoreScheme(),
            real -> {
              open.incrementAndGet();
              return DirectoryPools.proxy(
                  BlockCodec.class,
                  (codec, called, with) -> {
                    if (called.getName().equals("close")) {
                      open.decrementAndGet();
                    }
                    return called.invoke(real, with);
                  });
            });
    DurableFiles files =
        new ForwardingFiles(LocalDurableFiles.INSTANCE) {
          @Override
          public void createDirectories(Path created) throws IOException {
            if (created.endsWith("hdrf/tmp")) {
              throw new OutOfMemoryError("unable to create native thread");
            }
            super.createDirectories(created);
          }
        };
    PoolSlices volumes = DirectoryPools.slices(counted, files);
    DirectoryVolume volume = DirectoryPools.volume(directory, "DS-0");
    try {
      volumes.open(volume, "BP-1");
    } catch (OutOfMemoryError e) {
      // As meant.
    }
    volumes.closeAll();
    assertThat(open).hasValue(0);
  }
}
