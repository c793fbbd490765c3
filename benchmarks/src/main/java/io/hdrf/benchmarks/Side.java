/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.benchmarks;

import com.fasterxml.jackson.databind.JsonNode;
import io.hdrf.cluster.ClusterConfig;
import io.hdrf.cluster.DataNode;
import io.hdrf.cluster.LocalCluster;
import io.hdrf.cluster.ProcessUsage;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/** One of two clusters that are compared, and what is measured on it. For one thread. */
final class Side implements Closeable {

  private static final Path FILE = new Path("/bench/file");
  private static final int BUFFER = 1 << 20;
  private static final double GB = 1e9;
  private static final String PENDING = "Pending";

  /** Longer than the metrics are kept by the DataNode, or each look would find the same. */
  private static final int POLL_MILLIS = 20;

  private final BenchmarkCluster own;
  private final LocalCluster cluster;
  private final FileSystem fileSystem;

  /**
   * Starts the cluster.
   *
   * @param config with a metrics period of at most half of 20 ms, by which the end of the
   *     reductions is timed
   */
  Side(ClusterConfig config) throws IOException {
    own = new BenchmarkCluster(config);
    cluster = own.cluster();
    fileSystem = own.fileSystem();
  }

  /**
   * Writes a file, waits until nothing is left to reduce, reads it from the page cache and from
   * disk, and deletes it.
   *
   * @param data of a round that has begun
   */
  Figures round(RoundData data, long length) throws IOException, InterruptedException {
    Figures figures = new Figures();
    PageCache.sync();
    List<ProcessUsage> before = usage();
    double recordsBefore = recordSeconds();
    double encodeBefore = metric("EncodeNanos");
    double verifyBefore = metric("VerifyNanos");
    double forceBefore = metric("ForceNanos") + metric("DedupForceNanos");
    long diskBefore = own.physicalBytes();
    long usedBefore = used();
    long began = System.nanoTime();
    write(data, length);
    figures.put("write, until close (s)", secondsSince(began));
    double left = metric(PENDING);
    drain();
    figures.put("write, until reduced (s)", secondsSince(began));
    double cpu = cpuSince(before);
    figures.put("blocks left at close", left);
    figures.put("of reducing: encoding (s)", (metric("EncodeNanos") - encodeBefore) / 1e9);
    figures.put("of reducing: verifying (s)", (metric("VerifyNanos") - verifyBefore) / 1e9);
    figures.put(
        "of reducing: waiting for the device (s)",
        (metric("ForceNanos") + metric("DedupForceNanos") - forceBefore) / 1e9);
    figures.put("DataNode CPU per GB written (s)", cpu / (length / GB));
    figures.put("of it for block records (%)", 100 * (recordSeconds() - recordsBefore) / cpu);
    PageCache.sync();
    figures.put("write, until on the device (s)", secondsSince(began));
    figures.put("on disk (MB)", (own.physicalBytes() - diskBefore) / 1e6);
    figures.put("taken of the file system (MB)", (used() - usedBefore) / 1e6);
    figures.put("written to the device (MB)", writtenSince(before) / 1e6);

    read(data, length);
    before = usage();
    began = System.nanoTime();
    read(data, length);
    figures.put("read from page cache (s)", secondsSince(began));
    figures.put("DataNode CPU per GB read (s)", cpuSince(before) / (length / GB));
    if (PageCache.canDrop()) {
      PageCache.drop();
      began = System.nanoTime();
      read(data, length);
      figures.put("read from disk (s)", secondsSince(began));
    }
    fileSystem.delete(FILE, true);
    own.awaitBlocks(0);
    return figures;
  }

  /** Bytes of the file system that are not free, whoever uses them; after a sync. */
  private long used() throws IOException {
    FileStore store = Files.getFileStore(cluster.config().directory());
    return store.getTotalSpace() - store.getUnallocatedSpace();
  }

  private void write(RoundData data, long length) throws IOException {
    try (OutputStream out = fileSystem.create(FILE, true)) {
      data.write(out, length);
    }
  }

  private void read(RoundData data, long length) throws IOException {
    byte[] buffer = new byte[BUFFER];
    long read = 0;
    try (InputStream in = fileSystem.open(FILE)) {
      for (int count = in.read(buffer); count > 0; count = in.read(buffer)) {
        // One byte a call proves the place; the client has verified every checksum.
        if (buffer[0] != data.at(read)) {
          throw new IOException("wrong byte at " + read);
        }
        read += count;
      }
    }
    if (read != length) {
      throw new IOException("read " + read + " of " + length + " bytes");
    }
  }

  private void drain() throws IOException, InterruptedException {
    while (metric(PENDING) > 0) {
      Thread.sleep(POLL_MILLIS);
    }
  }

  /** CPU time of the threads that keep block records, since the DataNodes' start. */
  private double recordSeconds() throws IOException {
    return metric("MetadataCpuMillis") / 1e3;
  }

  /** A metric of HDRF, summed over the DataNodes; 0 where there is none. */
  private double metric(String name) throws IOException {
    double sum = 0;
    for (DataNode node : cluster.dataNodes()) {
      for (JsonNode metrics : node.hdrfMetrics()) {
        sum += metrics.path(name).asDouble();
      }
    }
    return sum;
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
    own.close();
  }
}
