/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hdrf.datanode.faulty.FaultyScheme;
import io.hdrf.datanode.volume.UnavailableException;
import io.hdrf.io.TestBytes;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.hdfs.DFSConfigKeys;
import org.apache.hadoop.hdfs.ExtendedBlockId;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.server.datanode.DataNode.ShortCircuitFdsUnsupportedException;
import org.apache.hadoop.hdfs.server.datanode.DataNodeProbe;
import org.apache.hadoop.hdfs.server.datanode.DataNodeTestUtils;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.impl.FsVolumeImpl;
import org.apache.hadoop.io.nativeio.NativeIO;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Rules 3, 4, 5, 6, 9, 11, 12, 13, 17 and 20: stock operations that work on the raw file. */
class RawFileRulesTest {

  private static final int SIZE = 700_001;

  private static HdrfCluster cluster;

  @BeforeAll
  static void start() throws Exception {
    Configuration conf =
        HdrfCluster.configuration(HdrfCluster.plugins(FaultyScheme.class), FaultyScheme.NAME);
    conf.setLong(DFSConfigKeys.DFS_DATANODE_MAX_LOCKED_MEMORY_KEY, 64 << 20);
    conf.set("dfs.block.local-path-access.user", System.getProperty("user.name"));
    NativeIO.POSIX.setCacheManipulator(new NativeIO.POSIX.NoMlockCacheManipulator());
    cluster = HdrfCluster.start(conf, 1, 1);
  }

  @AfterEach
  void everythingWorks() throws Exception {
    System.clearProperty(FaultyScheme.ENCODE_DELAY);
    System.clearProperty(FaultyScheme.DECODE_FAILURE);
    cluster.volumes(0).get(0).setCapacityForTesting(-1);
    // A heartbeat may have told the NameNode of a full disk.
    DataNodeTestUtils.triggerHeartbeat(cluster.datanode(0));
  }

  @AfterAll
  static void stop() {
    NativeIO.POSIX.setCacheManipulator(new NativeIO.POSIX.CacheManipulator());
    cluster.close();
  }

  private static ExtendedBlock reducedBlock(String path, byte[] data) throws Exception {
    cluster.write(path, data, 1);
    ExtendedBlock block = cluster.block(path);
    cluster.awaitReduced(0, block);
    return block;
  }

  private static void fillDisk() throws Exception {
    FsVolumeImpl volume = cluster.volumes(0).get(0);
    volume.setCapacityForTesting(volume.getDfsUsed() + 100_000);
    assertThat(volume.getAvailable()).isLessThan(SIZE);
  }

  private static Path temporaryFiles() throws Exception {
    return cluster.hdrfDirectory(cluster.volumes(0).get(0)).resolve("tmp");
  }

  /** Rule 3: no space, no append; and the block is as it was. */
  @Test
  void appendFailsOnAFullDiskAndLeavesTheBlockReduced() throws Exception {
    byte[] data = TestBytes.text(SIZE, 31);
    ExtendedBlock block = reducedBlock("/full", data);
    fillDisk();
    assertThatThrownBy(() -> cluster.dataset(0).append(block, block.getGenerationStamp() + 1, SIZE))
        .isInstanceOf(org.apache.hadoop.util.DiskChecker.DiskOutOfSpaceException.class);
    assertThat(cluster.isReduced(0, block)).isTrue();
    assertThat(temporaryFiles()).isEmptyDirectory();
    assertThat(cluster.volumes(0).get(0).getReservedForReplicas()).isZero();
    TestBytes.assertSame("the file", cluster.read("/full"), data);
  }

  /** Rule 3: a block that can't be decoded can't be appended to, and stays. */
  @Test
  void appendFailsWhereDecodingFails() throws Exception {
    byte[] data = TestBytes.text(SIZE, 32);
    ExtendedBlock block = reducedBlock("/undecodable", data);
    System.setProperty(FaultyScheme.DECODE_FAILURE, "io");
    assertThatThrownBy(() -> cluster.dataset(0).append(block, block.getGenerationStamp() + 1, SIZE))
        .hasMessageContaining("the store is down");
    System.clearProperty(FaultyScheme.DECODE_FAILURE);
    assertThat(cluster.isReduced(0, block)).isTrue();
    assertThat(temporaryFiles()).isEmptyDirectory();
    cluster.append("/undecodable", new byte[] {1});
    TestBytes.assertSame("the file", cluster.read("/undecodable"), concat(data, new byte[] {1}));
  }

  private static byte[] concat(byte[] first, byte[] second) {
    byte[] both = Arrays.copyOf(first, first.length + second.length);
    System.arraycopy(second, 0, both, first.length, second.length);
    return both;
  }

  /** An append that stock code is going to refuse inflates nothing. */
  @Test
  void aRefusedAppendInflatesNothing() throws Exception {
    ExtendedBlock block = reducedBlock("/refused", TestBytes.text(SIZE, 33));
    assertThatThrownBy(
            () -> cluster.dataset(0).append(block, block.getGenerationStamp() + 1, SIZE - 1))
        .hasMessageContaining("expected length");
    assertThat(cluster.isReduced(0, block)).isTrue();
  }

  /** Rule 4: closing the file of a writer that died needs no space. */
  @Test
  void leaseRecoveryInflatesNothingAndWorksOnAFullDisk() throws Exception {
    byte[] data = TestBytes.text(SIZE, 34);
    ExtendedBlock block = reducedBlock("/lease", data);
    long inflated = cluster.service(0).counters().values().get("blocksInflated");
    // What block recovery does on a DataNode, for a replica that is already whole.
    long recoveryId = block.getGenerationStamp() + 1;
    fillDisk();
    var recovering =
        new org.apache.hadoop.hdfs.server.protocol.BlockRecoveryCommand.RecoveringBlock(
            block, null, recoveryId);
    assertThat(cluster.dataset(0).initReplicaRecovery(recovering).getNumBytes()).isEqualTo(SIZE);
    TestBytes.assertSame("under recovery", cluster.replicaBytes(0, block), data);
    cluster.dataset(0).updateReplicaUnderRecovery(block, recoveryId, block.getBlockId(), SIZE);
    ExtendedBlock recovered = new ExtendedBlock(block);
    recovered.setGenerationStamp(recoveryId);
    assertThat(cluster.replica(0, recovered).getGenerationStamp()).isEqualTo(recoveryId);
    assertThat(cluster.isReduced(0, recovered)).isTrue();
    assertThat(cluster.service(0).counters().values().get("blocksInflated")).isEqualTo(inflated);
    TestBytes.assertSame("recovered", cluster.replicaBytes(0, recovered), data);
  }

  /** Rule 4: a truncation needs the plain block, or fails. */
  @Test
  void truncationFailsOnAFullDiskAndWorksLater() throws Exception {
    byte[] data = TestBytes.text(SIZE, 35);
    ExtendedBlock block = reducedBlock("/truncated", data);
    long recoveryId = block.getGenerationStamp() + 1;
    var recovering =
        new org.apache.hadoop.hdfs.server.protocol.BlockRecoveryCommand.RecoveringBlock(
            block, null, recoveryId);
    cluster.dataset(0).initReplicaRecovery(recovering);
    fillDisk();
    assertThatThrownBy(
            () ->
                cluster
                    .dataset(0)
                    .updateReplicaUnderRecovery(block, recoveryId, block.getBlockId(), 123_457))
        .isInstanceOf(org.apache.hadoop.util.DiskChecker.DiskOutOfSpaceException.class);
    assertThat(BlockFiles.isReduced(cluster.file(0, block))).isTrue();
    cluster.volumes(0).get(0).setCapacityForTesting(-1);
    cluster.dataset(0).updateReplicaUnderRecovery(block, recoveryId, block.getBlockId(), 123_457);
    ExtendedBlock truncated = new ExtendedBlock(block);
    truncated.setGenerationStamp(recoveryId);
    TestBytes.assertSame(
        "truncated", cluster.replicaBytes(0, truncated), Arrays.copyOf(data, 123_457));
    cluster.awaitReduced(0, truncated);
    TestBytes.assertSame(
        "reduced again", cluster.replicaBytes(0, truncated), Arrays.copyOf(data, 123_457));
  }

  /** Rule 4: copy-on-truncate computes fresh checksums from the raw file. */
  @Test
  void copyOnTruncateOfASnapshottedFile() throws Exception {
    byte[] data = TestBytes.text(SIZE, 36);
    var directory = new org.apache.hadoop.fs.Path("/snapshots");
    cluster.fs().mkdirs(directory);
    cluster.fs().allowSnapshot(directory);
    reducedBlock("/snapshots/file", data);
    cluster.fs().createSnapshot(directory, "s");
    cluster.fs().truncate(new org.apache.hadoop.fs.Path(directory, "file"), 400_003);
    HdrfCluster.await("the truncation", () -> isClosed("/snapshots/file"));
    TestBytes.assertSame("the file", cluster.read("/snapshots/file"), Arrays.copyOf(data, 400_003));
    TestBytes.assertSame("the snapshot", cluster.read("/snapshots/.snapshot/s/file"), data);
    cluster.awaitReduced("/snapshots/file");
    cluster.awaitReduced("/snapshots/.snapshot/s/file");
    TestBytes.assertSame("the file", cluster.read("/snapshots/file"), Arrays.copyOf(data, 400_003));
    TestBytes.assertSame("the snapshot", cluster.read("/snapshots/.snapshot/s/file"), data);
  }

  private static boolean isClosed(String path) {
    try {
      return cluster.fs().isFileClosed(new org.apache.hadoop.fs.Path(path));
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  /** Rules 3 and 5: a reduction under way notices that the block was appended to. */
  @Test
  void anAppendDuringReductionWins() throws Exception {
    byte[] data = TestBytes.text(SIZE, 37);
    System.setProperty(FaultyScheme.ENCODE_DELAY, "2000");
    cluster.write("/appended", data, 1);
    HdrfCluster.await("the reduction to begin", () -> cluster.service(0).pending() > 0);
    try (FSDataOutputStream out = cluster.fs().append(new org.apache.hadoop.fs.Path("/appended"))) {
      out.write(data, 0, 1000);
      out.hflush();
      System.clearProperty(FaultyScheme.ENCODE_DELAY);
      cluster.awaitReduced();
      TestBytes.assertSame(
          "while open", cluster.read("/appended"), concat(data, Arrays.copyOf(data, 1000)));
    }
    cluster.awaitReduced("/appended");
    TestBytes.assertSame(
        "the file", cluster.read("/appended"), concat(data, Arrays.copyOf(data, 1000)));
  }

  /** Rule 6, also where nothing is reduced: clients keep the answer. */
  @Test
  void pathsAreNeverGivenOut() throws Exception {
    ExtendedBlock block = reducedBlock("/path", TestBytes.text(SIZE, 38));
    assertThatThrownBy(() -> cluster.dataset(0).getBlockLocalPathInfo(block))
        .isInstanceOf(IOException.class);
  }

  /** Rule 9: holders of a descriptor of the replaced file are notified. */
  @Test
  void swapAndInflationRevokeDescriptors() throws Exception {
    List<ExtendedBlockId> revoked = DataNodeProbe.recordRevocations(cluster.datanode(0));
    ExtendedBlock block = reducedBlock("/descriptors", TestBytes.text(SIZE, 39));
    ExtendedBlockId id = ExtendedBlockId.fromExtendedBlock(block);
    HdrfCluster.await("the swap to be told of", () -> revoked.contains(id));
    revoked.clear();
    cluster.append("/descriptors", new byte[] {1});
    assertThat(revoked).contains(id);
  }

  /** The Reducer and the block scanner may have the file open for a moment. */
  private static void awaitClosed(ExtendedBlock block) throws Exception {
    HdrfCluster.await(
        "the block's file to be closed",
        () -> {
          try {
            return BlockFiles.open("blk_" + block.getBlockId()) == 0;
          } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
          }
        });
  }

  /** Rule 13: declined before anything is passed, and nothing stays open. */
  @Test
  void descriptorsOfReducedBlocksAreDeclined() throws Exception {
    byte[] data = TestBytes.text(SIZE, 40);
    ExtendedBlock block = reducedBlock("/declined", data);
    long open = BlockFiles.open("");
    for (int i = 0; i < 50; i++) {
      assertThatThrownBy(() -> DataNodeProbe.shortCircuit(cluster.datanode(0), block))
          .isInstanceOf(ShortCircuitFdsUnsupportedException.class);
    }
    awaitClosed(block);
    assertThat(BlockFiles.open("")).isLessThan(open + 25);
  }

  /** Rule 13: descriptors of plain blocks are passed as in stock HDFS. */
  @Test
  void descriptorsOfPlainBlocksArePassed() throws Exception {
    byte[] data = TestBytes.noise(SIZE, 41);
    cluster.write("/plain", data, 1);
    ExtendedBlock block = cluster.block("/plain");
    FileInputStream[] files = DataNodeProbe.shortCircuit(cluster.datanode(0), block);
    try (FileInputStream blockFile = files[0];
        FileInputStream metaFile = files[1];
        FileInputStream raw = new FileInputStream(blockFile.getFD())) {
      TestBytes.assertSame("the descriptor", raw.readAllBytes(), data);
      assertThat(metaFile.available()).isPositive();
    }
  }

  /** Rule 5: readers from before a swap or an inflation continue with the old file. */
  @Test
  void openStreamsOutliveSwapAndInflation() throws Exception {
    byte[] data = TestBytes.text(SIZE, 42);
    System.setProperty(FaultyScheme.ENCODE_DELAY, "100");
    cluster.write("/open", data, 1);
    ExtendedBlock block = cluster.block("/open");
    try (InputStream plain = cluster.dataset(0).getBlockInputStream(block, 0)) {
      byte[] begin = plain.readNBytes(1000);
      System.clearProperty(FaultyScheme.ENCODE_DELAY);
      cluster.awaitReduced(0, block);
      TestBytes.assertSame("plain", concat(begin, plain.readAllBytes()), data);
    }
    try (InputStream reduced = cluster.dataset(0).getBlockInputStream(block, 0)) {
      byte[] begin = reduced.readNBytes(1000);
      cluster.append("/open", new byte[] {1});
      TestBytes.assertSame("reduced", concat(begin, reduced.readAllBytes()), data);
    }
    awaitClosed(block);
  }

  /** No descriptor stays open after reads, whole or not, and after failed ones. */
  @Test
  void noDescriptorLeaks() throws Exception {
    ExtendedBlock block = reducedBlock("/leak", TestBytes.text(SIZE, 43));
    for (int i = 0; i < 200; i++) {
      try (InputStream in = cluster.dataset(0).getBlockInputStream(block, i * 3000L)) {
        in.readNBytes(i % 3 * 10_000);
      }
    }
    System.setProperty(FaultyScheme.DECODE_FAILURE, "state");
    for (int i = 0; i < 50; i++) {
      assertThatThrownBy(() -> cluster.replicaBytes(0, block))
          .isInstanceOf(UnavailableException.class);
    }
    awaitClosed(block);
    assertThat(BlockFiles.open("/dev/null")).isLessThan(10);
  }

  /** Rule 10: an interrupt is no damage, and does not reach another reader. */
  @Test
  void anInterruptedReadIsUnavailableAndHurtsNobodyElse() throws Exception {
    byte[] data = TestBytes.text(SIZE, 44);
    ExtendedBlock block = reducedBlock("/interrupted", data);
    try (InputStream other = cluster.dataset(0).getBlockInputStream(block, 0)) {
      other.readNBytes(10);
      Thread.currentThread().interrupt();
      try {
        assertThatThrownBy(() -> cluster.replicaBytes(0, block))
            .isInstanceOf(UnavailableException.class);
      } finally {
        assertThat(Thread.interrupted()).isTrue();
      }
      assertThat(other.readAllBytes()).hasSize(SIZE - 10);
    }
    byte[] noise = TestBytes.noise(SIZE, 45);
    cluster.write("/interrupted.plain", noise, 1);
    ExtendedBlock plain = cluster.block("/interrupted.plain");
    Thread.currentThread().interrupt();
    try {
      TestBytes.assertSame("plain", cluster.replicaBytes(0, plain), noise);
    } finally {
      assertThat(Thread.interrupted()).isTrue();
    }
    TestBytes.assertSame("the file", cluster.read("/interrupted"), data);
  }

  /** Rule 17: a cached block is plain until it is uncached. */
  @Test
  void aCachedBlockIsPlain() throws Exception {
    byte[] data = TestBytes.text(SIZE, 46);
    ExtendedBlock block = reducedBlock("/cached", data);
    String pool = block.getBlockPoolId();
    cluster.dataset(0).cache(pool, new long[] {block.getBlockId()});
    HdrfCluster.await("the block to be cached", () -> isCached(block));
    assertThat(cluster.isReduced(0, block)).isFalse();
    cluster.letTheScanLook(0);
    assertThat(cluster.isReduced(0, block)).isFalse();
    TestBytes.assertSame("cached", cluster.replicaBytes(0, block), data);
    // Stock code fails to unmap on this JDK, but what HDRF does comes after it.
    cluster.dataset(0).uncache(pool, new long[] {block.getBlockId()});
    cluster.awaitReduced(0, block);
    TestBytes.assertSame("uncached", cluster.replicaBytes(0, block), data);
  }

  private static boolean isCached(ExtendedBlock block) {
    return cluster.dataset(0).isCached(block.getBlockPoolId(), block.getBlockId());
  }

  /** Rule 12: without its .meta a block is left alone. */
  @Test
  void aBlockWithoutMetaIsLeftAlone() throws Exception {
    // A reduction that ends before its .meta is gone is one more, too.
    final long before = cluster.service(0).counters().blocksReduced();
    System.setProperty(FaultyScheme.ENCODE_DELAY, "200");
    cluster.write("/meta", TestBytes.text(SIZE, 47), 1);
    ExtendedBlock block = cluster.block("/meta");
    // The reduction that is under way has its .meta open; one that is offered later has not.
    CompletableFuture<?> away =
        CompletableFuture.runAsync(() -> cluster.replica(0, block).deleteMetadata());
    away.get();
    cluster.awaitReduced();
    if (cluster.service(0).counters().blocksReduced() == before) {
      cluster.letTheScanLook(0);
      assertThat(cluster.isReduced(0, block)).isFalse();
    }
    assertThat(temporaryFiles()).isEmptyDirectory();
    cluster.fs().delete(new org.apache.hadoop.fs.Path("/meta"), false);
  }

  /** Rule 20: the directory scanner sees nothing unusual in reduced blocks. */
  @Test
  void theDirectoryScannerFindsNoDifference() throws Exception {
    byte[] data = TestBytes.text(SIZE, 48);
    ExtendedBlock block = reducedBlock("/scanned", data);
    var before = cluster.replica(0, block);
    DataNodeTestUtils.runDirectoryScanner(cluster.datanode(0));
    assertThat(cluster.replica(0, block)).isSameAs(before);
    assertThat(before.getNumBytes()).isEqualTo(SIZE);
    assertThat(Files.size(cluster.file(0, block).toPath())).isEqualTo(SIZE);
    TestBytes.assertSame("the file", cluster.read("/scanned"), data);
  }
}
