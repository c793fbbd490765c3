/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.jni;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;

class NativeThreadsTest {

  private static final int MAX_NICE = 19;

  @Test
  void setsTheNiceValueOfTheCallingThreadAlone() throws Exception {
    assertThat(NativeLibrary.isLoaded()).as(NativeLibrary.whyNot()).isTrue();
    int before = ownNice();
    int wanted = Math.min(before + 3, MAX_NICE);
    int reached =
        inNewThread(
            () -> {
              assertThat(NativeThreads.setNice(wanted)).isTrue();
              return ownNice();
            });
    assertThat(reached).isEqualTo(wanted);
    assertThat(ownNice()).isEqualTo(before);
  }

  @Test
  void rejectsValuesOutOfRange() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> NativeThreads.setNice(20))
        .withMessageContaining("20");
    assertThatIllegalArgumentException().isThrownBy(() -> NativeThreads.setNice(-21));
  }

  private static int inNewThread(Callable<Integer> task)
      throws InterruptedException, ExecutionException {
    FutureTask<Integer> future = new FutureTask<>(task);
    Thread thread = new Thread(future);
    thread.start();
    return future.get();
  }

  /**
   * Reads field 19 of proc(5)'s stat; the second field is a name that may hold blanks and ends in
   * ')'.
   */
  private static int ownNice() throws IOException {
    String stat = Files.readString(Path.of("/proc/thread-self/stat"));
    String[] fromThird = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
    return Integer.parseInt(fromThird[19 - 3]);
  }
}
