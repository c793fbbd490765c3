/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode.replica;

import static org.assertj.core.api.Assertions.assertThat;

import io.hdrf.block.BlockRef;
import io.hdrf.io.ChildJvm;
import io.hdrf.io.FullHeap;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class BlockLocksTest {

  private final BlockLocks locks = new BlockLocks();

  private static BlockRef block(String pool, long id) {
    return new BlockRef(pool, id);
  }

  @Test
  void oneThreadAtATimeHasABlock() throws Exception {
    int threads = 6;
    int rounds = 20_000;
    long[] counters = new long[3];
    ExecutorService executor = Executors.newFixedThreadPool(threads);
    try {
      List<Future<?>> tasks = new ArrayList<>();
      for (int t = 0; t < threads; t++) {
        tasks.add(
            executor.submit(
                () -> {
                  for (int round = 0; round < rounds; round++) {
                    int id = round % counters.length;
                    try (Hold held = locks.lock(block("BP", id))) {
                      counters[id]++;
                    }
                  }
                }));
      }
      for (Future<?> task : tasks) {
        task.get();
      }
    } finally {
      executor.shutdownNow();
    }
    assertThat(counters[0] + counters[1] + counters[2]).isEqualTo((long) threads * rounds);
    assertThat(locks.isEmpty()).isTrue();
  }

  @Test
  void aThreadMayLockItsBlockAgain() {
    try (Hold outer = locks.lock(block("BP", 1))) {
      try (Hold inner = locks.lock(block("BP", 1))) {
        assertThat(locks.isEmpty()).isFalse();
      }
      assertThat(locks.isEmpty()).isFalse();
    }
    assertThat(locks.isEmpty()).isTrue();
  }

  @Test
  void othersWaitForTheSameBlockOnly() throws Exception {
    CountDownLatch taken = new CountDownLatch(1);
    Thread same =
        new Thread(
            () -> {
              try (Hold held = locks.lock(block("BP", 1))) {
                taken.countDown();
              }
            });
    try (Hold held = locks.lock(block("BP", 1))) {
      Thread others =
          new Thread(
              () -> {
                locks.lock(block("BP", 2)).close();
                locks.lock(block("BP-other", 1)).close();
              });
      others.start();
      others.join();
      same.start();
      while (same.getState() != Thread.State.WAITING) {
        Thread.sleep(2);
      }
      assertThat(taken.getCount()).isEqualTo(1);
    }
    taken.await();
    same.join();
    assertThat(locks.isEmpty()).isTrue();
  }

  @Test
  void noLockIsKeptForWantOfMemory() throws Exception {
    try (ChildJvm child = ChildJvm.start(FullHeap.FLAGS, ShortOfMemory.class)) {
      assertThat(child.readLine()).isEqualTo("locks were refused");
      assertThat(child.readLine()).isEqualTo("none is held");
    }
  }

  /** The child. */
  static final class ShortOfMemory {
    private ShortOfMemory() {}

    public static void main(String[] args) {
      BlockLocks locks = new BlockLocks();
      BlockRef block = block("BP", 1);
      locks.lock(block).close();
      int refused = FullHeap.run(() -> locks.lock(block).close());
      System.out.println(refused > 0 ? "locks were refused" : "there was memory all the time");
      System.out.println(locks.isEmpty() ? "none is held" : "one is held that nobody has");
    }
  }
}
