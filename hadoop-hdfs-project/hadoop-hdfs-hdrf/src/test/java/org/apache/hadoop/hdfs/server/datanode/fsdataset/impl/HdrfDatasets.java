/* SPDX-License-Identifier: Apache-2.0 */
package org.apache.hadoop.hdfs.server.datanode.fsdataset.impl;

import io.hdrf.datanode.HdrfService;
import org.apache.hadoop.hdfs.server.datanode.DataNode;

/** Lets tests reach what is package-private. */
public final class HdrfDatasets {

  private HdrfDatasets() {}

  /** HDRF of a DataNode. */
  public static HdrfService service(DataNode datanode) {
    return ((HdrfDataset) datanode.getFSDataset()).service();
  }
}
