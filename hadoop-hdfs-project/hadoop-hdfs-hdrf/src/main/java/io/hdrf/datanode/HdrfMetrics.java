/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode;

import io.hdrf.admin.BlockSum;
import io.hdrf.admin.VolumeUse;
import io.hdrf.datanode.job.VolumeJobs;
import io.hdrf.datanode.page.Status;
import io.hdrf.datanode.replica.BlockRecords;
import io.hdrf.datanode.volume.SchemeStores;
import io.hdrf.reduce.Reducer;
import io.hdrf.reduce.ReducerCounters;
import io.hdrf.spi.memory.MemoryBudget;
import io.hdrf.wire.WireCounters;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ObjLongConsumer;
import org.apache.hadoop.metrics2.MetricsCollector;
import org.apache.hadoop.metrics2.MetricsInfo;
import org.apache.hadoop.metrics2.MetricsRecordBuilder;
import org.apache.hadoop.metrics2.MetricsSource;
import org.apache.hadoop.metrics2.MetricsSystem;
import org.apache.hadoop.metrics2.lib.DefaultMetricsSystem;
import org.apache.hadoop.metrics2.lib.Interns;

/**
 * HDRF's counters as a metrics2 source, at {@code /jmx} as {@code
 * Hadoop:service=DataNode,name=Hdrf-<DataNode uuid>}.
 */
final class HdrfMetrics implements MetricsSource {

  private static final String NAME = "Hdrf-";

  /** The same for all DataNodes: Prometheus' names begin with it. */
  private static final String RECORD = "Hdrf";

  private final String name;
  private final ReducerCounters counters;
  private final WireCounters wire;
  private final Reducer reducer;
  private final BlockRecords records;
  private final SchemeStores schemeStores;
  private final VolumeJobs jobs;
  private final SpaceHistory history;
  private final MemoryBudget memory;

  HdrfMetrics(
      String datanodeUuid,
      ReducerCounters counters,
      WireCounters wire,
      Reducer reducer,
      BlockRecords records,
      SchemeStores schemeStores,
      VolumeJobs jobs,
      SpaceHistory history,
      MemoryBudget memory) {
    this.memory = memory;
    this.history = history;
    this.jobs = jobs;
    this.records = records;
    this.schemeStores = schemeStores;
    this.name = NAME + datanodeUuid;
    this.counters = counters;
    this.wire = wire;
    this.reducer = reducer;
  }

  void register() {
    MetricsSystem metrics = DefaultMetricsSystem.instance();
    metrics.unregisterSource(name);
    metrics.register(name, "Blocks that HDRF reduced, skipped, inflated and read", this);
  }

  void unregister() {
    DefaultMetricsSystem.instance().unregisterSource(name);
  }

  /** Receives metrics by their names. */
  private interface Visitor {
    void counter(String name, long value);

    void gauge(String name, long value);
  }

  @Override
  public void getMetrics(MetricsCollector collector, boolean all) {
    MetricsRecordBuilder record = collector.addRecord(RECORD).setContext("dfs");
    visit(
        new Visitor() {
          @Override
          public void counter(String name, long value) {
            record.addCounter(info(name), value);
          }

          @Override
          public void gauge(String name, long value) {
            record.addGauge(info(name), value);
          }
        });
  }

  /** The same by name. */
  Map<String, Long> values() {
    Map<String, Long> values = new LinkedHashMap<>();
    visit(
        new Visitor() {
          @Override
          public void counter(String name, long value) {
            values.put(name, value);
          }

          @Override
          public void gauge(String name, long value) {
            values.put(name, value);
          }
        });
    return values;
  }

  /** The part that is of schemes' stores, of each pool on each volume, as in {@link Status}. */
  Map<String, Map<String, Long>> storeValues() {
    Map<String, Map<String, Long>> all = new LinkedHashMap<>();
    schemeStores
        .metricsByVolume()
        .forEach(
            (volume, figures) -> {
              Map<String, Long> values = new LinkedHashMap<>();
              visitStores(figures, values::put);
              all.put(volume, values);
            });
    return all;
  }

  private static void visitStores(
      Map<String, Map<String, Long>> figures, ObjLongConsumer<String> visitor) {
    figures.forEach(
        (scheme, values) ->
            values.forEach(
                (name, value) -> visitor.accept(capitalised(scheme) + capitalised(name), value)));
  }

  private void visit(Visitor visitor) {
    visitCounters(visitor, counters.values());
    visitCounters(visitor, wire.values());
    visitCounters(visitor, jobs.counters().values());
    visitor.gauge("JobsRunning", jobs.counters().running());
    visitor.gauge("QueueLength", reducer.queueLength());
    visitor.gauge("Pending", reducer.pending());
    reducer
        .inProcess()
        .forEach((scheme, blocks) -> visitor.gauge("BlocksInProcess-" + scheme, blocks));
    reducer
        .waitingForScheme()
        .forEach((scheme, blocks) -> visitor.gauge("BlocksWaiting-" + scheme, blocks));
    visitCounters(visitor, records.counters().values());
    visitor.gauge("MetadataPending", records.pending());
    visitor.gauge("MetadataStoresDown", records.down());
    visitSpace(visitor);
    visitMemory(visitor);
    visitStores(schemeStores.metrics(), visitor::gauge);
    counters
        .byChain()
        .forEach(
            (chain, chainCounters) -> {
              String suffix = "-" + chain;
              visitor.counter("BlocksReduced" + suffix, chainCounters.blocks());
              visitor.counter("BytesReducedLogical" + suffix, chainCounters.logicalBytes());
              visitor.counter("BytesReducedPhysical" + suffix, chainCounters.physicalBytes());
            });
  }

  /** There are none before the first time that all was added up, nor where not all could be. */
  private void visitSpace(Visitor visitor) {
    List<VolumeUse> uses = history.last();
    if (uses.isEmpty() || !uses.stream().allMatch(VolumeUse::isWhole)) {
      return;
    }
    BlockSum all = BlockSum.NONE;
    long files = 0;
    for (VolumeUse use : uses) {
      all = all.plus(use.all());
      files += use.fileBytes();
    }
    visitor.gauge("SpaceBlocks", all.blocks());
    visitor.gauge("SpaceLogicalBytes", all.logicalBytes());
    visitor.gauge("SpaceStoredBytes", all.fileBytes() + files);
  }

  private void visitMemory(Visitor visitor) {
    long limit = memory.limit();
    visitor.gauge("MemoryLimitBytes", limit == MemoryBudget.UNLIMITED ? 0 : limit);
    visitor.gauge("MemoryUsedBytes", memory.used());
    memory.usedByUser().forEach((user, bytes) -> visitor.gauge("MemoryUsedBytes-" + user, bytes));
    visitor.counter("MemoryDeclined", memory.declined());
    visitor.counter("MemoryBytesReclaimed", memory.reclaimed());
  }

  private static void visitCounters(Visitor visitor, Map<String, Long> values) {
    values.forEach((name, value) -> visitor.counter(capitalised(name), value));
  }

  private static MetricsInfo info(String name) {
    return Interns.info(name, MetricsList.description(name));
  }

  private static String capitalised(String name) {
    return Character.toUpperCase(name.charAt(0)) + name.substring(1);
  }
}
