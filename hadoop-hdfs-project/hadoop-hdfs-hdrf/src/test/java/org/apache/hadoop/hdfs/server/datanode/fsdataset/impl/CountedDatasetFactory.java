/* SPDX-License-Identifier: Apache-2.0 */
package org.apache.hadoop.hdfs.server.datanode.fsdataset.impl;

import io.hdrf.datanode.HdrfService;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.hdfs.server.datanode.DataStorage;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.FsDatasetSpi;

/**
 * HDRF's factory in runs of Hadoop's own tests, which keeps what every DataNode of the JVM has
 * counted, also those that were shut down, and lets no write end before its block is reduced: what
 * a test does next meets reduced blocks. It needs no other class of these tests.
 */
public final class CountedDatasetFactory extends FsDatasetSpi.Factory<FsDatasetImpl> {

  private static final List<HdrfService> SERVICES = new CopyOnWriteArrayList<>();

  @Override
  public FsDatasetImpl newInstance(DataNode datanode, DataStorage storage, Configuration conf)
      throws IOException {
    HdrfService service = HdrfDatasetFactory.service(conf);
    SERVICES.add(service);
    return new PromptDataset(datanode, storage, conf, service);
  }

  /** Package-private as its parent is. */
  static class PromptDataset extends HdrfDataset {

    /** Hadoop's tests stop DataNodes in the middle of a write. */
    private static final long MOST_MILLIS = 2000;

    PromptDataset(DataNode datanode, DataStorage storage, Configuration conf, HdrfService service)
        throws IOException {
      super(datanode, storage, conf, service);
    }

    @Override
    public void finalizeBlock(ExtendedBlock block, boolean fsyncDir) throws IOException {
      super.finalizeBlock(block, fsyncDir);
      long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(MOST_MILLIS);
      try {
        while (service().pending() > 0 && System.nanoTime() < deadline) {
          Thread.sleep(1);
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
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
