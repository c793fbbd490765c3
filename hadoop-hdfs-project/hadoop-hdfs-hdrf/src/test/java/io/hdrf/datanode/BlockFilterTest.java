/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode;

import static org.assertj.core.api.Assertions.assertThat;

import io.hdrf.io.TestBytes;
import io.hdrf.reduce.ReducerCounters;
import io.hdrf.reduce.SkipReason;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Blocks that the filter keeps plain, on a real DataNode. */
class BlockFilterTest {

  private static final int LENGTH = 500_000;

  private HdrfCluster cluster;

  @AfterEach
  void stop() {
    if (cluster != null) {
      cluster.close();
    }
  }

  private ReducerCounters counters() {
    return cluster.service(0).counters();
  }

  private static byte[] text(String begin, long seed) {
    byte[] data = TestBytes.text(LENGTH, seed);
    byte[] bytes = begin.getBytes(StandardCharsets.ISO_8859_1);
    System.arraycopy(bytes, 0, data, 0, bytes.length);
    return data;
  }

  /**
   * Waits until a block is refused, and returns how often that was looked at: a scan may offer it
   * again before the first look has its result.
   */
  private long looks(String path, SkipReason reason) throws Exception {
    ExtendedBlock block = cluster.block(path);
    HdrfCluster.await(
        "the verdict on " + path,
        () ->
            cluster.service(0).knownSaving(block.getBlockPoolId(), block.getBlockId())
                != HdrfService.UNKNOWN);
    cluster.awaitReduced();
    assertThat(counters().skippedFor(reason)).isPositive();
    return counters().skippedFor(reason);
  }

  /** One look is enough, until the configuration changes. */
  @Test
  void aVerdictHoldsUntilTheConfigurationChanges() throws Exception {
    Configuration conf = HdrfCluster.configuration();
    conf.set("hdrf.filter.exclude.keywords", "_temporary, %PDF-");
    conf.set("hdrf.filter.exclude.regex", "^Salted__");
    cluster = HdrfCluster.start(conf, 1);
    byte[] pdf = text("%PDF-1.7", 1);
    byte[] salted = text("Salted__12345678", 2);
    byte[] other = text("and Salted__ elsewhere", 3);
    cluster.write("/pdf", pdf, 1);
    cluster.write("/salted", salted, 1);
    cluster.write("/other", other, 1);
    cluster.awaitReduced("/other");
    looks("/pdf", SkipReason.EXCLUDED_BY_KEYWORD);
    looks("/salted", SkipReason.EXCLUDED_BY_REGEX);
    long keyword = 0;
    long regex = 0;
    // Scans begin every second; a file that only they find shows that more have been. The first
    // one may have begun before the verdicts.
    for (int i = 0; i < 4; i++) {
      cluster.service(0).changes().wakeScan();
      cluster.write("/more" + i, other, 1);
      cluster.awaitReduced("/more" + i);
      if (i == 0) {
        keyword = counters().skippedFor(SkipReason.EXCLUDED_BY_KEYWORD);
        regex = counters().skippedFor(SkipReason.EXCLUDED_BY_REGEX);
      }
    }
    cluster.letTheScanLook(0);
    assertThat(counters().skippedFor(SkipReason.EXCLUDED_BY_KEYWORD)).isEqualTo(keyword);
    assertThat(counters().skippedFor(SkipReason.EXCLUDED_BY_REGEX)).isEqualTo(regex);
    assertThat(cluster.plainReplicas("/pdf")).hasSize(1);
    assertThat(cluster.plainReplicas("/salted")).hasSize(1);

    Configuration changed = new Configuration(conf);
    changed.unset("hdrf.filter.exclude.keywords");
    cluster.restartAs(changed);
    cluster.awaitReduced("/pdf");
    looks("/salted", SkipReason.EXCLUDED_BY_REGEX);
    assertThat(cluster.plainReplicas("/salted")).hasSize(1);
    cluster.assertContent("/pdf", pdf);
    cluster.assertContent("/salted", salted);
    cluster.assertContent("/other", other);
  }

  @Test
  void onlyWhatIsIncludedIsReduced() throws Exception {
    Configuration conf = HdrfCluster.configuration();
    conf.set("hdrf.filter.include.regex", "(?m)^\\d{4}-\\d\\d-\\d\\d .*(INFO|WARN)");
    cluster = HdrfCluster.start(conf, 1);
    byte[] log = text("x\n2026-11-21 12:00 INFO\n", 4);
    byte[] other = text("2026 INFO", 5);
    cluster.write("/log", log, 1);
    cluster.write("/other", other, 1);
    cluster.awaitReduced("/log");
    looks("/other", SkipReason.NOT_INCLUDED);
    assertThat(cluster.plainReplicas("/other")).hasSize(1);
    cluster.assertContent("/log", log);
    cluster.assertContent("/other", other);
  }

  /** A short-lived file is never worth the work. */
  @Test
  void aYoungBlockWaits() throws Exception {
    Configuration conf = HdrfCluster.configuration();
    conf.setInt("hdrf.filter.min.age", 4);
    cluster = HdrfCluster.start(conf, 1);
    byte[] data = text("young", 6);
    cluster.write("/young", data, 1);
    HdrfCluster.await("a refusal", () -> counters().skippedFor(SkipReason.TOO_YOUNG) > 0);
    cluster.awaitReduced("/young");
    cluster.assertContent("/young", data);
  }

  @Test
  void figuresStandAtJmx() throws Exception {
    Configuration conf = HdrfCluster.configuration();
    conf.set("hdrf.filter.exclude.keywords", "keep out");
    conf.setInt("hdrf.lz4.max.blocks", 1);
    cluster = HdrfCluster.start(conf, 1);
    cluster.write("/kept", text("keep out", 7), 1);
    cluster.write("/reduced", text("come in", 8), 1);
    cluster.awaitReduced("/reduced");
    long kept = looks("/kept", SkipReason.EXCLUDED_BY_KEYWORD);
    String url =
        "http://localhost:"
            + cluster.mini().getDataNodes().get(0).getInfoPort()
            + "/jmx?qry=Hadoop:service=DataNode,name=Hdrf*";
    for (String figure :
        List.of(
            "\"SkippedExcludedByKeyword\" : " + kept,
            "\"SkippedExcludedByRegex\" : 0",
            "\"SkippedNotIncluded\" : 0",
            "\"SkippedTooYoung\" : 0",
            "\"BlocksInProcess-lz4\" : 0",
            "\"BlocksReduced-lz4\" : 1")) {
      HdrfCluster.await(figure, () -> page(url).contains(figure));
    }
  }

  private static String page(String url) {
    try (InputStream in = URI.create(url).toURL().openStream()) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
