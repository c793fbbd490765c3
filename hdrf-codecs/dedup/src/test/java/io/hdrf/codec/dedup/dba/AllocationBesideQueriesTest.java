/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.dba;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Queries never keep the collector from running. On some virtual machines, a thread that allocates
 * memory while native code holds arrays gets an OutOfMemoryError, although there is plenty.
 */
class AllocationBesideQueriesTest {

  private static final int QUERIERS = 6;
  private static final int ALLOCATORS = 4;

  /** Garbage that each allocating thread makes, in pieces of a size that is met all the time. */
  private static final int PIECES = 12_000;

  private static final int PIECE = 64 << 10;

  @TempDir Path directory;

  @Test
  void threadsBesideQueriesGetTheirMemory() throws Exception {
    Path output = directory.resolve("output");
    Process child =
        new ProcessBuilder(
                Paths.get(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseG1GC",
                "-Xms96m",
                "-Xmx96m",
                "-cp",
                System.getProperty("java.class.path"),
                Child.class.getName())
            .redirectErrorStream(true)
            .redirectOutput(new File(output.toString()))
            .start();
    boolean ended = child.waitFor(2, TimeUnit.MINUTES);
    child.destroyForcibly();
    String said = Files.readString(output);
    assertThat(ended).as(said).isTrue();
    assertThat(child.exitValue()).as(said).isZero();
    assertThat(said).contains("done");
  }

  /** The virtual machine that runs the queries. */
  static final class Child {

    private static final AtomicReference<Throwable> FAILURE = new AtomicReference<>();

    public static void main(String[] arguments) throws Exception {
      Shape shape = new Shape(40_000, 8);
      int width = 64;
      Random random = new Random(1);
      Filter[] filters = new Filter[width];
      FilterGroup group = FilterGroup.empty(shape, width);
      for (int column = 0; column < width; column++) {
        filters[column] = new Filter(shape, column);
        group.add(column, 0, random.longs(60_000).toArray(), 0, 30_000);
      }
      FilterGroup[] groups = {group.with(filters)};
      AtomicBoolean ended = new AtomicBoolean();
      AtomicInteger left = new AtomicInteger(ALLOCATORS);
      Thread[] threads = new Thread[QUERIERS + ALLOCATORS];
      for (int i = 0; i < threads.length; i++) {
        int seed = i;
        threads[i] =
            i < QUERIERS
                ? new Thread(() -> run(() -> query(groups, seed, ended), ended))
                : new Thread(
                    () -> {
                      run(() -> allocate(ended), ended);
                      if (left.decrementAndGet() == 0) {
                        ended.set(true);
                      }
                    });
        threads[i].start();
      }
      for (Thread thread : threads) {
        thread.join();
      }
      if (FAILURE.get() != null) {
        FAILURE.get().printStackTrace(System.out);
        System.exit(1);
      }
      System.out.println("done");
    }

    private static void run(Runnable work, AtomicBoolean ended) {
      try {
        work.run();
      } catch (Throwable e) {
        FAILURE.compareAndSet(null, e);
        ended.set(true);
      }
    }

    private static void query(FilterGroup[] groups, int seed, AtomicBoolean ended) {
      byte[] fingerprints = new byte[32 * Candidates.BATCH];
      new Random(seed).nextBytes(fingerprints);
      Candidates out = new Candidates();
      while (!ended.get()) {
        out.fill(fingerprints, Candidates.BATCH, groups, true);
      }
    }

    private static void allocate(AtomicBoolean ended) {
      byte[][] kept = new byte[32][];
      for (int i = 0; i < PIECES && !ended.get(); i++) {
        kept[i % kept.length] = new byte[PIECE];
      }
    }
  }
}
