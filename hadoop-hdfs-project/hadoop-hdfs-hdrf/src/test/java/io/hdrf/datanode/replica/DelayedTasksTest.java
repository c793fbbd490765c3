/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode.replica;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class DelayedTasksTest {

  private final List<String> run = Collections.synchronizedList(new ArrayList<>());
  private final CountDownLatch last = new CountDownLatch(1);

  @Test
  void whatIsDueIsRunWhateverBecomesOfOthers() throws Exception {
    try (DelayedTasks tasks = new DelayedTasks()) {
      tasks.after(TimeUnit.DAYS.toNanos(1), () -> run.add("tomorrow's"));
      tasks.after(
          0,
          () -> {
            run.add("first");
            throw new IllegalStateException("expected by the test");
          });
      tasks.after(0, () -> run.add("second"));
      tasks.after(1, last::countDown);
      last.await();
      assertThat(run).containsExactly("first", "second");
    }
  }

  @Test
  void nothingIsTakenOnceItIsClosed() throws Exception {
    DelayedTasks tasks = new DelayedTasks();
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch closed = new CountDownLatch(1);
    tasks.after(
        0,
        () -> {
          begun.countDown();
          try {
            closed.await();
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          }
          run.add("the one that was under way");
          last.countDown();
        });
    begun.await();
    tasks.close();
    tasks.after(0, () -> run.add("one that came later"));
    closed.countDown();
    last.await();
    assertThat(run).containsExactly("the one that was under way");
  }
}
