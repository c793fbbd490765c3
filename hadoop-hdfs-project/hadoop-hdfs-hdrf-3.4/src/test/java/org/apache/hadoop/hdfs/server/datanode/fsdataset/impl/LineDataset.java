/* SPDX-License-Identifier: Apache-2.0 */
package org.apache.hadoop.hdfs.server.datanode.fsdataset.impl;

import io.hdrf.datanode.HdrfSetup;
import java.io.IOException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.hdfs.server.datanode.DataStorage;

/** What tests derive their datasets from: that of the line of Hadoop that they run on. */
class LineDataset extends HdrfDataset34 {

  LineDataset(DataNode datanode, DataStorage storage, Configuration conf, HdrfSetup setup)
      throws IOException {
    super(datanode, storage, conf, setup);
  }
}
