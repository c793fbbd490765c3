/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.cluster;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The resources that a process has used since it started, from {@code /proc}.
 *
 * @param cpuSeconds user and system time
 * @param readBytes bytes fetched from devices, not from page cache
 * @param writtenBytes bytes dirtied for devices, less those deleted before they were written
 * @param residentBytes present memory
 */
public record ProcessUsage(
    double cpuSeconds, long readBytes, long writtenBytes, long residentBytes) {

  /**
   * Linux reports times to user space in hundredths of a second on every supported architecture.
   */
  private static final double TICKS_PER_SECOND = 100.0;

  /** Returns the usage so far less that at {@code before}; memory as it is now. */
  public ProcessUsage since(ProcessUsage before) {
    return new ProcessUsage(
        cpuSeconds - before.cpuSeconds,
        readBytes - before.readBytes,
        writtenBytes - before.writtenBytes,
        residentBytes);
  }

  /**
   * Reads the usage of a process.
   *
   * @throws IOException if there is no such process, or it belongs to another user
   */
  public static ProcessUsage of(long pid) throws IOException {
    Path proc = Path.of("/proc", Long.toString(pid));
    return parse(
        Files.readString(proc.resolve("stat")),
        Files.readString(proc.resolve("io")),
        Files.readString(proc.resolve("status")));
  }

  static ProcessUsage parse(String stat, String io, String status) throws IOException {
    // The second field is the command in parentheses and may itself hold spaces and parentheses.
    String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
    double cpu = (Long.parseLong(fields[11]) + Long.parseLong(fields[12])) / TICKS_PER_SECOND;
    return new ProcessUsage(
        cpu,
        field(io, "read_bytes:"),
        field(io, "write_bytes:") - field(io, "cancelled_write_bytes:"),
        field(status, "VmRSS:") * 1024);
  }

  private static long field(String text, String name) throws IOException {
    for (String line : text.split("\n", -1)) {
      if (line.startsWith(name)) {
        return Long.parseLong(line.substring(name.length()).replace("kB", "").trim());
      }
    }
    throw new IOException("No " + name + " in /proc");
  }
}
