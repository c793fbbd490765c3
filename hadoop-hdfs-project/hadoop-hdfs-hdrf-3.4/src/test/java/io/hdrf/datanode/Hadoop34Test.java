/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.hdrf.io.TestBytes;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.DFSConfigKeys;
import org.apache.hadoop.hdfs.protocol.Block;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.server.common.DataNodeLockManager.LockLevel;
import org.apache.hadoop.hdfs.server.datanode.DataNodeFaultInjector;
import org.apache.hadoop.hdfs.server.datanode.ReplicaHandler;
import org.apache.hadoop.hdfs.server.datanode.ReplicaNotFoundException;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.impl.FsVolumeImpl;
import org.apache.hadoop.util.AutoCloseableLock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What DataNodes of Hadoop 3.4 do and older ones don't. */
class Hadoop34Test {

  private static final int SIZE = 700_001;

  private HdrfCluster cluster;
  private final DataNodeFaultInjector injector = DataNodeFaultInjector.get();

  @BeforeEach
  void start() throws Exception {
    Configuration conf = HdrfCluster.configuration();
    conf.setBoolean(DFSConfigKeys.DFS_DATANODE_ALLOW_SAME_DISK_TIERING, true);
    conf.setDouble(DFSConfigKeys.DFS_DATANODE_RESERVE_FOR_ARCHIVE_DEFAULT_PERCENTAGE, 0.5);
    cluster =
        HdrfCluster.start(
            conf,
            builder ->
                builder
                    .numDataNodes(1)
                    .storagesPerDatanode(2)
                    .storageTypes(new StorageType[] {StorageType.DISK, StorageType.ARCHIVE}));
  }

  @AfterEach
  void stop() {
    DataNodeFaultInjector.set(injector);
    cluster.close();
  }

  private ExtendedBlock reducedBlock(String path, byte[] data) throws Exception {
    cluster.write(path, data, 1);
    ExtendedBlock block = cluster.block(path);
    cluster.awaitReduced(0, block);
    return block;
  }

  private static long used(FsVolumeImpl volume) {
    try {
      return volume.getDfsUsed();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** A hard link would bring a file to a volume with another secret. */
  @Test
  void betweenVolumesOfOneDiskABlockGoesPlain() throws Exception {
    byte[] data = TestBytes.text(SIZE, 1);
    ExtendedBlock block = reducedBlock("/tiered", data);
    FsVolumeImpl source = cluster.volume(0, block);
    assertThat(source.getStorageType()).isEqualTo(StorageType.DISK);
    cluster.dataset(0).moveBlockAcrossStorage(block, StorageType.ARCHIVE, null);
    assertThat(cluster.volume(0, block)).isNotSameAs(source);
    TestBytes.assertSame("moved", cluster.read("/tiered"), data);
    cluster.awaitReduced(0, block);
    TestBytes.assertSame("reduced again", cluster.read("/tiered"), data);
    cluster.restart(0);
    cluster.mini().waitActive();
    TestBytes.assertSame("after a restart", cluster.read("/tiered"), data);
  }

  @Test
  void aPlainBlockIsLinked() throws Exception {
    byte[] data = TestBytes.noise(SIZE, 2);
    cluster.write("/noise", data, 1);
    cluster.awaitReduced();
    ExtendedBlock block = cluster.block("/noise");
    Object inode = Files.getAttribute(cluster.file(0, block).toPath(), "unix:ino");
    cluster.dataset(0).moveBlockAcrossStorage(block, StorageType.ARCHIVE, null);
    assertThat(Files.getAttribute(cluster.file(0, block).toPath(), "unix:ino")).isEqualTo(inode);
    TestBytes.assertSame("moved", cluster.read("/noise"), data);
  }

  /** A pipeline that is set up again may meet a replica of the same block. */
  @Test
  void aReplicaThatIsWrittenAgainGivesItsSpaceBack() throws Exception {
    ExtendedBlock block = reducedBlock("/again", TestBytes.text(SIZE, 3));
    FsVolumeImpl volume = cluster.volume(0, block);
    File file = cluster.file(0, block);
    long before = volume.getDfsUsed();
    // Stock code does not subtract the .meta file.
    long meta = new File(cluster.replica(0, block).getMetadataURI()).length();
    long physical = cluster.physicalBytes(volume) - meta;
    ExtendedBlock next = new ExtendedBlock(block);
    next.setGenerationStamp(block.getGenerationStamp() + 1);
    next.setNumBytes(0);
    try (ReplicaHandler handler =
        cluster
            .dataset(0)
            .createRbw(StorageType.DISK, null, next, false, next.getGenerationStamp())) {
      assertThat(file).doesNotExist();
      assertThat(handler.getReplica().getBytesOnDisk()).isZero();
    }
    assertThat(before - volume.getDfsUsed()).isEqualTo(physical);
    assertThat(cluster.service(0).knownSaving(block.getBlockPoolId(), block.getBlockId()))
        .isEqualTo(HdrfService.UNKNOWN);
  }

  /** The replica stays in the map until its turn comes. */
  @Test
  void aBlockThatWaitsForItsDeletionGivesItsSpaceBack() throws Exception {
    byte[] data = TestBytes.text(SIZE, 4);
    ExtendedBlock block = reducedBlock("/late", data);
    FsVolumeImpl volume = cluster.volume(0, block);
    long before = volume.getDfsUsed();
    long physical = cluster.physicalBytes(volume);
    CountDownLatch turn = new CountDownLatch(1);
    DataNodeFaultInjector.set(
        new DataNodeFaultInjector() {
          @Override
          public void delayDeleteReplica() {
            try {
              turn.await();
            } catch (InterruptedException e) {
              Thread.currentThread().interrupt();
            }
          }
        });
    cluster.dataset(0).invalidate(block.getBlockPoolId(), new Block[] {block.getLocalBlock()});
    TestBytes.assertSame("still there", cluster.read("/late"), data);
    assertThat(volume.getDfsUsed()).isEqualTo(before);
    turn.countDown();
    HdrfCluster.await("the space to be given back", () -> before - used(volume) == physical);
    cluster.fs().delete(new Path("/late"), false);
  }

  @Test
  void aUsageClassThatIsSetLaterIsChecked(@TempDir java.nio.file.Path directory) throws Exception {
    UsageReconfiguration.assertChecked(cluster, directory);
  }

  /** A disk that hangs holds up its own blocks alone. */
  @Test
  void aLockedVolumeHoldsUpNoOther() throws Exception {
    ExtendedBlock block = reducedBlock("/here", TestBytes.text(SIZE, 7));
    long next = block.getGenerationStamp() + 1;
    FutureTask<Void> append =
        new FutureTask<>(
            () -> {
              cluster.dataset(0).append(block, next, SIZE).close();
              block.setGenerationStamp(next);
              cluster.dataset(0).finalizeBlock(block, false);
              cluster.awaitReduced(0, block);
              return null;
            });
    String elsewhere =
        cluster.volumes(0).stream()
            .filter(volume -> volume != cluster.replica(0, block).getVolume())
            .findAny()
            .orElseThrow()
            .getStorageID();
    try (AutoCloseableLock lock =
        cluster
            .dataset(0)
            .acquireDatasetLockManager()
            .writeLock(LockLevel.VOLUME, block.getBlockPoolId(), elsewhere)) {
      new Thread(append, "append").start();
      append.get(60, TimeUnit.SECONDS);
    }
  }

  /** Not with the pool's lock, for which it would wait, and all others for it. */
  @Test
  void aBlockThatIsNotThereIsRefusedWhileADiskHangs() throws Exception {
    ExtendedBlock unknown = new ExtendedBlock(cluster.pool(), 1L << 40, SIZE, 5);
    FutureTask<Throwable> refused =
        new FutureTask<>(
            () -> catchThrowable(() -> cluster.dataset(0).recoverClose(unknown, 6, SIZE)));
    try (AutoCloseableLock lock =
        cluster
            .dataset(0)
            .acquireDatasetLockManager()
            .writeLock(
                LockLevel.VOLUME, cluster.pool(), cluster.volumes(0).get(0).getStorageID())) {
      new Thread(refused, "recovery").start();
      assertThat(refused.get(60, TimeUnit.SECONDS)).isInstanceOf(ReplicaNotFoundException.class);
    }
  }

  @Test
  void aMoveBetweenTwoVolumesEndsWhileAThirdHangs() throws Exception {
    cluster.close();
    cluster = HdrfCluster.start(HdrfCluster.configuration(), 1, 3);
    byte[] data = TestBytes.text(SIZE, 8);
    ExtendedBlock block = reducedBlock("/between", data);
    List<FsVolumeImpl> volumes = cluster.volumes(0);
    int source = volumes.indexOf(cluster.volume(0, block));
    FsVolumeImpl target = volumes.get((source + 1) % 3);
    FutureTask<Void> move =
        new FutureTask<>(
            () -> {
              cluster.dataset(0).moveBlockAcrossVolumes(block, target);
              return null;
            });
    try (AutoCloseableLock lock =
        cluster
            .dataset(0)
            .acquireDatasetLockManager()
            .writeLock(
                LockLevel.VOLUME, cluster.pool(), volumes.get((source + 2) % 3).getStorageID())) {
      new Thread(move, "move").start();
      move.get(60, TimeUnit.SECONDS);
    }
    assertThat(cluster.volume(0, block)).isSameAs(target);
    TestBytes.assertSame("moved", cluster.read("/between"), data);
  }

  /** Stock code does not cache what is memory already; to inflate it would be in vain. */
  @Test
  void aBlockOnMemoryThatLastsIsNotInflatedForTheCache() throws Exception {
    cluster.close();
    cluster =
        HdrfCluster.start(
            HdrfCluster.configuration(),
            builder ->
                builder
                    .numDataNodes(1)
                    .storagesPerDatanode(2)
                    .storageTypes(new StorageType[] {StorageType.DISK, StorageType.NVDIMM}));
    cluster.fs().setStoragePolicy(new Path("/"), "ALL_NVDIMM");
    ExtendedBlock block = reducedBlock("/memory", TestBytes.text(SIZE, 9));
    assertThat(cluster.volume(0, block).getStorageType()).isEqualTo(StorageType.NVDIMM);
    long failed = cluster.dataset(0).getNumBlocksFailedToCache();
    cluster.dataset(0).cache(block.getBlockPoolId(), new long[] {block.getBlockId()});
    HdrfCluster.await(
        "the refusal", () -> cluster.dataset(0).getNumBlocksFailedToCache() > failed);
    assertThat(cluster.service(0).counters().values()).containsEntry("blocksInflated", 0L);
  }
}
