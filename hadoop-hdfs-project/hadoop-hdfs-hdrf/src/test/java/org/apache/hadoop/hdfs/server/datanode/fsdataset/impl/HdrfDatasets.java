/* SPDX-License-Identifier: Apache-2.0 */
package org.apache.hadoop.hdfs.server.datanode.fsdataset.impl;

import io.hdrf.datanode.HdrfService;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Field;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.hdfs.server.datanode.FinalizedReplica;
import org.apache.hadoop.hdfs.server.datanode.ReplicaInfo;
import org.apache.hadoop.hdfs.server.datanode.StorageLocation;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.FsDatasetSpi;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.FsVolumeReference;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.FsVolumeSpi;

/** Gives tests access to package-private members. */
public final class HdrfDatasets {

  private HdrfDatasets() {}

  /** HDRF of a DataNode. */
  public static HdrfService service(DataNode datanode) {
    return ((HdrfDataset) datanode.getFSDataset()).service;
  }

  /** Ends the thread of a volume that deletes files: stock code then can't remove the volume. */
  public static void endDeletions(DataNode datanode, FsVolumeImpl volume) {
    ((FsDatasetImpl) datanode.getFSDataset()).asyncDiskService.removeVolume(volume.getStorageID());
  }

  public static void removeVolumes(DataNode datanode, List<StorageLocation> locations) {
    datanode.getFSDataset().removeVolumes(locations, false);
  }

  /** Sets the capacity of every volume of a DataNode, in bytes; -1 restores the real one. */
  public static void setCapacity(DataNode datanode, long capacity) throws IOException {
    try (FsDatasetSpi.FsVolumeReferences volumes =
        datanode.getFSDataset().getFsVolumeReferences()) {
      for (FsVolumeSpi volume : volumes) {
        ((FsVolumeImpl) volume).setCapacityForTesting(capacity);
      }
    }
  }

  /** The names of the classes that measure the use of a pool on the volumes of a DataNode. */
  public static List<String> usageClasses(DataNode datanode, String pool)
      throws IOException, ReflectiveOperationException {
    Field usage = BlockPoolSlice.class.getDeclaredField("dfsUsage");
    usage.setAccessible(true);
    List<String> names = new ArrayList<>();
    try (FsDatasetSpi.FsVolumeReferences volumes =
        datanode.getFSDataset().getFsVolumeReferences()) {
      for (FsVolumeSpi volume : volumes) {
        names.add(usage.get(((FsVolumeImpl) volume).getBlockPoolSlice(pool)).getClass().getName());
      }
    }
    return names;
  }

  /**
   * Reads a finalized replica of which HDRF sees at its first look that it lies in memory, and
   * which is on disk when stock code looks.
   */
  public static InputStream openWhileItLeavesMemory(DataNode datanode, ExtendedBlock block)
      throws IOException {
    FsDatasetImpl dataset = (FsDatasetImpl) datanode.getFSDataset();
    String pool = block.getBlockPoolId();
    ReplicaInfo onDisk = dataset.volumeMap.get(pool, block.getBlockId());
    FsVolumeSpi memory =
        (FsVolumeSpi)
            Proxy.newProxyInstance(
                HdrfDatasets.class.getClassLoader(),
                new Class<?>[] {FsVolumeSpi.class},
                (proxy, method, arguments) -> {
                  if (method.getName().equals("isTransientStorage")) {
                    dataset.volumeMap.add(pool, onDisk);
                    return true;
                  }
                  throw new UnsupportedOperationException(method.getName());
                });
    dataset.volumeMap.add(
        pool, new FinalizedReplica(onDisk, memory, new File("no such directory")));
    return dataset.getBlockInputStream(block, 0);
  }

  /** The first half of a move: copies a finalized replica to another volume. */
  public static ReplicaInfo copy(
      FsDatasetSpi<?> dataset, ExtendedBlock block, ReplicaInfo replica, FsVolumeSpi target)
      throws IOException {
    try (FsVolumeReference reference = target.obtainReference()) {
      return ((FsDatasetImpl) dataset).copyReplicaToVolume(block, replica, reference);
    }
  }

  /** The second half: puts the copy in the replica's place. */
  public static void finalizeCopy(FsDatasetSpi<?> dataset, ReplicaInfo copy, ExtendedBlock block)
      throws IOException {
    ((FsDatasetImpl) dataset).finalizeNewReplica(copy, block);
  }

  /** Returns the bytes that the volumes of a DataNode reserve for replicas being written. */
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
