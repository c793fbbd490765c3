/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hdrf.datanode.faulty.FaultyScheme;
import io.hdrf.io.TestBytes;
import java.io.File;
import java.nio.file.Files;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.DFSConfigKeys;
import org.apache.hadoop.hdfs.protocol.Block;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.impl.FsVolumeImpl;
import org.apache.hadoop.hdfs.server.protocol.BlockRecoveryCommand.RecoveringBlock;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Rules 1, 14 and 16: moves between volumes, the space used, the file's mode. */
class MoveRulesTest {

  private static final int SIZE = 700_001;

  private static HdrfCluster cluster;

  /** The space used by each volume while it had no blocks. */
  private static final Map<String, Long> BASE = new HashMap<>();

  @BeforeAll
  static void start() throws Exception {
    Configuration conf =
        HdrfCluster.configuration(HdrfCluster.plugins(FaultyScheme.class), FaultyScheme.NAME);
    conf.setBoolean(DFSConfigKeys.DFS_DATANODE_BLOCK_PINNING_ENABLED, true);
    cluster =
        HdrfCluster.start(
            conf,
            builder ->
                builder
                    .numDataNodes(1)
                    .storagesPerDatanode(3)
                    .storageTypes(
                        new StorageType[] {
                          StorageType.DISK, StorageType.DISK, StorageType.ARCHIVE
                        }));
    for (FsVolumeImpl volume : cluster.volumes(0)) {
      BASE.put(volume.getStorageID(), volume.getDfsUsed());
    }
  }

  @AfterEach
  void normalSpeed() {
    System.clearProperty(FaultyScheme.ENCODE_DELAY);
    System.clearProperty(FaultyScheme.DECODE_DELAY);
  }

  @AfterAll
  static void stop() {
    cluster.close();
  }

  private static ExtendedBlock reducedBlock(String path, byte[] data) throws Exception {
    cluster.write(path, data, 1);
    ExtendedBlock block = cluster.block(path);
    cluster.awaitReduced(0, block);
    return block;
  }

  private static FsVolumeImpl otherDisk(ExtendedBlock block) throws Exception {
    for (FsVolumeImpl volume : cluster.volumes(0)) {
      if (volume.getStorageType() == StorageType.DISK && volume != cluster.volume(0, block)) {
        return volume;
      }
    }
    throw new AssertionError("there are two disks");
  }

  /** Stock code does not subtract the .meta file of the source. */
  private static void move(ExtendedBlock block, ThrowingCallable call) throws Exception {
    String source = cluster.volume(0, block).getStorageID();
    // Of the file: a replica of later lines that was once asked for the length subtracts it.
    long meta = new File(cluster.replica(0, block).getMetadataURI()).length();
    try {
      call.call();
    } catch (Throwable e) {
      throw new AssertionError(e);
    }
    BASE.merge(source, meta, Long::sum);
  }

  private static void assertUse() throws Exception {
    for (FsVolumeImpl volume : cluster.volumes(0)) {
      assertThat(volume.getDfsUsed() - BASE.get(volume.getStorageID()))
          .as("use of %s", volume)
          .isEqualTo(cluster.physicalBytes(volume));
    }
  }

  /** Rule 1: the disk balancer's call. */
  @Test
  void betweenVolumesGoesPlainAndIsReducedAgain() throws Exception {
    byte[] data = TestBytes.text(SIZE, 11);
    ExtendedBlock block = reducedBlock("/volumes", data);
    FsVolumeImpl target = otherDisk(block);
    // For the first frame; the others come at once.
    System.setProperty(FaultyScheme.ENCODE_DELAY, "2000");
    move(block, () -> cluster.dataset(0).moveBlockAcrossVolumes(block, target));
    File moved = cluster.file(0, block);
    assertThat(cluster.volume(0, block)).isSameAs(target);
    TestBytes.assertSame("the moved file", Files.readAllBytes(moved.toPath()), data);
    TestBytes.assertSame("the file", cluster.read("/volumes"), data);
    System.clearProperty(FaultyScheme.ENCODE_DELAY);
    cluster.awaitReduced(0, block);
    TestBytes.assertSame("reduced again", cluster.read("/volumes"), data);
    assertUse();
  }

  /** Rule 1: the mover's call. */
  @Test
  void betweenStorageTypesGoesPlainAndIsReducedAgain() throws Exception {
    byte[] data = TestBytes.text(SIZE, 12);
    ExtendedBlock block = reducedBlock("/types", data);
    // For the first frame; the others come at once.
    System.setProperty(FaultyScheme.ENCODE_DELAY, "2000");
    move(block, () -> cluster.dataset(0).moveBlockAcrossStorage(block, StorageType.ARCHIVE, null));
    assertThat(cluster.volume(0, block).getStorageType()).isEqualTo(StorageType.ARCHIVE);
    TestBytes.assertSame(
        "the moved file", Files.readAllBytes(cluster.file(0, block).toPath()), data);
    System.clearProperty(FaultyScheme.ENCODE_DELAY);
    cluster.awaitReduced(0, block);
    TestBytes.assertSame("reduced again", cluster.read("/types"), data);
    assertUse();
  }

  /** Rule 1: a damaged block must not become a sound-looking one elsewhere. */
  @Test
  void aDamagedBlockIsNotMoved() throws Exception {
    ExtendedBlock block = reducedBlock("/damaged", TestBytes.text(SIZE, 13));
    FsVolumeImpl source = cluster.volume(0, block);
    FsVolumeImpl target = otherDisk(block);
    Damage.flip(cluster.file(0, block), BlockFiles.physicalLength(cluster.file(0, block)) / 2, 1);
    assertThatThrownBy(() -> cluster.dataset(0).moveBlockAcrossVolumes(block, target))
        .hasMessageContaining("CRC32C of frame");
    assertThat(cluster.volume(0, block)).isSameAs(source);
    java.nio.file.Path temporary = HdrfCluster.poolDirectory(target, cluster.pool()).resolve("tmp");
    assertThat(hasFiles(temporary)).isFalse();
    cluster.fs().delete(new Path("/damaged"), false);
    HdrfCluster.await("the block to go", () -> cluster.replica(0, block) == null);
    awaitDeletions();
  }

  /** Rules 1 and 5: a swap that is about to happen finds the block moved. */
  @Test
  void aMoveDuringReductionWins() throws Exception {
    byte[] data = TestBytes.text(SIZE, 14);
    System.setProperty(FaultyScheme.ENCODE_DELAY, "2000");
    cluster.write("/race", data, 1);
    ExtendedBlock block = cluster.block("/race");
    FsVolumeImpl target = otherDisk(block);
    HdrfCluster.await("the reduction to begin", () -> cluster.service(0).pending() > 0);
    move(block, () -> cluster.dataset(0).moveBlockAcrossVolumes(block, target));
    assertThat(cluster.volume(0, block)).isSameAs(target);
    System.clearProperty(FaultyScheme.ENCODE_DELAY);
    cluster.awaitReduced(0, block);
    TestBytes.assertSame("the file", cluster.read("/race"), data);
    assertUse();
  }

  /** Rules 1 and 4: when both meet, the recovery proceeds and the move fails. */
  @Test
  void recoveryWinsOverAMove() throws Exception {
    byte[] data = TestBytes.text(SIZE, 18);
    ExtendedBlock block = reducedBlock("/recovery", data);
    FsVolumeImpl source = cluster.volume(0, block);
    FsVolumeImpl target = otherDisk(block);
    System.setProperty(FaultyScheme.DECODE_DELAY, "1000");
    CompletableFuture<Void> move =
        CompletableFuture.runAsync(
            () -> {
              try {
                cluster.dataset(0).moveBlockAcrossVolumes(block, target);
              } catch (java.io.IOException e) {
                throw new java.io.UncheckedIOException(e);
              }
            });
    java.nio.file.Path temporary = HdrfCluster.poolDirectory(target, cluster.pool()).resolve("tmp");
    HdrfCluster.await("the move to begin", () -> hasFiles(temporary));
    long recoveryId = block.getGenerationStamp() + 1;
    cluster.dataset(0).initReplicaRecovery(new RecoveringBlock(block, null, recoveryId));
    System.clearProperty(FaultyScheme.DECODE_DELAY);
    cluster.dataset(0).updateReplicaUnderRecovery(block, recoveryId, block.getBlockId(), 1000);
    assertThatThrownBy(move::get).hasMessageContaining("any more");
    assertThat(hasFiles(temporary)).isFalse();
    ExtendedBlock truncated = new ExtendedBlock(block);
    truncated.setGenerationStamp(recoveryId);
    assertThat(cluster.volume(0, truncated)).isSameAs(source);
    TestBytes.assertSame(
        "truncated", cluster.replicaBytes(0, truncated), java.util.Arrays.copyOf(data, 1000));
    final File file = cluster.file(0, truncated);
    cluster.fs().delete(new Path("/recovery"), false);
    cluster.dataset(0).invalidate(block.getBlockPoolId(), new Block[] {truncated.getLocalBlock()});
    settleUse(file);
  }

  private static boolean hasFiles(java.nio.file.Path directory) {
    try (var files = Files.walk(directory)) {
      return files.anyMatch(Files::isRegularFile);
    } catch (java.io.IOException | java.io.UncheckedIOException e) {
      return false;
    }
  }

  /** Rule 14: the savings are added back once, whether or not HDRF knew of them. */
  @Test
  void deletionGivesBackWhatWasUsed() throws Exception {
    ExtendedBlock known = reducedBlock("/known", TestBytes.text(SIZE, 15));
    ExtendedBlock unknown = reducedBlock("/unknown", TestBytes.text(SIZE, 16));
    assertUse();
    assertThat(cluster.service(0).knownSaving(known.getBlockPoolId(), known.getBlockId()))
        .isGreaterThan(SIZE / 2);
    cluster.service(0).forget(unknown.getBlockPoolId(), unknown.getBlockId());
    List<File> files = List.of(cluster.file(0, known), cluster.file(0, unknown));
    cluster
        .dataset(0)
        .invalidate(
            known.getBlockPoolId(), new Block[] {known.getLocalBlock(), unknown.getLocalBlock()});
    HdrfCluster.await("deletions to begin", () -> files.stream().noneMatch(File::exists));
    awaitDeletions();
    assertUse();
  }

  private static void awaitDeletions() throws Exception {
    HdrfCluster.await(
        "deletions to end",
        () -> {
          try {
            assertUse();
            return true;
          } catch (AssertionError | Exception e) {
            return false;
          }
        });
  }

  /** Rule 16: pinning survives swap, move and inflation. */
  @Test
  void thePinStays() throws Exception {
    byte[] data = TestBytes.text(SIZE, 17);
    System.setProperty(FaultyScheme.ENCODE_DELAY, "50");
    cluster.write("/pinned", data, 1);
    ExtendedBlock block = cluster.block("/pinned");
    cluster.dataset(0).setPinning(block);
    Object mode = Files.getAttribute(cluster.file(0, block).toPath(), "unix:mode");
    System.clearProperty(FaultyScheme.ENCODE_DELAY);
    cluster.awaitReduced(0, block);
    assertThat(cluster.dataset(0).getPinning(block)).isTrue();
    assertThat(Files.getAttribute(cluster.file(0, block).toPath(), "unix:mode")).isEqualTo(mode);
    cluster.dataset(0).moveBlockAcrossVolumes(block, otherDisk(block));
    assertThat(cluster.dataset(0).getPinning(block)).isTrue();
    cluster.awaitReduced(0, block);
    cluster.append("/pinned", new byte[10]);
    assertThat(cluster.dataset(0).getPinning(cluster.block("/pinned"))).isTrue();
    final File file = cluster.file(0, block);
    cluster.fs().delete(new Path("/pinned"), false);
    HdrfCluster.await("the block to go", () -> cluster.replica(0, block) == null);
    settleUse(file);
  }

  /** Stock code counts the bytes of a block twice that was appended to or truncated. */
  private static void settleUse(File gone) throws Exception {
    cluster.awaitReduced();
    HdrfCluster.await("the file to go", () -> !gone.exists());
    for (FsVolumeImpl volume : cluster.volumes(0)) {
      long overhead = -1;
      while (overhead != volume.getDfsUsed() - cluster.physicalBytes(volume)) {
        overhead = volume.getDfsUsed() - cluster.physicalBytes(volume);
        Thread.sleep(300);
      }
      BASE.put(volume.getStorageID(), overhead);
    }
  }
}
