/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.benchmarks;

import com.fasterxml.jackson.databind.JsonNode;
import io.hdrf.cluster.ClusterConfig;
import io.hdrf.cluster.DataNode;
import io.hdrf.cluster.Waiting;
import java.io.Closeable;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A NameNode that runs all the time, and the DataNode whose start is timed. For one thread. */
final class StartupSide implements Closeable {

  private static final Duration PATIENCE = Duration.ofMinutes(10);
  private static final Duration STOP_PATIENCE = Duration.ofMinutes(2);

  /** So many looks, a second apart, must find nothing to do. */
  private static final int IDLE_LOOKS = 4;

  private static final Pattern LOADED =
      Pattern.compile("(?m)^(\\S+ \\S+) .*Total time to add all replicas to map .*: (\\d+)ms");
  private static final Pattern REPORTED =
      Pattern.compile("(?m)^(\\S+ \\S+) .*Successfully sent block report .* had (\\d+) total");
  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss,SSS");

  /** What the blocks are written by. */
  interface Filling {
    void by(VolumeFiller filler) throws IOException;
  }

  private final BenchmarkCluster cluster;
  private final DataNode node;
  private final Path volume;

  /** Formats everything and leaves the DataNode stopped. */
  StartupSide(ClusterConfig config) throws IOException {
    cluster = new BenchmarkCluster(config);
    node = cluster.cluster().dataNodes().get(0);
    volume = node.volumes().get(0);
    node.stop(STOP_PATIENCE);
  }

  /** The data directory of the DataNode. */
  Path volume() {
    return volume;
  }

  void fill(Filling filling) throws IOException {
    filling.by(new VolumeFiller(volume));
  }

  void removeStore(String store) throws IOException {
    Directories.delete(VolumeFiller.hdrf(volume).resolve("metadata-" + store));
  }

  /** Starts the DataNode, waits until it has nothing to do, and stops it. */
  Figures start(boolean cold) throws IOException, InterruptedException {
    // What a DataNode that ends orderly remembers of its blocks: the scan is to be timed.
    Files.deleteIfExists(VolumeFiller.pool(volume).resolve("current").resolve("replicas"));
    if (cold) {
      PageCache.drop();
    }
    long logLength = Files.size(node.log());
    long began = System.currentTimeMillis();
    node.start();
    Matcher reported = await(REPORTED, logLength);
    double cpu = node.usage().cpuSeconds();
    Matcher loaded = await(LOADED, logLength);
    Figures figures = new Figures();
    figures.put("until the replica map is loaded (s)", (millis(loaded) - began) / 1e3);
    figures.put("of it adding replicas to the map (s)", Long.parseLong(loaded.group(2)) / 1e3);
    figures.put("until the block report was sent (s)", (millis(reported) - began) / 1e3);
    figures.put("CPU of the DataNode until then (s)", cpu);
    System.err.println(reported.group(2) + " blocks reported " + figures.values());
    awaitIdle();
    figures.put("until nothing is pending (s)", (System.currentTimeMillis() - began) / 1e3);
    figures.put("resident memory then (MB)", node.usage().residentBytes() / 1e6);
    node.stop(STOP_PATIENCE);
    return figures;
  }

  private static long millis(Matcher line) {
    return LocalDateTime.parse(line.group(1), TIME)
        .atZone(ZoneId.systemDefault())
        .toInstant()
        .toEpochMilli();
  }

  private Matcher await(Pattern pattern, long from) throws IOException {
    Matcher[] found = new Matcher[1];
    Waiting.until(
        PATIENCE,
        () -> {
          found[0] = pattern.matcher(logFrom(from));
          return found[0].find();
        },
        () -> node.name() + " did not log \"" + pattern + "\"; see " + node.log());
    return found[0];
  }

  private String logFrom(long position) throws IOException {
    try (RandomAccessFile log = new RandomAccessFile(node.log().toFile(), "r")) {
      byte[] bytes = new byte[Math.toIntExact(log.length() - position)];
      log.seek(position);
      log.readFully(bytes);
      return new String(bytes, StandardCharsets.UTF_8);
    }
  }

  /** A store that is closed with records still to be written would not be complete. */
  private void awaitIdle() throws IOException, InterruptedException {
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    int idle = 0;
    while (idle < IDLE_LOOKS) {
      if (System.nanoTime() > deadline) {
        throw new IOException(node.name() + " is still busy; see " + node.log());
      }
      Thread.sleep(1000);
      long pending = 0;
      for (JsonNode bean : node.hdrfMetrics()) {
        pending += bean.path("Pending").asLong() + bean.path("MetadataPending").asLong();
      }
      idle = pending == 0 ? idle + 1 : 0;
    }
  }

  @Override
  public void close() throws IOException {
    cluster.close();
  }
}
