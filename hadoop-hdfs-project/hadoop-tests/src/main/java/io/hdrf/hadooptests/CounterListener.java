/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.hadooptests;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.HashMap;
import java.util.Map;
import org.junit.runner.Description;
import org.junit.runner.notification.RunListener;

/**
 * Writes HDRF's counters in this JVM to a file named after the test class, in the directory of the
 * system property {@code hadoop.tests.counters.dir}.
 *
 * <p>The file is written again after each test method, so that a class which is killed by its
 * time-out leaves its counts, and once more when the JVM ends. Each class needs its own JVM, as the
 * counters are those of the JVM.
 */
public final class CounterListener extends RunListener {
  /** The class with the counters, which has a static {@code Map<String, Long> jvmTotals()}. */
  private static final String COUNTERS_CLASS =
      "org.apache.hadoop.hdfs.server.datanode.fsdataset.impl.CountedDatasetFactory";

  private final Path directory;
  private volatile String testClass;

  /** Called by Surefire in the forked JVM. */
  public CounterListener() {
    this(Paths.get(System.getProperty("hadoop.tests.counters.dir", ".")));
    Runtime.getRuntime().addShutdownHook(new Thread(this::write, "hdrf-test-counters"));
  }

  CounterListener(Path directory) {
    this.directory = directory;
  }

  @Override
  public void testStarted(Description description) {
    testClass = description.getClassName();
  }

  @Override
  public void testFinished(Description description) {
    write();
  }

  private synchronized void write() {
    String name = testClass;
    if (name == null) {
      return;
    }
    try {
      CounterFiles.write(directory, name, totals(COUNTERS_CLASS));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Returns the totals of this JVM; empty where the class isn't on the class path (stock HDFS
   * alone).
   */
  static Map<String, Long> totals(String countersClass) {
    Class<?> type;
    try {
      type = Class.forName(countersClass);
    } catch (ClassNotFoundException absent) {
      return new HashMap<>();
    }
    try {
      Map<String, Long> totals = new HashMap<>();
      ((Map<?, ?>) type.getMethod("jvmTotals").invoke(null))
          .forEach((key, value) -> totals.put((String) key, ((Number) value).longValue()));
      return totals;
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(countersClass + " has no usable static jvmTotals()", e);
    }
  }
}
