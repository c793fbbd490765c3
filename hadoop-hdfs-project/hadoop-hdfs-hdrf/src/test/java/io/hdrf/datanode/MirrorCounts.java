/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode;

import java.util.Arrays;
import java.util.function.ToLongFunction;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.impl.HdrfDatasets;

/** The counters of all DataNodes of a cluster that have HDRF. */
final class MirrorCounts {

  private final HdrfCluster cluster;

  MirrorCounts(HdrfCluster cluster) {
    this.cluster = cluster;
  }

  private long[] each(ToLongFunction<HdrfService> counter) {
    return cluster.mini().getDataNodes().stream()
        .filter(MirrorCounts::hasHdrf)
        .map(HdrfDatasets::service)
        .mapToLong(counter)
        .toArray();
  }

  static boolean hasHdrf(DataNode datanode) {
    return datanode.getFSDataset().getClass().getSimpleName().startsWith("Hdrf");
  }

  /** What each has sent and received. */
  long[] wire(String name) {
    return each(service -> service.mirroring().counters().value(name));
  }

  /** What each has stored. */
  long[] reducer(String name) {
    return each(service -> service.counters().values().get(name));
  }

  static long sum(long[] values) {
    return Arrays.stream(values).sum();
  }
}
