/* SPDX-License-Identifier: Apache-2.0 */
package org.apache.hadoop.hdfs.server.datanode.fsdataset.impl;

import io.hdrf.datanode.HdrfSetup;
import io.hdrf.datanode.InstalledSetup;
import java.io.IOException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.server.common.Storage;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.hdfs.server.datanode.DataStorage;
import org.apache.hadoop.hdfs.server.datanode.StorageLocation;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.FsDatasetSpi;

/** HDRF's factory, of datasets that run an action between making a volume and adding it. */
public final class InterruptedAddFactory extends FsDatasetSpi.Factory<FsDatasetImpl> {

  /** The action. */
  public interface Meanwhile {
    void run() throws IOException;
  }

  private static volatile Meanwhile meanwhile = () -> {};

  /** Runs the action once, when the next volume is added. */
  public static void meanwhile(Meanwhile task) {
    meanwhile = task;
  }

  @Override
  public FsDatasetImpl newInstance(DataNode datanode, DataStorage storage, Configuration conf)
      throws IOException {
    return new Interrupted(datanode, storage, conf, InstalledSetup.in(conf));
  }

  /** Package-private like its parent. */
  static class Interrupted extends LineDataset {

    Interrupted(DataNode datanode, DataStorage storage, Configuration conf, HdrfSetup setup)
        throws IOException {
      super(datanode, storage, conf, setup);
    }

    @Override
    public FsVolumeImpl createFsVolume(
        String storageUuid, Storage.StorageDirectory directory, StorageLocation location)
        throws IOException {
      FsVolumeImpl volume = super.createFsVolume(storageUuid, directory, location);
      Meanwhile task = meanwhile;
      meanwhile = () -> {};
      task.run();
      return volume;
    }
  }
}
