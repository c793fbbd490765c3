/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.benchmarks;

import io.hdrf.cluster.ClusterConfig;
import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/** A cluster whose unneeded chunks are collected. For one thread. */
final class CollectionSide implements Closeable {

  private static final Pattern FREED = Pattern.compile("bytesFreed: (\\d+)");
  private static final Pattern REWRITTEN = Pattern.compile("bytesRewritten: (\\d+)");

  /**
   * What collections did.
   *
   * @param freed bytes
   * @param rewritten bytes
   * @param seconds how long it took
   * @param writeSeconds how long the write of each file took meanwhile
   */
  record Collected(double freed, double rewritten, double seconds, List<Double> writeSeconds) {}

  private final BenchmarkCluster cluster;
  private final FileSystem fileSystem;

  CollectionSide(ClusterConfig config) throws IOException {
    cluster = new BenchmarkCluster(config);
    fileSystem = cluster.fileSystem();
  }

  BenchmarkCluster cluster() {
    return cluster;
  }

  /**
   * Writes a file, other bytes for each shift.
   *
   * @return seconds until it was closed
   */
  double write(String name, java.nio.file.Path file, int shift) throws IOException {
    byte[] data = Files.readAllBytes(file);
    Inputs.shift(data, 0, data.length, shift);
    long began = System.nanoTime();
    try (OutputStream out = fileSystem.create(new Path("/" + name), true)) {
      out.write(data);
    }
    return (System.nanoTime() - began) / 1e9;
  }

  /** As {@link #write}, and deletes it when it has been reduced. */
  double writeAndDelete(String name, java.nio.file.Path file, int shift) throws IOException {
    double seconds = write(name, file, shift);
    cluster.awaitReduced();
    delete(name);
    return seconds;
  }

  void delete(String name) throws IOException {
    fileSystem.delete(new Path("/" + name), true);
  }

  /**
   * Runs {@code hdrf gc}, and writes and deletes files until it ends.
   *
   * @param file what to write, other bytes each time; null writes nothing
   */
  Collected collect(java.nio.file.Path file, int firstShift)
      throws IOException, InterruptedException {
    java.nio.file.Path log = cluster.cluster().conf().resolveSibling("gc.out");
    long began = System.nanoTime();
    Process collector =
        new ProcessBuilder(
                Directories.home().resolve("bin/hdrf").toString(),
                "gc",
                "--data-dir",
                cluster.cluster().config().directory().toString())
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start();
    List<Double> writes = new ArrayList<>();
    while (file != null && collector.isAlive()) {
      writes.add(writeAndDelete(CollectionBenchmark.PROBE, file, firstShift + writes.size()));
    }
    int status = collector.waitFor();
    double seconds = (System.nanoTime() - began) / 1e9;
    String said = Files.readString(log);
    if (status != 0) {
      throw new IOException("hdrf gc ended with status " + status + ":\n" + said);
    }
    return new Collected(figure(FREED, said), figure(REWRITTEN, said), seconds, writes);
  }

  private static double figure(Pattern pattern, String text) throws IOException {
    Matcher matcher = pattern.matcher(text);
    if (!matcher.find()) {
      throw new IOException("hdrf gc printed no " + pattern + ":\n" + text);
    }
    return Double.parseDouble(matcher.group(1));
  }

  @Override
  public void close() throws IOException {
    cluster.close();
  }
}
