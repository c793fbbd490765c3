/* SPDX-License-Identifier: Apache-2.0 */
package org.apache.hadoop.hdfs.server.datanode.fsdataset.impl;

import io.hdrf.datanode.HdrfSetup;
import java.io.IOException;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.hdfs.server.datanode.DataStorage;
import org.apache.hadoop.hdfs.server.datanode.HdrfDataNodeBridge;

/** On Hadoop 3.3, whose dataset is that of 3.1 but for its lock and how it is reconfigured. */
class HdrfDataset33 extends HdrfDataset31 {

  HdrfDataset33(DataNode datanode, DataStorage storage, Configuration conf, HdrfSetup setup)
      throws IOException {
    super(datanode, storage, conf, setup, HdrfDatasetAccess33::new);
  }

  /** Asked for by the reconfiguration of how use is measured, before it changes anything. */
  @Override
  public List<FsVolumeImpl> getVolumeList() {
    HdrfDataNodeBridge.checkNewUsage(datanode);
    return super.getVolumeList();
  }
}
