/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.crash;

import java.io.IOException;
import org.apache.hadoop.hdfs.BlockReader;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.client.impl.BlockReaderTestUtil;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;

/** Single replicas of blocks. */
final class Replicas {

  private Replicas() {}

  /** All of a block, from one DataNode. */
  static byte[] read(DistributedFileSystem fs, LocatedBlock block, DatanodeInfo location)
      throws IOException {
    LocatedBlock one = new LocatedBlock(block.getBlock(), new DatanodeInfo[] {location});
    one.setBlockToken(block.getBlockToken());
    byte[] data = new byte[(int) block.getBlockSize()];
    if (data.length > 0) {
      BlockReader reader = BlockReaderTestUtil.getBlockReader(fs, one, 0, data.length);
      try {
        reader.readFully(data, 0, data.length);
      } finally {
        reader.close();
      }
    }
    return data;
  }
}
