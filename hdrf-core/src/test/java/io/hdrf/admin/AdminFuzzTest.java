/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.admin;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Reads any bytes as calls of administrators and as answers of DataNodes. Runs on the kept inputs;
 * with {@code JAZZER_FUZZ=1} and one method chosen, it looks for new ones.
 */
class AdminFuzzTest {

  private static final CallFormat FORMAT = new CallFormat(HdrfAdminProtocol.class);

  /**
   * Heap that one input may take beyond that in proportion to its length; Jazzer takes most of it.
   */
  private static final long MAX_HEAP = 4 << 20;

  private interface Reading {
    void read() throws IOException;
  }

  /** A first time may load classes. */
  private static void bounded(byte[] bytes, Reading reading) {
    boolean suspect = takesTooMuch(bytes, reading);
    if (suspect && takesTooMuch(bytes, reading)) {
      throw new AssertionError("too much memory for " + bytes.length + " bytes");
    }
  }

  private static boolean takesTooMuch(byte[] bytes, Reading reading) {
    return taken(reading) > MAX_HEAP + 200L * bytes.length;
  }

  private static long taken(Reading reading) {
    var threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
    long before = threads.getThreadAllocatedBytes(Thread.currentThread().getId());
    try {
      reading.read();
    } catch (IOException expected) {
      // Refused.
    }
    return threads.getThreadAllocatedBytes(Thread.currentThread().getId()) - before;
  }

  private static void check(boolean right) {
    if (!right) {
      throw new AssertionError();
    }
  }

  /** Accepted bytes are a call of this interface, and have the same meaning if sent again. */
  @FuzzTest(maxDuration = "1m")
  void anyCall(byte[] bytes) {
    bounded(
        bytes,
        () -> {
          CallFormat.Call call = FORMAT.decodeCall(bytes);
          check(call.method().getDeclaringClass() == HdrfAdminProtocol.class);
          CallFormat.Call again =
              FORMAT.decodeCall(FORMAT.encodeCall(call.method(), call.arguments()));
          check(again.method().equals(call.method()));
          check(Arrays.deepEquals(again.arguments(), call.arguments()));
        });
  }

  /** Bytes accepted as a method's result have the same meaning if sent again. */
  @FuzzTest(maxDuration = "1m")
  void anyResult(byte[] bytes) {
    for (Method method : HdrfAdminProtocol.class.getMethods()) {
      bounded(
          bytes,
          () -> {
            Object result = FORMAT.decodeResult(method, bytes);
            Object again = FORMAT.decodeResult(method, FORMAT.encodeResult(method, result));
            check(Arrays.deepEquals(new Object[] {again}, new Object[] {result}));
          });
    }
  }

  /** Lines of answers are refused, or are written again as they were understood. */
  @FuzzTest(maxDuration = "1m")
  void anyLine(byte[] bytes) {
    String line = new String(bytes, StandardCharsets.UTF_8);
    bounded(
        bytes,
        () -> {
          String volume = VolumeInfo.decode(line).encode();
          check(VolumeInfo.decode(volume).encode().equals(volume));
        });
    bounded(
        bytes,
        () -> {
          String job = JobInfo.decode(line).encode();
          check(JobInfo.decode(job).encode().equals(job));
        });
    bounded(
        bytes,
        () -> {
          String blocks = ReducedBlocks.decode(line).encode();
          check(ReducedBlocks.decode(blocks).encode().equals(blocks));
        });
    bounded(
        bytes,
        () -> {
          String use = VolumeUse.decode(line).encode();
          check(VolumeUse.decode(use).encode().equals(use));
        });
    String[] lines = line.split("\n", -1);
    bounded(bytes, () -> MetricLines.decode(lines));
    bounded(
        bytes,
        () -> {
          ReferenceReport report = new ReferenceReport(lines);
          check(report.references() >= 0 || report.lines().size() > 1);
        });
  }

  @FuzzTest(maxDuration = "1m")
  void anyPage(byte[] bytes) {
    bounded(bytes, () -> check(RecordPage.decode(bytes).records().size() <= RecordPage.MAX_BLOCKS));
    bounded(
        bytes,
        () -> {
          long[] ids = BlockIds.decode(bytes);
          check(Arrays.equals(BlockIds.encode(ids, ids.length), bytes));
        });
  }
}
