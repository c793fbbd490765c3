/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.cli;

import io.hdrf.admin.VolumeInfo;
import io.hdrf.cluster.DataNode;
import io.hdrf.cluster.LocalCluster;
import io.hdrf.cluster.Waiting;
import io.hdrf.metadata.BlockRecord;
import io.hdrf.metadata.CheckResult;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.apache.hadoop.conf.Configuration;

/**
 * Counts a cluster's block records and compares them with the blocks, as {@code hdrf fsck} does.
 */
final class DemoRecords {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final int TIMEOUT_MILLIS = 60_000;

  private final LocalCluster cluster;
  private final Configuration conf = new Configuration();
  private final List<List<String>> table = new ArrayList<>();

  /** The totals of a DataNode's volumes. */
  private record Found(String store, long blocks, long records, long differences) {}

  DemoRecords(LocalCluster cluster) throws IOException {
    this.cluster = cluster;
    RecordTarget.addFiles(conf, cluster.conf());
  }

  /**
   * Checks every DataNode; retries for a while where something differs: changes are written in the
   * background.
   *
   * @return whether no record differs from its block
   */
  boolean check(Progress progress) throws IOException {
    table.add(List.of("", "metadata store", "blocks", "records", "fsck"));
    boolean same = true;
    for (DataNode dataNode : cluster.dataNodes()) {
      Found found = settled(dataNode, progress);
      same &= found.differences() == 0 && found.records() == found.blocks();
      table.add(
          List.of(
              dataNode.name(),
              found.store(),
              Long.toString(found.blocks()),
              Long.toString(found.records()),
              found.differences() == 0 ? "no difference" : found.differences() + " DIFFERENCES"));
    }
    return same;
  }

  /** Returns a line for each DataNode. */
  List<List<String>> table() {
    return table;
  }

  private Found settled(DataNode dataNode, Progress progress) throws IOException {
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    Found[] found = new Found[1];
    try (RunningDataNode source =
        RunningDataNode.connect(dataNode.ipcAddress(), conf, TIMEOUT_MILLIS)) {
      Waiting.until(
          PATIENCE.multipliedBy(2),
          () -> {
            found[0] = look(source, progress);
            return found[0].differences() == 0 || System.nanoTime() > deadline;
          },
          () -> dataNode.name() + " does not compare its records");
    }
    return found[0];
  }

  private static Found look(RunningDataNode source, Progress progress) throws IOException {
    String store = "none";
    long blocks = 0;
    long records = 0;
    long differences = 0;
    for (VolumeInfo volume : source.volumes()) {
      store = volume.store();
      CheckResult check = source.check(volume, false, progress);
      blocks += check.blocks();
      differences += check.differences() + check.unreadable();
      records += records(source, volume);
    }
    return new Found(store, blocks, records, differences);
  }

  private static long records(RunningDataNode source, VolumeInfo volume) throws IOException {
    long count = 0;
    long last = Long.MIN_VALUE;
    while (true) {
      Map<Long, BlockRecord> page = source.records(volume, last);
      if (page.isEmpty()) {
        return count;
      }
      count += page.values().stream().filter(Objects::nonNull).count();
      for (long id : page.keySet()) {
        last = Math.max(last, id);
      }
    }
  }
}
