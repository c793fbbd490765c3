/* SPDX-License-Identifier: Apache-2.0 */
package org.apache.hadoop.hdfs;

import org.apache.hadoop.conf.Configuration;

/** Lets tests change the configuration that a stopped DataNode is going to be started with. */
public final class StoppedDataNode {

  private StoppedDataNode() {}

  public static Configuration configuration(MiniDFSCluster.DataNodeProperties stopped) {
    return stopped.conf;
  }
}
