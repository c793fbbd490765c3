/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode.volume;

import java.net.URI;
import java.nio.channels.ClosedChannelException;
import java.nio.file.Path;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.server.datanode.extdataset.ExternalVolumeImpl;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.FsVolumeReference;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.FsVolumeSpi;

/** A volume without a dataset: a directory, on a disk with room. */
public class DirectoryVolume extends ExternalVolumeImpl {

  protected final Path directory;
  private final String storageId;

  public DirectoryVolume(String storageId, Path directory) {
    this.storageId = storageId;
    this.directory = directory;
  }

  @Override
  public FsVolumeReference obtainReference() throws ClosedChannelException {
    return new FsVolumeReference() {
      @Override
      public FsVolumeSpi getVolume() {
        return DirectoryVolume.this;
      }

      @Override
      public void close() {
        released();
      }
    };
  }

  /** Called when a reference is given back. */
  protected void released() {}

  @Override
  public long getAvailable() {
    return 1L << 40;
  }

  @Override
  public String getStorageID() {
    return storageId;
  }

  @Override
  public StorageType getStorageType() {
    return StorageType.DISK;
  }

  @Override
  public URI getBaseURI() {
    return directory.toUri();
  }

  @Override
  public String toString() {
    return directory.toString();
  }
}
