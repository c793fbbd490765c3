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

  @Override
  public void getMetrics(MetricsCollector collector, boolean all) {
    MetricsRecordBuilder record = collector.addRecord(RECORD).setContext("dfs");
    visit(
        (name, value) -> record.addCounter(info(name), value),
        (name, value) -> record.addGauge(info(name), value));
  }

  /** The same by name. */
  Map<String, Long> values() {
    Map<String, Long> values = new LinkedHashMap<>();
    visit(values::put, values::put);
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

  private void visit(ObjLongConsumer<String> counter, ObjLongConsumer<String> gauge) {
    visitCounters(counter, counters.values());
    visitCounters(counter, wire.values());
    visitCounters(counter, jobs.counters().values());
    gauge.accept("JobsRunning", jobs.counters().running());
    gauge.accept("QueueLength", reducer.queueLength());
    gauge.accept("Pending", reducer.pending());
    reducer
        .inProcess()
        .forEach((scheme, blocks) -> gauge.accept("BlocksInProcess-" + scheme, blocks));
    reducer
        .waitingForScheme()
        .forEach((scheme, blocks) -> gauge.accept("BlocksWaiting-" + scheme, blocks));
    visitCounters(counter, records.counters().values());
    gauge.accept("MetadataPending", records.pending());
    gauge.accept("MetadataStoresDown", records.down());
    visitSpace(gauge);
    visitMemory(counter, gauge);
    visitStores(schemeStores.metrics(), gauge);
    counters
        .byChain()
        .forEach(
            (chain, chainCounters) -> {
              String suffix = "-" + chain;
              counter.accept("BlocksReduced" + suffix, chainCounters.blocks());
              counter.accept("BytesReducedLogical" + suffix, chainCounters.logicalBytes());
              counter.accept("BytesReducedPhysical" + suffix, chainCounters.physicalBytes());
            });
  }

  /** There are none before the first time that all was added up, nor where not all could be. */
  private void visitSpace(ObjLongConsumer<String> gauge) {
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
    gauge.accept("SpaceBlocks", all.blocks());
    gauge.accept("SpaceLogicalBytes", all.logicalBytes());
    gauge.accept("SpaceStoredBytes", all.fileBytes() + files);
  }

  private void visitMemory(ObjLongConsumer<String> counter, ObjLongConsumer<String> gauge) {
    long limit = memory.limit();
    gauge.accept("MemoryLimitBytes", limit == MemoryBudget.UNLIMITED ? 0 : limit);
    gauge.accept("MemoryUsedBytes", memory.used());
    memory.usedByUser().forEach((user, bytes) -> gauge.accept("MemoryUsedBytes-" + user, bytes));
    counter.accept("MemoryDeclined", memory.declined());
    counter.accept("MemoryBytesReclaimed", memory.reclaimed());
  }

  private static void visitCounters(ObjLongConsumer<String> counter, Map<String, Long> values) {
    values.forEach((name, value) -> counter.accept(capitalised(name), value));
  }

  private static MetricsInfo info(String name) {
    return Interns.info(name, MetricsList.description(name));
  }

  private static String capitalised(String name) {
    return Character.toUpperCase(name.charAt(0)) + name.substring(1);
  }
}
