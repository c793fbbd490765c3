/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode;

import static org.assertj.core.api.Assertions.assertThat;

import io.hdrf.datanode.replica.Hold;
import io.hdrf.io.TestBytes;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.DFSConfigKeys;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.FsDatasetSpi;
import org.apache.hadoop.io.nativeio.NativeIO;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A block stays plain for exactly as long as it is in the DataNode's cache. */
@Timeout(120)
class CacheHoldsTest {

  private static final int LENGTH = 300_000;

  private static NativeIO.POSIX.CacheManipulator before;
  private static HdrfCluster cluster;

  @BeforeAll
  static void start() throws Exception {
    before = NativeIO.POSIX.getCacheManipulator();
    NativeIO.POSIX.setCacheManipulator(new NativeIO.POSIX.NoMlockCacheManipulator());
    Configuration conf = HdrfCluster.configuration();
    conf.setLong(DFSConfigKeys.DFS_DATANODE_MAX_LOCKED_MEMORY_KEY, 2 * LENGTH);
    cluster = HdrfCluster.start(conf, 1, 1);
  }

  @AfterAll
  static void stop() {
    cluster.close();
    NativeIO.POSIX.setCacheManipulator(before);
  }

  private static ExtendedBlock reduced(String path, int length) throws Exception {
    cluster.write(path, TestBytes.text(length, 5), 1);
    cluster.awaitReduced(path);
    return cluster.block(path);
  }

  private static long[] ids(ExtendedBlock block) {
    return new long[] {block.getBlockId()};
  }

  /** Makes the Reducer process the block, and another one after it. */
  private static void letItBeReduced(ExtendedBlock block, String next) throws Exception {
    cluster.service(0).finalized(block.getBlockPoolId(), block.getBlockId());
    cluster.awaitReduced();
    reduced(next, LENGTH);
  }

  @Test
  void recoveryOfACachedBlockLeavesItPlain() throws Exception {
    ExtendedBlock block = reduced("/cached", LENGTH);
    FsDatasetSpi<?> dataset = cluster.dataset(0);
    String pool = block.getBlockPoolId();
    dataset.cache(pool, ids(block));
    HdrfCluster.await("caching", () -> dataset.isCached(pool, block.getBlockId()));
    assertThat(cluster.isReduced(0, block)).isFalse();
    dataset.recoverClose(block, block.getGenerationStamp() + 1, LENGTH);
    letItBeReduced(block, "/after");
    assertThat(dataset.isCached(pool, block.getBlockId())).isTrue();
    assertThat(cluster.isReduced(0, block)).isFalse();
    dataset.uncache(pool, ids(block));
    HdrfCluster.await("the block to be reduced again", () -> cluster.isReduced(0, block));
  }

  @Test
  void aBlockThatCannotBeCachedIsReducedAgain() throws Exception {
    ExtendedBlock block = reduced("/large", 3 * LENGTH);
    FsDatasetSpi<?> dataset = cluster.dataset(0);
    long failed = dataset.getNumBlocksFailedToCache();
    dataset.cache(block.getBlockPoolId(), ids(block));
    HdrfCluster.await("the failure", () -> dataset.getNumBlocksFailedToCache() > failed);
    HdrfCluster.await("the block to be reduced again", () -> cluster.isReduced(0, block));
  }

  /** The NameNode repeats its command every few seconds for as long as a block is not cached. */
  @Test
  void aRepeatedCommandIsQueuedOnce() throws Exception {
    ExtendedBlock waited = reduced("/waited", 20_000);
    ExtendedBlock large = reduced("/repeated", 3 * LENGTH);
    cluster.write("/last", new byte[4096], 1);
    ExtendedBlock last = cluster.block("/last");
    FsDatasetSpi<?> dataset = cluster.dataset(0);
    String pool = waited.getBlockPoolId();
    long failed = dataset.getNumBlocksFailedToCache();
    try (Hold first = cluster.service(0).lock(pool, waited.getBlockId())) {
      dataset.cache(pool, ids(waited));
      for (int i = 0; i < 100; i++) {
        dataset.cache(pool, ids(large));
      }
    }
    HdrfCluster.await("the failure", () -> dataset.getNumBlocksFailedToCache() > failed);
    dataset.cache(pool, ids(last));
    HdrfCluster.await("caching", () -> dataset.isCached(pool, last.getBlockId()));
    assertThat(dataset.getNumBlocksFailedToCache()).isEqualTo(failed + 1);
    // What has been tried is tried again when it is asked for again.
    dataset.cache(pool, ids(large));
    HdrfCluster.await("another failure", () -> dataset.getNumBlocksFailedToCache() == failed + 2);
  }
}
