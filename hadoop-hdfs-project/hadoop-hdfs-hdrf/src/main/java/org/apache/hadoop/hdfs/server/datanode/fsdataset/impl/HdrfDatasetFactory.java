/* SPDX-License-Identifier: Apache-2.0 */
package org.apache.hadoop.hdfs.server.datanode.fsdataset.impl;

import io.hdrf.datanode.HadoopLine;
import io.hdrf.datanode.HdrfSetup;
import io.hdrf.datanode.PacketSize;
import java.io.IOException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.hdfs.server.datanode.DataStorage;
import org.apache.hadoop.hdfs.server.datanode.DescriptorRequests;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.FsDatasetSpi;

/** The class to name in {@code dfs.datanode.fsdataset.factory}. */
public final class HdrfDatasetFactory extends FsDatasetSpi.Factory<FsDatasetImpl> {

  @Override
  public FsDatasetImpl newInstance(DataNode datanode, DataStorage storage, Configuration conf)
      throws IOException {
    return new HdrfDataset(datanode, storage, conf, setup(conf));
  }

  /** Checks the DataNode's configuration, unless HDRF refuses to run in it at all. */
  static HdrfSetup setup(Configuration conf) throws IOException {
    HadoopLine.require();
    DescriptorRequests.requireRecognizable();
    PacketSize.raiseUnlessConfigured(conf);
    return new HdrfSetup(conf);
  }
}
