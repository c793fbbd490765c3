/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.benchmarks;

import io.hdrf.cluster.ClusterConfig;
import io.hdrf.cluster.DataNode;
import io.hdrf.cluster.DiskUsage;
import io.hdrf.cluster.HadoopRuntime;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import org.apache.hadoop.fs.Path;

/** A cluster each of whose DataNodes holds every block. For one thread. */
final class SpaceSide implements Closeable {

  private final OpenCluster open;

  SpaceSide(ClusterConfig config, HadoopRuntime runtime) throws IOException {
    open = new OpenCluster(config, runtime);
  }

  /** The directory with the cluster's settings. */
  java.nio.file.Path conf() {
    return open.cluster().conf();
  }

  long blockSize() {
    return open.fileSystem().getDefaultBlockSize(new Path("/"));
  }

  void write(java.nio.file.Path file) throws IOException {
    try (OutputStream out = open.fileSystem().create(stored(file))) {
      Files.copy(file, out);
    }
  }

  /**
   * What the DataNode holds that has most, when all is reduced, sealed and written.
   *
   * @param logical what was written, in bytes
   * @throws IOException if a DataNode does not have all of it
   */
  long physicalBytes(long logical) throws IOException {
    open.settle();
    long most = 0;
    for (DataNode node : open.cluster().dataNodes()) {
      DiskUsage usage = node.diskUsage();
      if (usage.logicalBytes() != logical) {
        throw new IOException(
            "A DataNode has " + usage.logicalBytes() + " bytes, not the " + logical + " written");
      }
      most = Math.max(most, usage.physicalBytes());
    }
    return most;
  }

  /**
   * Reads what was written.
   *
   * @throws IOException if it is not what is in {@code file}
   */
  void compare(java.nio.file.Path file) throws IOException {
    try (InputStream in = open.fileSystem().open(stored(file));
        InputStream written = Files.newInputStream(file)) {
      long position = Streams.mismatch(in, written);
      if (position >= 0) {
        throw new IOException(stored(file) + " differs from what was written, at " + position);
      }
    }
  }

  private static Path stored(java.nio.file.Path file) {
    return new Path("/" + file.getFileName());
  }

  @Override
  public void close() throws IOException {
    open.close();
  }
}
