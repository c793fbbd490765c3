/* SPDX-License-Identifier: Apache-2.0 */
package org.apache.hadoop.hdfs.server.datanode.fsdataset.impl;

import io.hdrf.datanode.HdrfService;
import io.hdrf.datanode.HdrfSetup;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.hdfs.server.datanode.DataStorage;
import org.apache.hadoop.hdfs.server.datanode.Replica;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.FsDatasetSpi;

/**
 * HDRF's factory in runs of Hadoop's own tests. It keeps the counters of all DataNodes of the JVM,
 * even after their shutdown, and ends no write before its block is reduced, so that the test's next
 * operation meets reduced blocks. It needs no other class of these tests.
 */
public final class CountedDatasetFactory extends FsDatasetSpi.Factory<FsDatasetImpl> {

  private static final List<HdrfService> SERVICES = new CopyOnWriteArrayList<>();

  @Override
  public FsDatasetImpl newInstance(DataNode datanode, DataStorage storage, Configuration conf)
      throws IOException {
    PromptDataset dataset =
        new PromptDataset(datanode, storage, conf, HdrfDatasetFactory.setup(conf));
    SERVICES.add(dataset.service);
    return dataset;
  }

  /** Package-private like its parent. */
  static class PromptDataset extends LineDataset {

    /** Hadoop's tests stop DataNodes in the middle of a write. */
    private static final long MOST_MILLIS = 2000;

    /** From the end of {@link #finalizeBlock} to the report. */
    private static final long REPORT_MILLIS = 50;

    /** The blocks for which threads are in {@link #finalizeBlock}. */
    private final Set<Long> finalizing = ConcurrentHashMap.newKeySet();

    PromptDataset(DataNode datanode, DataStorage storage, Configuration conf, HdrfSetup setup)
        throws IOException {
      super(datanode, storage, conf, setup);
    }

    @Override
    public void finalizeBlock(ExtendedBlock block, boolean fsyncDir) throws IOException {
      Long id = block.getBlockId();
      finalizing.add(id);
      try {
        super.finalizeBlock(block, fsyncDir);
        await(() -> service.pending() == 0);
      } finally {
        finalizing.remove(id);
      }
    }

    /**
     * Returns after the writer of the block has reported it. The wait in {@link #finalizeBlock}
     * holds that report up; the NameNode takes it for a corrupt replica when it comes after the
     * report of the new generation stamp.
     */
    @Override
    public Replica recoverClose(ExtendedBlock block, long newGs, long expectedBlockLen)
        throws IOException {
      Replica closed = super.recoverClose(block, newGs, expectedBlockLen);
      Long id = block.getBlockId();
      if (finalizing.contains(id)) {
        await(() -> !finalizing.contains(id));
        pause(REPORT_MILLIS);
      }
      return closed;
    }

    private static void await(BooleanSupplier done) {
      long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(MOST_MILLIS);
      while (!done.getAsBoolean() && System.nanoTime() < deadline && pause(1)) {
        // Looks again.
      }
    }

    /** Returns whether the time passed without an interrupt; an interrupt stays set. */
    private static boolean pause(long millis) {
      try {
        Thread.sleep(millis);
        return true;
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return false;
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
