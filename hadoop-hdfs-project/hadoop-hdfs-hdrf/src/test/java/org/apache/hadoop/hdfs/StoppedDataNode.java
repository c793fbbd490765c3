/* SPDX-License-Identifier: Apache-2.0 */
package org.apache.hadoop.hdfs;

import org.apache.hadoop.conf.Configuration;

/** Lets tests change the configuration with which a stopped DataNode will start. */
public final class StoppedDataNode {

  private StoppedDataNode() {}

  public static Configuration configuration(MiniDFSCluster.DataNodeProperties stopped) {
    return stopped.conf;
  }
}
