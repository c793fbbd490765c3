/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.benchmarks;

import io.hdrf.cluster.ClusterConfig;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.apache.hadoop.conf.Configuration;
import picocli.CommandLine.Option;

/** Settings of HDRF beyond those that a benchmark makes. A mixin of its command. */
final class Settings {

  private static final String PREFIX = "hdrf.";

  /** What the benchmark itself decides: its chains, and where its jars and servers are. */
  private static final Set<String> OWN =
      Set.of("hdrf.schemes", "hdrf.plugins.dir", "hdrf.metadata.redis.address");

  @Option(
      names = "--conf",
      paramLabel = "FILE",
      description =
          "More settings: those of HDRF in a file such as conf/hdfs-site.xml.dedup-redis.sample, but"
              + " for the chain and for where plug-ins and Redis are.")
  private Path file;

  @Option(
      names = "-D",
      description =
          "More settings, which count before those of --conf: -D hdrf.dedup.chunker=raml.",
      mapFallbackValue = "")
  private Map<String, String> single = new LinkedHashMap<>();

  /**
   * Adds them to a cluster's.
   *
   * @throws IOException if the file can't be read
   */
  ClusterConfig addTo(ClusterConfig config) throws IOException {
    return BenchmarkCluster.with(config, all());
  }

  /**
   * Adds them to a configuration.
   *
   * @throws IOException if the file can't be read
   */
  void addTo(Configuration configuration) throws IOException {
    all().forEach(configuration::set);
  }

  /** Returns them for a heading: {@code ", name=value"} each, or nothing. */
  String heading() throws IOException {
    return all().entrySet().stream()
        .map(setting -> ", " + setting.getKey() + "=" + setting.getValue())
        .collect(Collectors.joining());
  }

  private Map<String, String> all() throws IOException {
    Map<String, String> all = new TreeMap<>();
    if (file != null) {
      try (InputStream in = Files.newInputStream(file)) {
        Configuration conf = new Configuration(false);
        conf.addResource(in, file.toString());
        conf.forEach(setting -> all.put(setting.getKey(), setting.getValue()));
      }
      all.keySet().removeIf(name -> !name.startsWith(PREFIX) || OWN.contains(name));
    }
    all.putAll(single);
    return all;
  }
}
