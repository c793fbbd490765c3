/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.spi.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.hdrf.spi.memory.MemoryShare.Kind;
import io.hdrf.spi.scheme.TestSeed;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class MemoryBudgetTest {

  private final MemoryBudget budget = new MemoryBudget(1000);

  /** A cache of entries, of which the oldest go. */
  private static final class Cache {
    private final MemoryShare share;
    private final ArrayDeque<Integer> entries = new ArrayDeque<>();

    Cache(MemoryBudget budget, Kind kind, long least, long most) {
      share = budget.open("Entries", kind, least, most, this::shrink);
    }

    synchronized void add(int bytes) {
      boolean any = true;
      while (any && share.used() + bytes > share.most) {
        any = dropOldest();
      }
      while (any && !share.tryReserve(bytes)) {
        any = dropOldest();
      }
      if (any) {
        entries.add(bytes);
      }
    }

    private boolean dropOldest() {
      if (entries.isEmpty()) {
        return false;
      }
      share.release(entries.poll());
      return true;
    }

    private synchronized void shrink(long bytes) {
      long goal = share.used() - bytes;
      while (share.used() > goal && dropOldest()) {
        // Others need it more.
      }
    }

    void fill() {
      for (int i = 0; i < 200; i++) {
        add(10);
      }
    }

    synchronized void close() {
      entries.clear();
      share.close();
    }
  }

  private Cache cache(long least, long most) {
    return new Cache(budget, Kind.CACHE, least, most);
  }

  @Test
  void aUserMayHaveWhatOthersLeave() {
    Cache busy = cache(10, 2000);
    Cache idle = cache(100, 2000);
    busy.fill();
    assertThat(busy.share.used()).as("all but the least of the other").isEqualTo(900);
    assertThat(idle.share.tryReserve(100)).isTrue();
    assertThat(idle.share.tryReserve(1)).isFalse();
    assertThat(budget.used()).isEqualTo(1000);
    assertThat(budget.declined()).isPositive();
    idle.close();
    busy.fill();
    assertThat(busy.share.used()).isEqualTo(1000);
    busy.close();
    assertThat(budget.used()).isZero();
  }

  @Test
  void aBoundOfItsOwnStillHolds() {
    Cache bounded = cache(0, 300);
    bounded.fill();
    assertThat(bounded.share.used()).isEqualTo(300);
    assertThat(budget.declined()).isZero();
  }

  @Test
  void whoNeedsMoreGetsItFromWhoHasMoreThanItsPart() {
    Cache first = cache(0, 1000);
    Cache second = cache(0, 500);
    first.fill();
    second.fill();
    assertThat(first.share.used()).isEqualTo(1000);
    assertThat(second.share.used()).isZero();
    for (int i = 0; i < 10; i++) {
      budget.balance();
      first.fill();
      second.fill();
    }
    assertThat(first.share.used()).isBetween(600L, 670L);
    assertThat(second.share.used()).isBetween(330L, 400L);
    assertThat(budget.reclaimed()).isPositive();
    second.close();
    first.fill();
    budget.balance();
    first.fill();
    assertThat(first.share.used()).isEqualTo(1000);
  }

  /** What was of use long ago is given up to its least, unless it can't be had again. */
  @Test
  void aCacheThatIsNotUsedGivesAllButItsLeast() {
    Cache idle = cache(50, 1000);
    Cache lasting = new Cache(budget, Kind.LASTING, 50, 1000);
    for (int i = 0; i < 40; i++) {
      idle.add(10);
      lasting.add(10);
    }
    Cache busy = cache(50, 1000);
    for (int i = 0; i < MemoryBudget.IDLE_TURNS; i++) {
      budget.balance();
    }
    assertThat(idle.share.used()).as("nobody needs it").isEqualTo(400);
    for (int i = 0; i < 3; i++) {
      busy.fill();
      budget.balance();
    }
    assertThat(idle.share.used()).isEqualTo(50);
    assertThat(lasting.share.used()).isEqualTo(400);
    busy.fill();
    assertThat(busy.share.used()).isEqualTo(550);
  }

  @Test
  void touchedIsUsed() {
    Cache first = cache(0, 1000);
    first.fill();
    Cache second = cache(0, 1000);
    for (int i = 0; i < 2 * MemoryBudget.IDLE_TURNS; i++) {
      first.share.touch();
      second.fill();
      budget.balance();
    }
    assertThat(first.share.used()).isBetween(490L, 510L);
  }

  @Test
  void aNewUserGetsItsLeastAtOnce() {
    Cache first = cache(0, 1000);
    first.fill();
    Cache second = cache(200, 1000);
    assertThat(first.share.used()).isEqualTo(800);
    assertThat(second.share.tryReserve(200)).isTrue();
  }

  @Test
  void whoHoldsNoLockNeedNotWait() {
    Cache first = cache(0, 1000);
    first.fill();
    MemoryShare second = budget.open("Others", Kind.LASTING, 0, 1000, null);
    assertThat(second.tryReserve(300)).isFalse();
    assertThat(second.reserve(300)).isTrue();
    assertThat(second.reserve(300)).as("more than its part").isFalse();
    assertThat(budget.used()).isLessThanOrEqualTo(1000);
    assertThat(budget.usedByUser()).containsEntry("Others", 300L);
  }

  @Test
  void theLimitIsRaisedToWhatAllNeedAtLeast() {
    MemoryShare first = budget.open("First", Kind.CACHE, 800, 1000, null);
    MemoryShare second = budget.open("Second", Kind.CACHE, 700, 1000, null);
    assertThat(budget.limit()).isEqualTo(1500);
    assertThat(first.tryReserve(800)).isTrue();
    assertThat(second.tryReserve(700)).isTrue();
    second.close();
    assertThat(budget.limit()).isEqualTo(1000);
    second.release(700);
    assertThat(second.tryReserve(1)).isFalse();
    assertThat(budget.used()).isEqualTo(800);
  }

  @Test
  void withoutABoundAllFits() {
    MemoryBudget unlimited = new MemoryBudget(MemoryBudget.UNLIMITED);
    MemoryShare share = unlimited.open("Much", Kind.CACHE, 1, Long.MAX_VALUE, null);
    unlimited.open("More", Kind.CACHE, 1, Long.MAX_VALUE, null);
    assertThat(share.tryReserve(1L << 60)).isTrue();
    unlimited.balance();
    assertThat(share.tryReserve(1L << 60)).isTrue();
    assertThat(share.used()).isEqualTo(1L << 61);
  }

  /** Users come, go, grow and give way, in many threads: the sum never exceeds the bound. */
  @Test
  void theSumIsNeverMore() throws Exception {
    MemoryBudget shared = new MemoryBudget(100_000);
    AtomicBoolean done = new AtomicBoolean();
    AtomicLong highest = new AtomicLong();
    ExecutorService threads = Executors.newCachedThreadPool();
    try {
      final Future<?> balancer =
          threads.submit(
              () -> {
                while (!done.get()) {
                  shared.balance();
                }
              });
      List<Future<?>> users = new ArrayList<>();
      for (int user = 0; user < 6; user++) {
        Random random = TestSeed.random("memory budget " + user);
        users.add(
            threads.submit(
                () -> {
                  for (int life = 0; life < 20; life++) {
                    Kind kind = random.nextBoolean() ? Kind.CACHE : Kind.LASTING;
                    int most = 10_000 + random.nextInt(90_000);
                    Cache cache = new Cache(shared, kind, random.nextInt(10_000), most);
                    for (int i = 0; i < 500; i++) {
                      cache.add(1 + random.nextInt(2000));
                      highest.accumulateAndGet(shared.used(), Math::max);
                    }
                    cache.close();
                  }
                }));
      }
      for (Future<?> user : users) {
        user.get();
      }
      done.set(true);
      balancer.get();
    } finally {
      done.set(true);
      threads.shutdownNow();
    }
    assertThat(shared.used()).isZero();
    assertThat(shared.usedByUser()).isEmpty();
    assertThat(highest.get()).isBetween(80_000L, 100_000L);
  }
}
