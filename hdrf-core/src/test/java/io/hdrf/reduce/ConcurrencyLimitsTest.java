/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.reduce;

import static org.assertj.core.api.Assertions.assertThat;

import io.hdrf.scheme.SchemeChain;
import io.hdrf.scheme.SchemeRegistry;
import io.hdrf.spi.scheme.ReductionScheme;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ConcurrencyLimitsTest {

  private final ConcurrencyLimits limits =
      new ConcurrencyLimits(ReductionScheme::maxConcurrentBlocks);
  private SchemeRegistry registry;

  @BeforeEach
  void register() throws Exception {
    registry =
        SchemeRegistry.of(
            List.of(
                new HookedScheme("one", 65101, 1),
                new HookedScheme("two", 65102, 2),
                new HookedScheme("any", 65103, Integer.MAX_VALUE)));
  }

  private SchemeChain chain(String names) throws Exception {
    return SchemeChain.parse("chain", names, registry);
  }

  private int mostAtOnce(SchemeChain... chains) throws Exception {
    AtomicInteger inside = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();
    ExecutorService threads = Executors.newFixedThreadPool(8);
    try {
      List<Future<?>> tasks = new ArrayList<>();
      for (int i = 0; i < 160; i++) {
        SchemeChain chain = chains[i % chains.length];
        tasks.add(
            threads.submit(
                () -> {
                  limits.acquire(chain);
                  most.accumulateAndGet(inside.incrementAndGet(), Math::max);
                  Thread.sleep(1);
                  inside.decrementAndGet();
                  limits.release(chain);
                  return null;
                }));
      }
      for (Future<?> task : tasks) {
        task.get();
      }
    } finally {
      threads.shutdownNow();
      threads.awaitTermination(10, TimeUnit.SECONDS);
    }
    return most.get();
  }

  @Test
  void aSchemeGetsNoMoreBlocksThanItTakes() throws Exception {
    assertThat(mostAtOnce(chain("two"))).isEqualTo(2);
    assertThat(mostAtOnce(chain("one"))).isEqualTo(1);
    assertThat(mostAtOnce(chain("any,two"), chain("two"))).isEqualTo(2);
  }

  @Test
  void aSchemeWithoutALimitGetsThemAll() throws Exception {
    assertThat(mostAtOnce(chain("any"))).isGreaterThan(2);
  }

  @Test
  void chainsInAnyOrderNeverWaitForEachOther() throws Exception {
    assertThat(mostAtOnce(chain("one,two"), chain("two,one"), chain("two,any,one"))).isEqualTo(1);
  }

  @Test
  void whoIsInterruptedKeepsNothing() throws Exception {
    SchemeChain two = chain("two");
    limits.acquire(two);
    limits.acquire(two);
    // Gets the permit of "one", then waits for "two".
    Thread waiting =
        new Thread(
            () -> {
              try {
                limits.acquire(chain("one,two"));
              } catch (InterruptedException e) {
                return;
              } catch (Exception e) {
                throw new AssertionError(e);
              }
              throw new AssertionError("not interrupted");
            });
    waiting.start();
    while (waiting.getState() != Thread.State.WAITING) {
      Thread.sleep(5);
    }
    waiting.interrupt();
    waiting.join();
    limits.release(two);
    limits.release(two);
    SchemeChain both = chain("one,two");
    limits.acquire(both);
    limits.release(both);
    assertThat(mostAtOnce(two)).isEqualTo(2);
  }

  @Test
  void whatIsInProcessAndWhatWaitsIsCounted() throws Exception {
    assertThat(limits.tryAcquire(chain("any,one"))).isTrue();
    assertThat(limits.tryAcquire(chain("one,two"))).isFalse();
    assertThat(limits.tryAcquire(chain("any"))).isTrue();
    assertThat(limits.inProcess()).isEqualTo(Map.of("any", 2, "one", 1));
    Thread waiting =
        new Thread(
            () -> {
              try {
                limits.acquire(chain("one,two"));
              } catch (Exception e) {
                throw new AssertionError(e);
              }
            });
    waiting.start();
    while (waiting.getState() != Thread.State.WAITING) {
      Thread.sleep(5);
    }
    assertThat(limits.waiting()).isEqualTo(Map.of("one", 1, "two", 1));
    limits.release(chain("any,one"));
    waiting.join();
    assertThat(limits.waiting()).isEqualTo(Map.of("one", 0, "two", 0));
    assertThat(limits.inProcess()).isEqualTo(Map.of("any", 1, "one", 1, "two", 1));
  }
}
