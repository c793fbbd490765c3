/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.dba;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hdrf.jni.NativeWords;
import io.hdrf.spi.memory.MemoryBudget;
import io.hdrf.spi.memory.MemoryShare;
import java.util.Collections;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

class RowReclaimerTest {

  private final RowReclaimer memory =
      new RowReclaimer(
          MemoryBudget.unlimited().open("Rows", MemoryShare.Kind.LASTING, 0, 1 << 20, null));

  private void retire(NativeWords row) {
    memory.retire(Collections.singletonList(row));
  }

  private static void assertFreed(NativeWords row) {
    assertThatThrownBy(row::buffer).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void withoutReadersRowsAreGivenBackAtOnce() {
    NativeWords row = NativeWords.allocate(10);
    retire(row);
    assertFreed(row);
    assertThat(memory.unreclaimed()).isZero();
  }

  @Test
  void rowsStayUntilTheReadersThatMayHaveThemEnd() {
    NativeWords first = NativeWords.allocate(10);
    NativeWords second = NativeWords.allocate(10);
    int early = memory.enter();
    retire(first);
    int late = memory.enter();
    // Found by the late reader, not by one that comes now.
    retire(second);
    assertThat(first.buffer().get(0)).isZero();
    memory.exit(early);
    assertFreed(first);
    assertThat(second.buffer().get(0)).isZero();
    assertThat(memory.unreclaimed()).isEqualTo(1);
    memory.exit(late);
    assertFreed(second);
    assertThat(memory.unreclaimed()).isZero();
  }

  @Test
  void readersThatComeLaterDelayNothing() {
    NativeWords row = NativeWords.allocate(10);
    int early = memory.enter();
    retire(row);
    int late = memory.enter();
    memory.exit(early);
    assertFreed(row);
    memory.exit(late);
  }

  /** A reader of a released row would get an exception. */
  @Test
  void noReaderMeetsARowThatWasGivenBack() throws Exception {
    AtomicReference<NativeWords> published = new AtomicReference<>(NativeWords.allocate(8));
    AtomicBoolean ended = new AtomicBoolean();
    ExecutorService threads = Executors.newCachedThreadPool();
    Future<?>[] readers = new Future<?>[4];
    for (int i = 0; i < readers.length; i++) {
      readers[i] =
          threads.submit(
              () -> {
                while (!ended.get()) {
                  int entered = memory.enter();
                  try {
                    NativeWords row = published.get();
                    for (int read = 0; read < 50; read++) {
                      assertThat(row.buffer().get(0)).isZero();
                    }
                  } finally {
                    memory.exit(entered);
                  }
                }
              });
    }
    for (int i = 0; i < 20_000; i++) {
      retire(published.getAndSet(NativeWords.allocate(8)));
    }
    ended.set(true);
    for (Future<?> reader : readers) {
      reader.get(1, TimeUnit.MINUTES);
    }
    threads.shutdown();
    retire(published.get());
    assertThat(memory.unreclaimed()).isZero();
  }
}
