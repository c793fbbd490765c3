/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.spi.io;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.hdrf.spi.memory.MemoryBudget;
import io.hdrf.spi.memory.MemoryShare;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

class BufferPoolTest {

  @Test
  void buffersHaveTheLengthAskedFor() {
    BufferPool pool = new BufferPool(0);
    List<Integer> lengths = new ArrayList<>(List.of(0, 1));
    for (int power = 2; power <= 1 << 26; power *= 2) {
      lengths.addAll(
          List.of(power - 1, power, power + 1, power + power / 4, power + power / 2 + 1));
    }
    for (int length : lengths) {
      ByteBuffer buffer = pool.take(length);
      assertThat(buffer.isDirect()).isTrue();
      assertThat(buffer.position()).isZero();
      assertThat(buffer.limit()).isEqualTo(length);
      assertThat(buffer.capacity()).isLessThanOrEqualTo(Math.max(4096, length + length / 4));
    }
  }

  /** Fails in a JVM of its own, where direct memory is little, if idle buffers stay. */
  static final class Wanting {
    public static void main(String[] arguments) {
      BufferPool shared = BufferPool.shared();
      List<ByteBuffer> many = new ArrayList<>();
      for (int i = 0; i < 150; i++) {
        many.add(shared.take(320 << 10));
      }
      many.forEach(shared::give);
      many.clear();
      // What others may have.
      ByteBuffer.allocateDirect(40 << 20);
      BufferPool pool = new BufferPool(Long.MAX_VALUE);
      pool.give(pool.take(10 << 20));
      pool.take(12 << 20);
    }
  }

  @Test
  void idleBuffersGoWhereDirectMemoryIsWanted() throws Exception {
    Process jvm =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx1g",
                "-XX:MaxDirectMemorySize=64m",
                "-cp",
                System.getProperty("java.class.path"),
                Wanting.class.getName())
            .redirectErrorStream(true)
            .start();
    String output = new String(jvm.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(jvm.waitFor()).as(output).isZero();
  }

  @Test
  void aBufferIsUsedAgain() {
    BufferPool pool = new BufferPool(1 << 20);
    ByteBuffer buffer = pool.take(100_000);
    buffer.put((byte) 1);
    pool.give(buffer);
    ByteBuffer again = pool.take(99_999);
    assertThat(again).isSameAs(buffer);
    assertThat(again.position()).isZero();
    assertThat(again.limit()).isEqualTo(99_999);
    assertThat(pool.take(100_000)).isNotSameAs(buffer);
  }

  @Test
  void aLargerBufferTakesThePlaceOfOne() {
    BufferPool pool = new BufferPool(1 << 20);
    ByteBuffer buffer = pool.take(10);
    assertThat(pool.atLeast(buffer, buffer.capacity())).isSameAs(buffer);
    ByteBuffer larger = pool.atLeast(buffer, buffer.capacity() + 1);
    assertThat(larger.capacity()).isGreaterThan(buffer.capacity());
    assertThat(pool.take(10)).isSameAs(buffer);
  }

  /** If it were given back, its user would give it back once more, and two would have it next. */
  @Test
  void aBufferStaysWithItsUserWhereThereIsNoMemoryForALargerOne() {
    assumeThat(Runtime.getRuntime().maxMemory()).isLessThanOrEqualTo(2L << 30);
    BufferPool pool = new BufferPool(64 << 20);
    // With it the next one is more than the JVM's limit.
    ByteBuffer buffer = pool.take(64 << 20);
    assertThatThrownBy(() -> pool.atLeast(buffer, Integer.MAX_VALUE))
        .isInstanceOf(OutOfMemoryError.class);
    assertThat(pool.idleBytes()).isZero();
  }

  @Test
  void idleBuffersAreBounded() {
    BufferPool pool = new BufferPool(100 << 10);
    List<ByteBuffer> buffers = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      buffers.add(pool.take(16 << 10));
    }
    buffers.forEach(pool::give);
    assertThat(pool.idleBytes()).isEqualTo(96 << 10);
    pool.give(pool.take(200 << 10));
    assertThat(pool.idleBytes()).isLessThanOrEqualTo(100 << 10);
  }

  @Test
  void otherSizesGiveWay() {
    BufferPool pool = new BufferPool(64 << 10);
    ByteBuffer old = pool.take(64 << 10);
    pool.give(old);
    ByteBuffer current = pool.take(32 << 10);
    pool.give(current);
    assertThat(pool.take(32 << 10)).isSameAs(current);
    assertThat(pool.idleBytes()).isZero();
  }

  @Test
  void foreignBuffersAreRefused() {
    BufferPool pool = new BufferPool(1 << 20);
    assertThatThrownBy(() -> pool.give(ByteBuffer.allocateDirect(5000)))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> pool.give(ByteBuffer.allocate(4096)))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> pool.take(-1)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void idleBuffersStayWithinABudget() {
    MemoryBudget budget = new MemoryBudget((5 << 20) + 1000);
    BufferPool pool = new BufferPool(64 << 20);
    pool.give(pool.take(64 << 10));
    Runnable end = pool.countIn(budget);
    assertThat(pool.idleBytes()).as("what nobody counted").isZero();
    List<ByteBuffer> buffers = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      buffers.add(pool.take(1 << 20));
    }
    assertThat(budget.used()).isZero();
    buffers.forEach(pool::give);
    assertThat(pool.idleBytes()).isEqualTo(5 << 20).isEqualTo(budget.used());
    pool.take(1 << 20);
    assertThat(pool.idleBytes()).isEqualTo(4 << 20).isEqualTo(budget.used());
    end.run();
    assertThat(pool.idleBytes()).isZero();
    assertThat(budget.usedByUser()).isEmpty();
    pool.give(pool.take(16 << 10));
    assertThat(pool.idleBytes()).isEqualTo(16 << 10);
    assertThat(budget.used()).isZero();
  }

  /** However often the same buffers come back, others give way for no more than these. */
  @Test
  void buffersThatComeBackOftenTakeNoMoreThanTheyAre() {
    int length = 1 << 20;
    MemoryBudget budget = new MemoryBudget(200L * length);
    AtomicLong lost = new AtomicLong();
    AtomicReference<MemoryShare> filters = new AtomicReference<>();
    filters.set(
        budget.open(
            "Filters",
            MemoryShare.Kind.LASTING,
            0,
            200L * length,
            bytes -> {
              filters.get().release(bytes);
              lost.addAndGet(bytes);
            }));
    BufferPool pool = new BufferPool(200L * length);
    Runnable end = pool.countIn(budget);
    while (filters.get().tryReserve(length)) {
      // Until there is no room.
    }
    for (int turn = 0; turn < 4; turn++) {
      for (int i = 0; i < 50; i++) {
        List<ByteBuffer> taken = new ArrayList<>();
        for (int j = 0; j < 6; j++) {
          taken.add(pool.take(length));
        }
        taken.forEach(pool::give);
      }
      budget.balance();
    }
    assertThat(budget.usedByUser()).containsEntry("IdleBuffers", 6L * length);
    assertThat(lost.get()).isBetween(2L * length, 8L * length);
    end.run();
  }
}
