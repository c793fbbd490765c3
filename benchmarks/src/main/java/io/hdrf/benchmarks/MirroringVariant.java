/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.benchmarks;

import io.hdrf.cluster.ClusterConfig;
import io.hdrf.conf.HdrfConf;
import java.util.Locale;
import org.apache.hadoop.conf.Configuration;

/** What {@link MirroringBenchmark} compares. */
enum MirroringVariant {
  /** HDFS as it is. */
  STOCK(true, "false", ClientCodec.PLAIN),

  /** HDFS as it is, which gets files that the application has compressed. */
  STOCK_LZ4(true, "false", ClientCodec.LZ4),

  /** HDRF, plain bytes between DataNodes. */
  HDRF(false, "false", ClientCodec.PLAIN),

  /** HDRF, reduced bytes between DataNodes. */
  HDRF_MIRROR(false, "true", ClientCodec.PLAIN),

  /** HDRF, which decides by itself how bytes go between DataNodes. */
  HDRF_AUTO(false, "auto", ClientCodec.PLAIN);

  /** The key that turns mirroring on. */
  static final String MIRRORING = "hdrf.mirror.enabled";

  private final boolean stock;
  private final String mirroring;
  private final ClientCodec codec;

  MirroringVariant(boolean stock, String mirroring, ClientCodec codec) {
    this.stock = stock;
    this.mirroring = mirroring;
    this.codec = codec;
  }

  /** As on the command line and in tables. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** Whether HDRF knows {@link #MIRRORING}. */
  static boolean canMirror() {
    Configuration known = new Configuration(false);
    known.addResource(HdrfConf.DEFAULTS);
    return known.getRaw(MIRRORING) != null;
  }

  ClientCodec codec() {
    return codec;
  }

  /** What the cluster's DataNodes use, as of {@link BenchmarkCluster#config}. */
  String chain(String chain) {
    return stock ? BenchmarkCluster.STOCK : chain;
  }

  /** The name of the cluster; variants of the same name share it. */
  String cluster() {
    return stock ? STOCK.toString() : toString();
  }

  /** The cluster's configuration: {@code config} with what distinguishes this variant. */
  ClusterConfig configure(ClusterConfig config) {
    return stock ? config : config.with(MIRRORING, mirroring);
  }
}
