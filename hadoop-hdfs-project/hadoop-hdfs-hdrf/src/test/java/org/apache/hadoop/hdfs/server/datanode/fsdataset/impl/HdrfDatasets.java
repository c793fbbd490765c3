/* SPDX-License-Identifier: Apache-2.0 */
package org.apache.hadoop.hdfs.server.datanode.fsdataset.impl;

import io.hdrf.datanode.HdrfService;
import java.io.IOException;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.FsDatasetSpi;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.FsVolumeSpi;

/** Lets tests reach what is package-private. */
public final class HdrfDatasets {

  private HdrfDatasets() {}

  /** HDRF of a DataNode. */
  public static HdrfService service(DataNode datanode) {
    return ((HdrfDataset) datanode.getFSDataset()).service();
  }

  /** Gives every volume of a DataNode a capacity in bytes, or its own again for -1. */
  public static void setCapacity(DataNode datanode, long capacity) throws IOException {
    try (FsDatasetSpi.FsVolumeReferences volumes =
        datanode.getFSDataset().getFsVolumeReferences()) {
      for (FsVolumeSpi volume : volumes) {
        ((FsVolumeImpl) volume).setCapacityForTesting(capacity);
      }
    }
  }

  /** What the volumes of a DataNode hold in reserve for replicas that are being written. */
  public static long reservedForReplicas(DataNode datanode) throws IOException {
    long sum = 0;
    try (FsDatasetSpi.FsVolumeReferences volumes =
        datanode.getFSDataset().getFsVolumeReferences()) {
      for (FsVolumeSpi volume : volumes) {
        sum += ((FsVolumeImpl) volume).getReservedForReplicas();
      }
    }
    return sum;
  }
}
