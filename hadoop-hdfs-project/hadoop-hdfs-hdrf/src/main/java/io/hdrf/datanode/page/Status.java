/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode.page;

import io.hdrf.admin.JobInfo;
import io.hdrf.admin.StoreBytes;
import io.hdrf.admin.VolumeInfo;
import io.hdrf.admin.VolumeUse;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What the page shows, all of it from memory. Immutable. */
public final class Status {
  private final String name;
  private final Map<String, Long> metrics;
  private final List<VolumeUse> uses;
  private final List<Sample> samples;
  private final Map<String, List<JobInfo>> jobs;
  private final List<VolumeInfo> records;
  private final List<VolumeInfo> collections;
  private final Map<String, Map<String, Long>> storeFigures;

  /**
   * @param name the DataNode's
   * @param metrics by name
   * @param uses what was added up last; empty before the first time
   * @param samples the oldest first
   * @param jobs by the command that begins them
   * @param records the states of the metadata stores
   * @param collections the volumes with stores of schemes, with the present step of a collection
   * @param storeFigures the part of {@code metrics} that is of one pool on one volume, by {@link
   *     StoreBytes#key}
   */
  public Status(
      String name,
      Map<String, Long> metrics,
      List<VolumeUse> uses,
      List<Sample> samples,
      Map<String, List<JobInfo>> jobs,
      List<VolumeInfo> records,
      List<VolumeInfo> collections,
      Map<String, Map<String, Long>> storeFigures) {
    this.name = name;
    this.metrics = Collections.unmodifiableMap(new LinkedHashMap<>(metrics));
    this.uses = Collections.unmodifiableList(new ArrayList<>(uses));
    this.samples = Collections.unmodifiableList(new ArrayList<>(samples));
    this.jobs = Collections.unmodifiableMap(new LinkedHashMap<>(jobs));
    this.records = Collections.unmodifiableList(new ArrayList<>(records));
    this.collections = Collections.unmodifiableList(new ArrayList<>(collections));
    this.storeFigures = Collections.unmodifiableMap(new LinkedHashMap<>(storeFigures));
  }

  /** What all blocks took at a time. Immutable. */
  public static final class Sample {
    private final long time;
    private final long logicalBytes;
    private final long storedBytes;

    /**
     * @param time in milliseconds since 1970-01-01 UTC
     * @param logicalBytes the blocks' lengths together
     * @param storedBytes the lengths of their files and of HDRF's own files together
     */
    public Sample(long time, long logicalBytes, long storedBytes) {
      this.time = time;
      this.logicalBytes = logicalBytes;
      this.storedBytes = storedBytes;
    }

    long time() {
      return time;
    }

    long logicalBytes() {
      return logicalBytes;
    }

    long storedBytes() {
      return storedBytes;
    }
  }

  String name() {
    return name;
  }

  Map<String, Long> metrics() {
    return metrics;
  }

  long metric(String metric) {
    return metrics.getOrDefault(metric, 0L);
  }

  List<VolumeUse> uses() {
    return uses;
  }

  List<Sample> samples() {
    return samples;
  }

  Map<String, List<JobInfo>> jobs() {
    return jobs;
  }

  List<VolumeInfo> records() {
    return records;
  }

  List<VolumeInfo> collections() {
    return collections;
  }

  /** Returns a metric of one pool on one volume; null if there is none. */
  Long storeFigure(String storageId, String poolId, String metric) {
    return storeFigures
        .getOrDefault(StoreBytes.key(storageId, poolId), Collections.emptyMap())
        .get(metric);
  }
}
