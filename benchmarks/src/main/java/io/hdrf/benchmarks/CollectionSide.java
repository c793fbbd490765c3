/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.benchmarks;

import io.hdrf.cluster.ClusterConfig;
import io.hdrf.cluster.HadoopRuntime;
import io.hdrf.cluster.LocalCluster;
import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
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

  private final OpenCluster open;
  private final LocalCluster cluster;
  private final java.nio.file.Path home;
  private final FileSystem fileSystem;

  CollectionSide(ClusterConfig config, HadoopRuntime runtime, java.nio.file.Path home)
      throws IOException {
    this.home = home;
    open = new OpenCluster(config, runtime);
    cluster = open.cluster();
    fileSystem = open.fileSystem();
  }

  /**
   * Writes a file, each byte with a number added.
   *
   * @return seconds until it was closed
   */
  double write(String name, java.nio.file.Path file, int shift) throws IOException {
    byte[] data = Files.readAllBytes(file);
    for (int i = 0; i < data.length; i++) {
      data[i] += (byte) (3 * shift);
    }
    long began = System.nanoTime();
    try (OutputStream out = fileSystem.create(new Path("/" + name), true)) {
      out.write(data);
    }
    return (System.nanoTime() - began) / 1e9;
  }

  /** As {@link #write}, and deletes it when it has been reduced. */
  double writeAndDelete(String name, java.nio.file.Path file, int shift) throws IOException {
    double seconds = write(name, file, shift);
    awaitReduced();
    delete(name);
    return seconds;
  }

  void delete(String name) throws IOException {
    fileSystem.delete(new Path("/" + name), true);
  }

  /** Waits until the DataNode has as many blocks. */
  void awaitBlocks(long count) throws IOException, InterruptedException {
    long deadline = System.nanoTime() + LocalCluster.PATIENCE.toNanos();
    while (cluster.diskUsage().blocks() != count) {
      if (System.nanoTime() > deadline) {
        throw new IOException(cluster.diskUsage().blocks() + " blocks are there, not " + count);
      }
      TimeUnit.MILLISECONDS.sleep(200);
    }
  }

  void awaitReduced() throws IOException {
    open.awaitReduced();
  }

  /** Has all blocks reduced, containers sealed and the index written. */
  void settle() throws IOException {
    open.settle();
  }

  double physicalMegabytes() throws IOException {
    return cluster.diskUsage().physicalBytes() / 1e6;
  }

  /**
   * Runs {@code hdrf gc}, and writes and deletes files until it ends.
   *
   * @param file what to write, other bytes each time; null writes nothing
   */
  Collected collect(java.nio.file.Path file, int firstShift)
      throws IOException, InterruptedException {
    java.nio.file.Path log = cluster.conf().resolveSibling("gc.out");
    long began = System.nanoTime();
    Process collector =
        new ProcessBuilder(
                home.resolve("bin/hdrf").toString(),
                "gc",
                "--data-dir",
                cluster.config().directory().toString())
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
    open.close();
  }
}
