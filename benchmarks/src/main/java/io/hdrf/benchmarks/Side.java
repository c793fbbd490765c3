/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.benchmarks;

import com.fasterxml.jackson.databind.JsonNode;
import io.hdrf.cluster.ClusterConfig;
import io.hdrf.cluster.DataNode;
import io.hdrf.cluster.HadoopRuntime;
import io.hdrf.cluster.LocalCluster;
import io.hdrf.cluster.MetadataServers;
import io.hdrf.cluster.ProcessUsage;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.URI;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/** One of two clusters that are compared, and what is measured on it. For one thread. */
final class Side implements Closeable {

  private static final Path FILE = new Path("/bench/file");
  private static final int BUFFER = 1 << 20;
  private static final double GB = 1e9;
  private static final java.nio.file.Path DROP_CACHES =
      java.nio.file.Path.of("/proc/sys/vm/drop_caches");

  private final MetadataServers servers;
  private final LocalCluster cluster;
  private final FileSystem fileSystem;

  Side(ClusterConfig config, HadoopRuntime runtime) throws IOException {
    servers = new MetadataServers(config);
    cluster = LocalCluster.create(servers.start(), runtime);
    cluster.start();
    cluster.awaitReady();
    Configuration conf = new Configuration();
    conf.addResource(new Path(cluster.conf().resolve("core-site.xml").toUri()));
    conf.addResource(new Path(cluster.conf().resolve("hdfs-site.xml").toUri()));
    fileSystem = FileSystem.newInstance(URI.create(cluster.uri()), conf);
  }

  /** Whether the page cache can be dropped, which only root may do. */
  static boolean canDropCaches() {
    return Files.isWritable(DROP_CACHES);
  }

  /**
   * Writes a file, waits until nothing is left to reduce, reads it from the page cache and from
   * disk, and deletes it.
   */
  Figures round(byte[] data, long length) throws IOException, InterruptedException {
    Figures figures = new Figures();
    sync();
    List<ProcessUsage> before = usage();
    double recordsBefore = recordSeconds();
    long diskBefore = cluster.diskUsage().physicalBytes();
    long began = System.nanoTime();
    write(data, length);
    figures.put("write, until close (s)", secondsSince(began));
    drain();
    figures.put("write, until reduced (s)", secondsSince(began));
    double cpu = cpuSince(before);
    figures.put("DataNode CPU per GB written (s)", cpu / (length / GB));
    figures.put("of it for block records (%)", 100 * (recordSeconds() - recordsBefore) / cpu);
    figures.put("on disk (MB)", (cluster.diskUsage().physicalBytes() - diskBefore) / 1e6);
    sync();
    figures.put("written to the device (MB)", writtenSince(before) / 1e6);

    read(data, length);
    before = usage();
    began = System.nanoTime();
    read(data, length);
    figures.put("read from page cache (s)", secondsSince(began));
    figures.put("DataNode CPU per GB read (s)", cpuSince(before) / (length / GB));
    if (canDropCaches()) {
      sync();
      Files.writeString(DROP_CACHES, "3");
      began = System.nanoTime();
      read(data, length);
      figures.put("read from disk (s)", secondsSince(began));
    }
    delete();
    return figures;
  }

  private void write(byte[] data, long length) throws IOException {
    try (OutputStream out = fileSystem.create(FILE, true)) {
      for (long written = 0; written < length; ) {
        int offset = (int) (written % data.length);
        int count = (int) Math.min(Math.min(BUFFER, data.length - offset), length - written);
        out.write(data, offset, count);
        written += count;
      }
    }
  }

  private void read(byte[] data, long length) throws IOException {
    byte[] buffer = new byte[BUFFER];
    long read = 0;
    try (InputStream in = fileSystem.open(FILE)) {
      for (int count = in.read(buffer); count > 0; count = in.read(buffer)) {
        // One byte a call proves the place; the client has verified every checksum.
        if (buffer[0] != data[(int) (read % data.length)]) {
          throw new IOException("wrong byte at " + read);
        }
        read += count;
      }
    }
    if (read != length) {
      throw new IOException("read " + read + " of " + length + " bytes");
    }
  }

  private void delete() throws IOException, InterruptedException {
    fileSystem.delete(FILE, true);
    long deadline = System.nanoTime() + TimeUnit.MINUTES.toNanos(2);
    while (cluster.diskUsage().blocks() > 0 && System.nanoTime() < deadline) {
      Thread.sleep(200);
    }
  }

  private void drain() throws IOException, InterruptedException {
    for (DataNode node : cluster.dataNodes()) {
      boolean pending = true;
      while (pending) {
        pending = false;
        for (JsonNode metrics : node.hdrfMetrics()) {
          pending |= metrics.path("Pending").asLong() > 0;
        }
        if (pending) {
          Thread.sleep(20);
        }
      }
    }
  }

  /** CPU time of the threads that keep block records, since the DataNodes' start. */
  private double recordSeconds() throws IOException {
    double seconds = 0;
    for (DataNode node : cluster.dataNodes()) {
      for (JsonNode metrics : node.hdrfMetrics()) {
        seconds += metrics.path("MetadataCpuMillis").asDouble() / 1e3;
      }
    }
    return seconds;
  }

  private static void sync() throws IOException, InterruptedException {
    new ProcessBuilder("sync").inheritIO().start().waitFor();
  }

  private List<ProcessUsage> usage() throws IOException {
    List<ProcessUsage> usage = new ArrayList<>();
    for (DataNode node : cluster.dataNodes()) {
      usage.add(node.usage());
    }
    return usage;
  }

  private double cpuSince(List<ProcessUsage> before) throws IOException {
    double seconds = 0;
    List<ProcessUsage> now = usage();
    for (int i = 0; i < now.size(); i++) {
      seconds += now.get(i).since(before.get(i)).cpuSeconds();
    }
    return seconds;
  }

  private double writtenSince(List<ProcessUsage> before) throws IOException {
    double bytes = 0;
    List<ProcessUsage> now = usage();
    for (int i = 0; i < now.size(); i++) {
      bytes += now.get(i).since(before.get(i)).writtenBytes();
    }
    return bytes;
  }

  private static double secondsSince(long began) {
    return (System.nanoTime() - began) / 1e9;
  }

  @Override
  public void close() throws IOException {
    fileSystem.close();
    cluster.stop();
    servers.stop();
  }
}
