/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode;

import io.hdrf.datanode.job.VolumeJobs;
import io.hdrf.datanode.replica.BlockRecords;
import io.hdrf.datanode.volume.SchemeStores;
import io.hdrf.reduce.Reducer;
import io.hdrf.reduce.ReducerCounters;
import io.hdrf.wire.WireCounters;
import java.util.Map;
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

  private final String name;
  private final ReducerCounters counters;
  private final WireCounters wire;
  private final Reducer reducer;
  private final BlockRecords records;
  private final SchemeStores schemeStores;
  private final VolumeJobs jobs;

  HdrfMetrics(
      String datanodeUuid,
      ReducerCounters counters,
      WireCounters wire,
      Reducer reducer,
      BlockRecords records,
      SchemeStores schemeStores,
      VolumeJobs jobs) {
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
    MetricsRecordBuilder record = collector.addRecord(name).setContext("dfs");
    addCounters(record, counters.values());
    addCounters(record, wire.values());
    addCounters(record, jobs.counters().values());
    record.addGauge(info("JobsRunning"), jobs.counters().running());
    record.addGauge(info("QueueLength"), reducer.queueLength());
    record.addGauge(info("Pending"), reducer.pending());
    reducer
        .inProcess()
        .forEach((scheme, blocks) -> record.addGauge(info("BlocksInProcess-" + scheme), blocks));
    reducer
        .waitingForScheme()
        .forEach((scheme, blocks) -> record.addGauge(info("BlocksWaiting-" + scheme), blocks));
    addCounters(record, records.counters().values());
    record.addGauge(info("MetadataPending"), records.pending());
    record.addGauge(info("MetadataStoresDown"), records.down());
    schemeStores
        .metrics()
        .forEach(
            (scheme, values) ->
                values.forEach(
                    (name, value) ->
                        record.addGauge(info(capitalised(scheme) + capitalised(name)), value)));
    counters
        .byChain()
        .forEach(
            (chain, chainCounters) -> {
              String suffix = "-" + chain;
              record.addCounter(info("BlocksReduced" + suffix), chainCounters.blocks());
              record.addCounter(info("BytesReducedLogical" + suffix), chainCounters.logicalBytes());
              record.addCounter(
                  info("BytesReducedPhysical" + suffix), chainCounters.physicalBytes());
            });
  }

  private static void addCounters(MetricsRecordBuilder record, Map<String, Long> values) {
    values.forEach((name, value) -> record.addCounter(info(capitalised(name)), value));
  }

  private static MetricsInfo info(String name) {
    return Interns.info(name, MetricsList.description(name));
  }

  private static String capitalised(String name) {
    return Character.toUpperCase(name.charAt(0)) + name.substring(1);
  }
}
