/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.spi.thread;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class RepeatingThreadTest {

  private static final long LONG = 50_000;

  @Test
  void stepsFollowWhateverIsThrown() throws Exception {
    ArrayDeque<Throwable> faults =
        new ArrayDeque<>(
            List.of(
                new OutOfMemoryError("for a test"),
                new StackOverflowError("for a test"),
                new NoClassDefFoundError("for a test"),
                new AssertionError("for a test"),
                new IOException("for a test"),
                new IllegalStateException("for a test"),
                new InterruptedException("for a test"),
                new Throwable("for a test")));
    CountDownLatch survived = new CountDownLatch(1);
    RepeatingThread thread =
        new RepeatingThread(
            "test",
            () -> {
              Throwable fault = faults.poll();
              if (fault == null) {
                survived.countDown();
                Thread.sleep(LONG);
              } else {
                RepeatingThreadTest.<RuntimeException>raise(fault);
              }
            });
    thread.start();
    survived.await();
    thread.stop();
    assertThat(thread.isStopping()).isTrue();
    thread.interrupt();
    assertThat(thread.join(LONG)).isTrue();
  }

  @SuppressWarnings("unchecked")
  private static <T extends Throwable> void raise(Throwable thrown) throws T {
    throw (T) thrown;
  }

  @Test
  void theEndComesOnceAndLast() {
    AtomicInteger steps = new AtomicInteger();
    AtomicInteger ends = new AtomicInteger();
    CountDownLatch begun = new CountDownLatch(1);
    RepeatingThread thread =
        new RepeatingThread(
            "test",
            new RepeatingThread.Task() {
              @Override
              public void step() {
                steps.incrementAndGet();
                begun.countDown();
              }

              @Override
              public void end() {
                ends.incrementAndGet();
                throw new AssertionError("for a test");
              }
            });
    thread.start();
    thread.start();
    await(begun);
    thread.stop();
    assertThat(thread.join(LONG)).isTrue();
    int after = steps.get();
    thread.start();
    assertThat(ends).hasValue(1);
    assertThat(steps).hasValue(after);
  }

  /** A thread that waits after a failure is stopped at once. */
  @Test
  void stoppingEndsThePauseAfterAFailure() throws Exception {
    CountDownLatch failures = new CountDownLatch(8);
    RepeatingThread thread =
        new RepeatingThread(
            "test",
            () -> {
              failures.countDown();
              throw new IOException("for a test");
            });
    thread.start();
    failures.await();
    thread.stop();
    assertThat(thread.join(LONG)).isTrue();
  }

  @Test
  void whatIsStoppedBeforeItBeganNeverBegins() {
    AtomicInteger steps = new AtomicInteger();
    RepeatingThread thread = new RepeatingThread("test", steps::incrementAndGet);
    thread.stop();
    thread.start();
    assertThat(thread.join(LONG)).isTrue();
    assertThat(steps).hasValue(0);
  }

  @Test
  void anInterruptionDoesNotEndTheWaitForTheEnd() {
    CountDownLatch going = new CountDownLatch(1);
    AtomicInteger ends = new AtomicInteger();
    RepeatingThread thread =
        new RepeatingThread(
            "test",
            new RepeatingThread.Task() {
              @Override
              public void step() throws Exception {
                going.countDown();
                Thread.sleep(LONG);
              }

              @Override
              public void end() throws Exception {
                Thread.sleep(50);
                ends.incrementAndGet();
              }
            });
    thread.start();
    await(going);
    thread.stop();
    thread.interrupt();
    Thread.currentThread().interrupt();
    thread.join();
    assertThat(Thread.interrupted()).isTrue();
    assertThat(ends).hasValue(1);
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
