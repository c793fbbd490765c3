/* SPDX-License-Identifier: Apache-2.0 */
package org.apache.hadoop.hdfs.server.datanode.fsdataset.impl;

import io.hdrf.datanode.HdrfService;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.hdfs.server.datanode.DataStorage;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.FsDatasetSpi;

/**
 * HDRF's factory in runs of Hadoop's own tests, which keeps what every DataNode of the JVM has
 * counted, also those that were shut down. It needs no other class of these tests.
 */
public final class CountedDatasetFactory extends FsDatasetSpi.Factory<FsDatasetImpl> {

  private static final List<HdrfService> SERVICES = new CopyOnWriteArrayList<>();

  private final HdrfDatasetFactory factory = new HdrfDatasetFactory();

  @Override
  public FsDatasetImpl newInstance(DataNode datanode, DataStorage storage, Configuration conf)
      throws IOException {
    FsDatasetImpl dataset = factory.newInstance(datanode, storage, conf);
    SERVICES.add(((HdrfDataset) dataset).service());
    return dataset;
  }

  /** The sums over every DataNode that has run in this JVM, and how many there were. */
  public static Map<String, Long> jvmTotals() {
    Map<String, Long> totals = new LinkedHashMap<>();
    totals.put("datasets", (long) SERVICES.size());
    for (HdrfService service : SERVICES) {
      add(totals, service.counters().values());
      add(totals, service.mirroring().counters().values());
    }
    return totals;
  }

  private static void add(Map<String, Long> totals, Map<String, Long> values) {
    values.forEach((name, value) -> totals.merge(name, value, Long::sum));
  }
}
