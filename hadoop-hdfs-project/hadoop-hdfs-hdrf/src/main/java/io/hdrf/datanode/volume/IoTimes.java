/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode.volume;

import io.hdrf.io.ForwardingFile;
import io.hdrf.io.ForwardingFiles;
import io.hdrf.spi.io.DurableFile;
import io.hdrf.spi.io.DurableFiles;
import io.hdrf.spi.io.ReadableFile;
import java.io.File;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.ObjLongConsumer;
import java.util.function.Supplier;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.DFSConfigKeys;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.DataNodeVolumeMetrics;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.FsVolumeSpi;
import org.apache.hadoop.util.Time;

/**
 * Adds the times of HDRF's file operations to the metrics of their volumes, from which HDFS finds
 * slow disks: its FileIoProvider does so for stock code alone. Does nothing unless {@code
 * dfs.datanode.fileio.profiling.sampling.percentage} was set at start. Thread-safe.
 */
public final class IoTimes {

  /** A read or write of a file. */
  private interface Operation<T> {
    T run() throws IOException;
  }

  private final int percentage;
  private final Supplier<List<FsVolumeSpi>> volumes;

  /**
   * @param volumes those in service
   */
  public IoTimes(Configuration configuration, Supplier<List<FsVolumeSpi>> volumes) {
    this.percentage =
        configuration.getInt(
            DFSConfigKeys.DFS_DATANODE_FILEIO_PROFILING_SAMPLING_PERCENTAGE_KEY,
            DFSConfigKeys.DFS_DATANODE_FILEIO_PROFILING_SAMPLING_PERCENTAGE_DEFAULT);
    this.volumes = volumes;
  }

  /** Returns files whose operations are timed. */
  public DurableFiles timed(DurableFiles files) {
    return percentage > 0 ? new TimedFiles(files) : files;
  }

  /** Returns a file on a volume whose reads are timed. */
  public ReadableFile timed(ReadableFile file, FsVolumeSpi volume) {
    DataNodeVolumeMetrics metrics = percentage > 0 ? volume.getMetrics() : null;
    return metrics == null ? file : new TimedReads(file, metrics);
  }

  private DataNodeVolumeMetrics metrics(Path path) {
    for (FsVolumeSpi volume : volumes.get()) {
      if (volume.getStorageType() != StorageType.PROVIDED
          && path.startsWith(new File(volume.getBaseURI()).toPath())) {
        return volume.getMetrics();
      }
    }
    return null;
  }

  /** Times a sample of the operations, as stock code does. */
  private <T> T io(
      DataNodeVolumeMetrics metrics,
      ObjLongConsumer<DataNodeVolumeMetrics> kind,
      Operation<T> operation)
      throws IOException {
    if (ThreadLocalRandom.current().nextInt(100) >= percentage) {
      return operation.run();
    }
    long begin = Time.monotonicNow();
    try {
      T result = operation.run();
      long millis = Time.monotonicNow() - begin;
      metrics.addDataFileIoLatency(millis);
      kind.accept(metrics, millis);
      return result;
    } catch (IOException e) {
      metrics.addFileIoError(Time.monotonicNow() - begin);
      throw e;
    }
  }

  private final class TimedFiles extends ForwardingFiles {
    TimedFiles(DurableFiles files) {
      super(files);
    }

    private DurableFile timed(Path path, DurableFile file) {
      DataNodeVolumeMetrics metrics = metrics(path);
      return metrics == null ? file : new TimedFile(file, metrics);
    }

    @Override
    public DurableFile create(Path file) throws IOException {
      return timed(file, super.create(file));
    }

    @Override
    public DurableFile open(Path file) throws IOException {
      return timed(file, super.open(file));
    }
  }

  private final class TimedFile extends ForwardingFile {
    private final DataNodeVolumeMetrics metrics;

    TimedFile(DurableFile file, DataNodeVolumeMetrics metrics) {
      super(file);
      this.metrics = metrics;
    }

    @Override
    public void write(ByteBuffer src, long position) throws IOException {
      io(
          metrics,
          DataNodeVolumeMetrics::addWriteIoLatency,
          () -> {
            super.write(src, position);
            return null;
          });
    }

    @Override
    public int read(ByteBuffer dst, long position) throws IOException {
      return io(metrics, DataNodeVolumeMetrics::addReadIoLatency, () -> super.read(dst, position));
    }

    @Override
    public void force() throws IOException {
      io(
          metrics,
          DataNodeVolumeMetrics::addSyncIoLatency,
          () -> {
            super.force();
            return null;
          });
    }
  }

  private final class TimedReads implements ReadableFile {
    private final ReadableFile file;
    private final DataNodeVolumeMetrics metrics;

    TimedReads(ReadableFile file, DataNodeVolumeMetrics metrics) {
      this.file = file;
      this.metrics = metrics;
    }

    @Override
    public int read(ByteBuffer dst, long position) throws IOException {
      return io(metrics, DataNodeVolumeMetrics::addReadIoLatency, () -> file.read(dst, position));
    }

    @Override
    public boolean prefetch(long position, long length) {
      return file.prefetch(position, length);
    }

    @Override
    public long length() throws IOException {
      return file.length();
    }

    @Override
    public void close() throws IOException {
      file.close();
    }
  }
}
