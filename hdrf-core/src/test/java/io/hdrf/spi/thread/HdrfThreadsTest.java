/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.spi.thread;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class HdrfThreadsTest {

  /** As a DataXceiver does: in a group that is counted. */
  private static void inCountedGroup(Runnable task, ThreadGroup group) throws Exception {
    Thread caller = new Thread(group, task, "caller");
    caller.start();
    caller.join();
  }

  @Test
  void aThreadDoesNotInheritTheGroupOfWhoeverMakesIt() throws Exception {
    ThreadGroup counted = new ThreadGroup("counted");
    AtomicReference<Thread> made = new AtomicReference<>();
    inCountedGroup(() -> made.set(HdrfThreads.create("one", () -> {})), counted);
    assertThat(made.get().getThreadGroup().getName()).isEqualTo(HdrfThreads.GROUP_NAME);
    assertThat(counted.parentOf(made.get().getThreadGroup())).isFalse();
    assertThat(made.get().isDaemon()).isTrue();
    assertThat(made.get().getThreadGroup().getParent().getParent()).isNull();
  }

  @Test
  void norDoTheThreadsOfAnExecutorThatGrowsOnAnothersThread() throws Exception {
    ThreadGroup counted = new ThreadGroup("counted");
    ExecutorService executor = Executors.newCachedThreadPool(HdrfThreads.factory("pool"));
    try {
      AtomicReference<Future<String>> group = new AtomicReference<>();
      inCountedGroup(
          () ->
              group.set(
                  executor.submit(
                      () ->
                          Thread.currentThread().getThreadGroup().getName()
                              + " "
                              + Thread.currentThread().getName())),
          counted);
      assertThat(group.get().get()).isEqualTo("hdrf pool-1");
      assertThat(counted.activeCount()).isZero();
    } finally {
      executor.shutdown();
    }
  }

  @Test
  void whatEndsAThreadIsHandled() {
    Thread thread = HdrfThreads.create("one", () -> {});
    assertThat(thread.getUncaughtExceptionHandler()).isNotSameAs(thread.getThreadGroup());
  }
}
