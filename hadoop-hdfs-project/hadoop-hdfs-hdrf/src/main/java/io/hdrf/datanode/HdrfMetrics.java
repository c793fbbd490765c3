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
    for (Map.Entry<String, Long> value : counters.values().entrySet()) {
      record.addCounter(Interns.info(capitalised(value.getKey()), ""), value.getValue());
    }
    for (Map.Entry<String, Long> value : wire.values().entrySet()) {
      record.addCounter(Interns.info(capitalised(value.getKey()), ""), value.getValue());
    }
    for (Map.Entry<String, Long> value : jobs.counters().values().entrySet()) {
      record.addCounter(Interns.info(capitalised(value.getKey()), ""), value.getValue());
    }
    record.addGauge(
        Interns.info("JobsRunning", "Volumes being converted, inflated or verified"),
        jobs.counters().running());
    record.addGauge(Interns.info("QueueLength", "Blocks that wait"), reducer.queueLength());
    record.addGauge(Interns.info("Pending", "Blocks that wait or are in work"), reducer.pending());
    reducer
        .inProcess()
        .forEach(
            (scheme, blocks) ->
                record.addGauge(
                    Interns.info("BlocksInProcess-" + scheme, "Blocks that are encoded"), blocks));
    reducer
        .waitingForScheme()
        .forEach(
            (scheme, blocks) ->
                record.addGauge(
                    Interns.info("BlocksWaiting-" + scheme, "Blocks that wait for the scheme"),
                    blocks));
    for (Map.Entry<String, Long> value : records.counters().values().entrySet()) {
      record.addCounter(Interns.info(capitalised(value.getKey()), ""), value.getValue());
    }
    record.addGauge(
        Interns.info("MetadataPending", "Block records that wait to be written"),
        records.pending());
    record.addGauge(
        Interns.info("MetadataStoresDown", "Metadata stores that do not work"), records.down());
    schemeStores
        .metrics()
        .forEach(
            (scheme, values) ->
                values.forEach(
                    (name, value) ->
                        record.addGauge(
                            Interns.info(capitalised(scheme) + capitalised(name), ""), value)));
    counters
        .byChain()
        .forEach(
            (chain, chainCounters) -> {
              String suffix = "-" + chain;
              record.addCounter(Interns.info("BlocksReduced" + suffix, ""), chainCounters.blocks());
              record.addCounter(
                  Interns.info("BytesReducedLogical" + suffix, ""), chainCounters.logicalBytes());
              record.addCounter(
                  Interns.info("BytesReducedPhysical" + suffix, ""), chainCounters.physicalBytes());
            });
  }

  private static String capitalised(String name) {
    return Character.toUpperCase(name.charAt(0)) + name.substring(1);
  }
}
