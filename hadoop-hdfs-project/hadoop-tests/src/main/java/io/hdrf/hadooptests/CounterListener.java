/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.hadooptests;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.HashMap;
import java.util.Map;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.support.descriptor.ClassSource;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;

/**
 * Writes HDRF's counters in this JVM to a file named after the test class, in the directory of the
 * system property {@code hadoop.tests.counters.dir}; without that property, nothing.
 *
 * <p>The file is written again after each test method, so that a class which is killed by its
 * time-out leaves its counts, and once more when the JVM ends. Each class needs its own JVM, as the
 * counters are those of the JVM.
 */
public final class CounterListener implements TestExecutionListener {
  /** The class with the counters, which has a static {@code Map<String, Long> jvmTotals()}. */
  private static final String COUNTERS_CLASS =
      "org.apache.hadoop.hdfs.server.datanode.fsdataset.impl.CountedDatasetFactory";

  private final Path directory;
  private volatile String testClass;

  /** Called by the JUnit Platform, which finds this class as a service. */
  public CounterListener() {
    this(path(System.getProperty("hadoop.tests.counters.dir")));
    if (directory != null) {
      Runtime.getRuntime().addShutdownHook(new Thread(this::write, "hdrf-test-counters"));
    }
  }

  /**
   * @param directory null to write nothing
   */
  CounterListener(Path directory) {
    this.directory = directory;
  }

  private static Path path(String name) {
    return name == null ? null : Paths.get(name);
  }

  /** Takes the name of the outermost class: that of a nested one comes later. */
  @Override
  public void executionStarted(TestIdentifier test) {
    if (testClass == null) {
      test.getSource()
          .filter(ClassSource.class::isInstance)
          .ifPresent(source -> testClass = ((ClassSource) source).getClassName());
    }
  }

  @Override
  public void executionFinished(TestIdentifier test, TestExecutionResult result) {
    if (test.isTest()) {
      write();
    }
  }

  private synchronized void write() {
    String name = testClass;
    if (directory == null || name == null) {
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
