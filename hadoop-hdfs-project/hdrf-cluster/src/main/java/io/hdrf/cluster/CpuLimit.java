/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.cluster;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A control group whose processes together get a limited share of the processors. Works with
 * version 1 and 2 of control groups; needs root. For one thread at a time.
 */
public final class CpuLimit implements Closeable {

  /** Short enough that a process at its limit stutters little. */
  private static final long PERIOD_MICROS = 20_000;

  private static final double MIN_CORES = 0.05;
  private static final String PREFIX = "hdrf-cpu-";
  private static final Pattern OURS = Pattern.compile(PREFIX + "(\\d+)-\\d+");
  private static final AtomicInteger COUNT = new AtomicInteger();

  private final Path group;

  private CpuLimit(Path group) {
    this.group = group;
  }

  /**
   * Creates a group, after removing empty ones of JVMs that have ended.
   *
   * @param cores processor seconds per second, at least 0.05
   * @throws ClusterException if control groups can't be created here
   */
  public static CpuLimit create(double cores) throws IOException {
    return create(hierarchy(Files.readAllLines(Path.of("/proc/mounts"))), cores);
  }

  static CpuLimit create(Path hierarchy, double cores) throws IOException {
    if (!(cores >= MIN_CORES)) {
      throw new IllegalArgumentException("Cores: " + cores + "; at least " + MIN_CORES);
    }
    removeLeftovers(hierarchy);
    Path group =
        hierarchy.resolve(PREFIX + ProcessHandle.current().pid() + "-" + COUNT.getAndIncrement());
    boolean second = isSecondVersion(hierarchy);
    try {
      if (second) {
        Files.writeString(hierarchy.resolve("cgroup.subtree_control"), "+cpu");
      }
      Files.createDirectory(group);
      long quota = Math.round(cores * PERIOD_MICROS);
      if (second) {
        Files.writeString(group.resolve("cpu.max"), quota + " " + PERIOD_MICROS);
      } else {
        Files.writeString(group.resolve("cpu.cfs_period_us"), Long.toString(PERIOD_MICROS));
        Files.writeString(group.resolve("cpu.cfs_quota_us"), Long.toString(quota));
      }
    } catch (IOException e) {
      throw new ClusterException("Can't limit processor time by a control group: " + e, e);
    }
    return new CpuLimit(group);
  }

  /** Returns the directory at which the controller for processor time is mounted. */
  static Path hierarchy(List<String> mounts) throws IOException {
    for (String mount : mounts) {
      String[] fields = mount.split(" ", -1);
      if (fields[2].equals("cgroup") && List.of(fields[3].split(",", -1)).contains("cpu")) {
        return Path.of(fields[1]);
      }
    }
    for (String mount : mounts) {
      String[] fields = mount.split(" ", -1);
      if (fields[2].equals("cgroup2")) {
        return Path.of(fields[1]);
      }
    }
    throw new ClusterException("No control groups are mounted");
  }

  private static boolean isSecondVersion(Path hierarchy) {
    return Files.exists(hierarchy.resolve("cgroup.controllers"));
  }

  private static void removeLeftovers(Path hierarchy) throws IOException {
    try (DirectoryStream<Path> groups = Files.newDirectoryStream(hierarchy, PREFIX + "*")) {
      for (Path left : groups) {
        Matcher name = OURS.matcher(left.getFileName().toString());
        if (name.matches() && ProcessHandle.of(Long.parseLong(name.group(1))).isEmpty()) {
          new CpuLimit(left).close();
        }
      }
    }
  }

  /** Returns the words in front of a program that make it run in the group, in the same process. */
  public List<String> command() {
    return List.of(
        "sh",
        "-c",
        "echo $$ > \"$1\" && shift && exec \"$@\"",
        "sh",
        group.resolve("cgroup.procs").toString());
  }

  /**
   * Removes the group if no process runs in it; else the limit stays, and the next run removes it.
   */
  @Override
  public void close() throws IOException {
    if (Files.readString(group.resolve("cgroup.procs")).isBlank()) {
      Files.deleteIfExists(group);
    }
  }
}
