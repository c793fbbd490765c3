/* SPDX-License-Identifier: Apache-2.0 */
package org.apache.hadoop.hdfs.server.datanode.fsdataset.impl;

import java.io.IOException;
import java.io.InputStream;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.server.datanode.ReplicaInfo;
import org.apache.hadoop.util.AutoCloseableLock;

/** On Hadoop 3.3: one lock for the whole dataset, which readers share. */
final class HdrfDatasetAccess33 extends HdrfDatasetAccess31 {

  HdrfDatasetAccess33(FsDatasetImpl dataset) {
    super(dataset);
  }

  @Override
  InputStream openPlain(ExtendedBlock block, ReplicaInfo replica, long offset) throws IOException {
    return replica.getDataInputStream(offset);
  }

  @Override
  AutoCloseableLock lockForReading() {
    return dataset.acquireDatasetReadLock();
  }
}
