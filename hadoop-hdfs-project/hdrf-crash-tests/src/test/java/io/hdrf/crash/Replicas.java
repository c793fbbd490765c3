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

  /** The most attempts to find replicas that HDFS deletes meanwhile. */
  private static final int MAX_ATTEMPTS = 10;

  private Replicas() {}

  /** Reads the replicas that the NameNode names at the time of the call. */
  interface Check {
    void run() throws IOException;
  }

  /** Runs a check; repeats it if it met an excess replica that HDFS deleted meanwhile. */
  static void check(Check check) throws IOException, InterruptedException {
    for (int attempt = 1; ; attempt++) {
      try {
        check.run();
        return;
      } catch (IOException e) {
        if (attempt == MAX_ATTEMPTS || !isGone(e)) {
          throw e;
        }
        Thread.sleep(1000);
      }
    }
  }

  private static boolean isGone(IOException e) {
    String message = String.valueOf(e.getMessage());
    return message.contains("Replica not found") || message.contains("is not valid");
  }

  /** Reads all of a block, from one DataNode. */
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
