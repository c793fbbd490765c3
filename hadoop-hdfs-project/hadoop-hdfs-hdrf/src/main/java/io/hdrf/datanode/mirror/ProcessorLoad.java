/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode.mirror;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** How busy the machine's processors are, by the kernel's count of clock ticks. Thread-safe. */
final class ProcessorLoad {

  private static final Logger LOG = LoggerFactory.getLogger(ProcessorLoad.class);

  /** The share of busy processors at which none counts as idle. */
  private static final double FULL = 0.9;

  /** The share at which work is better saved than put off. */
  private static final double HALF = 0.5;

  /** Over fewer ticks of all processors nothing is known. */
  private static final long LEAST_TICKS = 10;

  /** The field of the first line of {@link #stat}, behind its name, of what gives way to others. */
  private static final int NICE = 1;

  private static final int IDLE = 3;
  private static final int WAITING = 4;

  /** User, nice, system, idle, waiting, interrupts (two) and stolen; what follows is in these. */
  private static final int FIELDS = 8;

  private final Path stat;

  ProcessorLoad() {
    this(Paths.get("/proc/stat"));
  }

  /**
   * @param stat in the format of proc(5)
   */
  ProcessorLoad(Path stat) {
    this.stat = stat;
  }

  /**
   * Begins to measure.
   *
   * @return tells whether all processors have been busy since, with what does not give way to
   *     others as the Reducer does; yes also where the time was too short to tell, and no where the
   *     kernel does not tell
   */
  BooleanSupplier beginFull() {
    return begin(FULL, true);
  }

  /**
   * Begins to measure.
   *
   * @return tells whether half of the processors have been busy since, with whatever; yes also
   *     where the time was too short to tell, and no where the kernel does not tell
   */
  BooleanSupplier beginHalf() {
    return begin(HALF, false);
  }

  private BooleanSupplier begin(double share, boolean niceIsIdle) {
    long[] before = ticks(niceIsIdle);
    return () -> {
      long[] now = ticks(niceIsIdle);
      if (before == null || now == null) {
        return false;
      }
      long all = now[0] - before[0];
      return all < LEAST_TICKS || all - (now[1] - before[1]) >= share * all;
    };
  }

  /** Returns the ticks of all processors, and those of idle ones; null if they can't be read. */
  private long[] ticks(boolean niceIsIdle) {
    try (BufferedReader reader = Files.newBufferedReader(stat, StandardCharsets.US_ASCII)) {
      String line = reader.readLine();
      String[] fields = (line == null ? "" : line).trim().split("\\s+", -1);
      long[] ticks = new long[2];
      for (int i = 0; i < FIELDS; i++) {
        long count = Long.parseLong(fields[1 + i]);
        ticks[0] += count;
        ticks[1] += i == IDLE || i == WAITING || (i == NICE && niceIsIdle) ? count : 0;
      }
      return ticks;
    } catch (IOException | RuntimeException e) {
      LOG.debug("{} can't be read", stat, e);
      return null;
    }
  }
}
