/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hdrf.admin.AdminClient;
import io.hdrf.admin.JobInfo;
import io.hdrf.admin.JobKind;
import io.hdrf.io.TestBytes;
import io.hdrf.spi.scheme.TestSeed;
import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.util.EnumSet;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.fs.CreateFlag;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.Options.ChecksumOpt;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.server.common.HdfsServerConstants.ReplicaState;
import org.apache.hadoop.hdfs.server.datanode.DataNodeProbe;
import org.apache.hadoop.hdfs.server.datanode.DiskFileCorruptException;
import org.apache.hadoop.hdfs.server.datanode.Replica;
import org.apache.hadoop.hdfs.server.datanode.ReplicaAlreadyExistsException;
import org.apache.hadoop.hdfs.server.datanode.ReplicaHandler;
import org.apache.hadoop.hdfs.server.datanode.ReplicaInPipeline;
import org.apache.hadoop.hdfs.server.datanode.ReplicaInfo;
import org.apache.hadoop.hdfs.server.datanode.ReplicaNotFoundException;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.FsDatasetSpi;
import org.apache.hadoop.hdfs.server.protocol.BlockRecoveryCommand.RecoveringBlock;
import org.apache.hadoop.util.DataChecksum;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Rule 2: user data that look like a reduced block, and reduced blocks that no longer do. */
class LookAlikeTest {

  private static final int SIZE = 600_000;
  private static final int BLOCK_ID = 24;

  private static HdrfCluster cluster;

  @BeforeAll
  static void start() throws Exception {
    cluster = HdrfCluster.start(HdrfCluster.configuration(), 3, 1);
  }

  @AfterAll
  static void stop() {
    cluster.close();
  }

  /** The file of a reduced block, as it lies on a disk: header, frames, table and hole. */
  private static byte[] reducedFile(String path) throws Exception {
    cluster.write(path, TestBytes.text(SIZE, path.hashCode()), 3);
    cluster.awaitReduced(path);
    return Files.readAllBytes(cluster.file(0, cluster.block(path)).toPath());
  }

  /** The id that the next block is going to have. */
  private static long nextBlockId(String path) throws Exception {
    return cluster.block(written(path)).getBlockId() + 1;
  }

  private static void assertComesBack(String path, byte[] data) throws Exception {
    TestBytes.assertSame("just written", cluster.read(path), data);
    cluster.service(0).changes().wakeScan();
    cluster.awaitReduced();
    ExtendedBlock block = cluster.block(path);
    for (int datanode = 0; datanode < 3; datanode++) {
      TestBytes.assertSame("on " + datanode, cluster.replicaBytes(datanode, block), data);
    }
    cluster.restartDataNodes();
    cluster.mini().waitActive();
    TestBytes.assertSame("after a restart", cluster.read(path), data);
    cluster.awaitReduced();
    for (int datanode = 0; datanode < 3; datanode++) {
      TestBytes.assertSame(
          "after a restart on " + datanode, cluster.replicaBytes(datanode, block), data);
    }
    byte[] longer = java.util.Arrays.copyOf(data, data.length + 1);
    cluster.append(path, new byte[1]);
    TestBytes.assertSame("appended", cluster.read(path), longer);
    for (int datanode = 0; datanode < 3; datanode++) {
      int index = datanode;
      HdrfCluster.await("the replica", () -> cluster.replica(index, block) != null);
    }
    assertThat(cluster.fs().getFileStatus(new Path(path)).getLen()).isEqualTo(longer.length);
  }

  /** A real reduced file of another block, mostly a hole, so that it becomes smaller again. */
  @Test
  void anotherBlocksFileComesBackAsWritten() throws Exception {
    byte[] raw = reducedFile("/model");
    cluster.write("/copy", raw, 3);
    cluster.awaitReduced("/copy");
    assertComesBack("/copy", raw);
  }

  /** Its very header, with data that stay plain. */
  @Test
  void anotherBlocksHeaderComesBackAsWritten() throws Exception {
    byte[] data = TestBytes.noise(SIZE, 51);
    System.arraycopy(reducedFile("/model2"), 0, data, 0, 64);
    cluster.write("/header", data, 3);
    assertComesBack("/header", data);
    assertThat(BlockFiles.isReduced(cluster.file(0, cluster.block("/header")))).isTrue();
  }

  /** Header and CRC right for this very block; only the tag is that of another volume. */
  @Test
  void itsOwnHeaderWithAWrongTagComesBackAsWritten() throws Exception {
    byte[] raw = reducedFile("/model3");
    long id = nextBlockId("/before");
    ByteBuffer header = ByteBuffer.wrap(raw).order(ByteOrder.LITTLE_ENDIAN);
    header.putLong(BLOCK_ID, id);
    header.putInt(48, io.hdrf.jni.Crc32c.update(0, ByteBuffer.wrap(raw, 0, 48)));
    cluster.write("/own", raw, 3);
    assertThat(cluster.block("/own").getBlockId()).isEqualTo(id);
    assertComesBack("/own", raw);
  }

  /** Another DataNode's file of the very same block is none of this volume's. */
  @Test
  void theSameBlocksFileOfAnotherVolumeIsDamage() throws Exception {
    byte[] raw = reducedFile("/model5");
    ExtendedBlock block = cluster.block("/model5");
    byte[] data = TestBytes.text(SIZE, "/model5".hashCode());
    TestBytes.assertSame("its own", cluster.replicaBytes(1, block), data);
    Files.write(cluster.file(1, block).toPath(), raw);
    assertThatThrownBy(() -> cluster.replicaBytes(1, block))
        .isInstanceOf(DiskFileCorruptException.class)
        .hasMessageContaining("tag");
    TestBytes.assertSame("by the others", cluster.read("/model5"), data);
  }

  /** Any bytes behind the magic. */
  @Test
  void randomHeadersComeBackAsWritten() throws Exception {
    Random random = TestSeed.random("random headers");
    byte[] raw = reducedFile("/model4");
    for (int i = 0; i < 10; i++) {
      byte[] data = random.nextBoolean() ? raw.clone() : TestBytes.text(SIZE, i);
      System.arraycopy(raw, 0, data, 0, 64);
      for (int flips = 1 + random.nextInt(4); flips > 0; flips--) {
        data[4 + random.nextInt(60)] ^= (byte) (1 << random.nextInt(8));
      }
      String path = "/random" + i;
      cluster.write(path, data, 3);
      TestBytes.assertSame(path, cluster.read(path), data);
      cluster.awaitReduced();
      for (int datanode = 0; datanode < 3; datanode++) {
        TestBytes.assertSame(path, cluster.replicaBytes(datanode, cluster.block(path)), data);
      }
    }
  }

  /** The only proof that it is plain is that nothing is reduced without checksums. */
  @Test
  void withoutChecksumsItComesBackAsWritten() throws Exception {
    byte[] raw = reducedFile("/model5");
    raw[60] ^= 1;
    writeWithoutChecksums(cluster, "/none", raw, 3);
    TestBytes.assertSame("just written", cluster.read("/none"), raw);
    cluster.awaitReduced();
    for (int datanode = 0; datanode < 3; datanode++) {
      TestBytes.assertSame(
          "on " + datanode, cluster.replicaBytes(datanode, cluster.block("/none")), raw);
    }
  }

  private static void writeWithoutChecksums(
      HdrfCluster cluster, String path, byte[] data, int replication) throws Exception {
    try (FSDataOutputStream out =
        cluster
            .fs()
            .create(
                new Path(path),
                FsPermission.getFileDefault(),
                EnumSet.of(CreateFlag.CREATE),
                4096,
                (short) replication,
                cluster.fs().getDefaultBlockSize(),
                null,
                new ChecksumOpt(DataChecksum.Type.NULL, 512))) {
      out.write(data);
    }
  }

  /**
   * Builds that made superblocks of version 1 reduced blocks without checksums: there it may be a
   * damaged one, until all blocks were found plain.
   */
  @Test
  void withoutChecksumsItMayBeDamagedWhereEarlierBuildsWere() throws Exception {
    byte[] raw = reducedFile("/model6");
    raw[60] ^= 1;
    try (HdrfCluster old = HdrfCluster.start(HdrfCluster.configuration(), 1, 1)) {
      writeWithoutChecksums(old, "/none", raw, 1);
      TestBytes.assertSame("on a new volume", old.read("/none"), raw);
      java.nio.file.Path hdrf =
          old.mini()
              .getInstanceStorageDir(0, 0)
              .toPath()
              .resolve("current")
              .resolve(old.pool())
              .resolve("hdrf");
      for (String copy : new String[] {"superblock.0", "superblock.1"}) {
        byte[] superblock = Files.readAllBytes(hdrf.resolve(copy));
        superblock[4] = 1;
        ByteBuffer bytes = ByteBuffer.wrap(superblock).order(ByteOrder.LITTLE_ENDIAN);
        int end = superblock.length - Integer.BYTES;
        bytes.putInt(end, io.hdrf.jni.Crc32c.update(0, ByteBuffer.wrap(superblock, 0, end)));
        Files.write(hdrf.resolve(copy), superblock);
      }
      old.restartDataNodes();
      old.mini().waitActive();
      ExtendedBlock block = old.block("/none");
      assertThatThrownBy(() -> old.replicaBytes(0, block))
          .isInstanceOf(DiskFileCorruptException.class);

      inflate(old);
      assertThat(Files.readAllBytes(hdrf.resolve("superblock.0"))[4]).isEqualTo((byte) 1);
      old.fs().delete(new Path("/none"), false);
      HdrfCluster.await("the replica to go", () -> old.replica(0, block) == null);
      // Its file goes some time after it.
      for (int i = 0; i < 600 && Files.readAllBytes(hdrf.resolve("superblock.1"))[4] == 1; i++) {
        Thread.sleep(50);
        inflate(old);
      }
      assertThat(Files.readAllBytes(hdrf.resolve("superblock.1"))[4]).isEqualTo((byte) 2);
      writeWithoutChecksums(old, "/again", raw, 1);
      TestBytes.assertSame("where all was plain", old.read("/again"), raw);
    }
  }

  private static void inflate(HdrfCluster cluster) throws Exception {
    InetSocketAddress address =
        new InetSocketAddress(InetAddress.getLoopbackAddress(), cluster.datanode(0).getIpcPort());
    try (AdminClient admin = AdminClient.connect(address, cluster.mini().getConfiguration(0))) {
      admin.startJob(JobKind.INFLATE, 0, 1);
      while (!admin.jobs(JobKind.INFLATE).stream()
          .allMatch(job -> job.state() == JobInfo.State.DONE)) {
        Thread.sleep(20);
      }
    }
  }

  /** A wrong tag on bytes that don't match the checksums is damage: reported, and healed. */
  @Test
  void aWrongTagIsReportedAndHealed() throws Exception {
    byte[] data = TestBytes.text(SIZE, 52);
    cluster.write("/tag", data, 2);
    cluster.awaitReduced("/tag");
    ExtendedBlock block = cluster.block("/tag");
    int damaged = cluster.replica(0, block) != null ? 0 : 1;
    File file = cluster.file(damaged, block);
    Damage.flip(file, 60, 1);
    assertThatThrownBy(() -> cluster.replicaBytes(damaged, block))
        .isInstanceOf(DiskFileCorruptException.class)
        .hasMessageContaining("tag");
    TestBytes.assertSame("the file", cluster.read("/tag"), data);
    DataNodeProbe.scan(cluster.datanode(damaged), block);
    HdrfCluster.await(
        "two sound replicas",
        () -> {
          int sound = 0;
          for (int datanode = 0; datanode < 3; datanode++) {
            try {
              TestBytes.assertSame("", cluster.replicaBytes(datanode, block), data);
              sound++;
            } catch (AssertionError | Exception e) {
              continue;
            }
          }
          return sound == 2;
        });
    TestBytes.assertSame("the file", cluster.read("/tag"), data);
  }

  /**
   * Stock code does not verify the data that a client sends through a pipeline. Once finalized, the
   * block would be taken for a damaged reduced one as long as its file exists.
   */
  @Test
  void whatImitatesADamagedReducedBlockIsNotFinalized() throws Exception {
    byte[] data = TestBytes.noise(SIZE, 52);
    System.arraycopy(reducedFile("/model6"), 0, data, 0, 32);
    ExtendedBlock known = cluster.block("/model6");
    long stamp = known.getGenerationStamp();
    ExtendedBlock block = new ExtendedBlock(known.getBlockPoolId(), 4711, 0, stamp);
    FsDatasetSpi<?> dataset = cluster.dataset(0);
    ReplicaInPipeline written;
    try (ReplicaHandler handler = dataset.createRbw(StorageType.DISK, null, block, false)) {
      written = handler.getReplica();
    }
    ReplicaInfo replica = written.getReplicaInfo();
    java.nio.file.Path meta = java.nio.file.Path.of(replica.getMetadataURI());
    Files.write(java.nio.file.Path.of(replica.getBlockURI()), data);
    cluster.write("/same", data, 3);
    byte[] sums =
        Files.readAllBytes(
            java.nio.file.Path.of(cluster.replica(0, cluster.block("/same")).getMetadataURI()));
    byte[] wrong = sums.clone();
    wrong[7] ^= 1;
    Files.write(meta, wrong);
    written.setNumBytes(SIZE);
    written.setLastChecksumAndDataLen(SIZE, new byte[4]);
    block.setNumBytes(SIZE);
    assertThatThrownBy(() -> dataset.recoverClose(block, stamp + 1, SIZE))
        .isInstanceOf(ReplicaAlreadyExistsException.class);
    written.setBytesAcked(SIZE);
    assertThatThrownBy(() -> dataset.recoverClose(block, stamp + 1, SIZE - 1))
        .hasMessageContaining("Corrupted replica");
    // Refusals of stock code keep their messages.
    ExtendedBlock later = new ExtendedBlock(known.getBlockPoolId(), 4711, SIZE, stamp + 1);
    assertThatThrownBy(() -> dataset.finalizeBlock(later, false))
        .isInstanceOf(ReplicaNotFoundException.class);
    assertThatThrownBy(() -> dataset.recoverClose(later, stamp + 2, SIZE))
        .isInstanceOf(ReplicaNotFoundException.class);
    String refused = "begins like a reduced block";
    assertThatThrownBy(() -> dataset.finalizeBlock(block, false)).hasMessageContaining(refused);
    assertThatThrownBy(() -> dataset.recoverClose(block, stamp + 1, SIZE))
        .hasMessageContaining(refused);
    dataset.initReplicaRecovery(new RecoveringBlock(block, new DatanodeInfo[0], stamp + 10));
    assertThatThrownBy(
            () -> dataset.updateReplicaUnderRecovery(block, stamp + 10, block.getBlockId(), SIZE))
        .hasMessageContaining(refused);
    // A user's data with their own checksums are finalized, whatever they begin with.
    Files.write(meta, sums);
    dataset.updateReplicaUnderRecovery(block, stamp + 10, block.getBlockId(), SIZE);
    assertThat(cluster.replica(0, block).getState()).isEqualTo(ReplicaState.FINALIZED);
  }

  /** Stock code interrupts the writer and waits for it; until then it may still write. */
  @Test
  void whatAWriterWritesBeforeItIsStoppedIsLookedAt() throws Exception {
    byte[] data = TestBytes.noise(SIZE, 53);
    System.arraycopy(reducedFile("/model7"), 0, data, 0, 32);
    cluster.write("/sums", data, 3);
    ExtendedBlock known = cluster.block("/sums");
    byte[] wrong =
        Files.readAllBytes(java.nio.file.Path.of(cluster.replica(0, known).getMetadataURI()));
    wrong[7] ^= 1;
    long stamp = known.getGenerationStamp();
    ExtendedBlock block = new ExtendedBlock(known.getBlockPoolId(), 4712, 0, stamp);
    FsDatasetSpi<?> dataset = cluster.dataset(0);
    CountDownLatch begun = new CountDownLatch(1);
    FutureTask<Void> writing =
        new FutureTask<>(
            () -> {
              ReplicaInPipeline written;
              try (ReplicaHandler handler =
                  dataset.createRbw(StorageType.DISK, null, block, false)) {
                written = handler.getReplica();
              }
              begun.countDown();
              try {
                Thread.sleep(60_000);
              } catch (InterruptedException stopped) {
                ReplicaInfo replica = written.getReplicaInfo();
                Files.write(java.nio.file.Path.of(replica.getBlockURI()), data);
                Files.write(java.nio.file.Path.of(replica.getMetadataURI()), wrong);
                written.setNumBytes(SIZE);
                written.setLastChecksumAndDataLen(SIZE, new byte[4]);
                written.setBytesAcked(SIZE);
              }
              return null;
            });
    new Thread(writing).start();
    begun.await();
    assertThatThrownBy(() -> dataset.recoverClose(block, stamp + 1, SIZE))
        .hasMessageContaining("begins like a reduced block");
    writing.get();
    assertThat(cluster.replica(0, block).getState()).isEqualTo(ReplicaState.RBW);
  }

  /** A client chose the length of this read: a checksum may cover most of a block. */
  @Test
  void nothingWaitsForTheLook() throws Exception {
    ExtendedBlock known = cluster.block(written("/model8"));
    long stamp = known.getGenerationStamp();
    ExtendedBlock block = new ExtendedBlock(known.getBlockPoolId(), 4713, 0, stamp);
    FsDatasetSpi<?> dataset = cluster.dataset(0);
    FutureTask<ReplicaInPipeline> creating =
        new FutureTask<>(
            () -> {
              try (ReplicaHandler handler =
                  dataset.createRbw(StorageType.DISK, null, block, false)) {
                return handler.getReplica();
              }
            });
    Thread writer = new Thread(creating);
    writer.start();
    writer.join();
    java.nio.file.Path file = java.nio.file.Path.of(creating.get().getReplicaInfo().getBlockURI());
    Files.delete(file);
    assertThat(new ProcessBuilder("mkfifo", file.toString()).start().waitFor()).isZero();
    FutureTask<Replica> closing = new FutureTask<>(() -> dataset.recoverClose(block, stamp + 1, 0));
    new Thread(closing).start();
    // Opened once the other side is.
    try (OutputStream data = Files.newOutputStream(file)) {
      FutureTask<Void> other =
          new FutureTask<>(
              () -> {
                dataset.getReplicaString(block.getBlockPoolId(), 0);
                return null;
              });
      new Thread(other).start();
      other.get(60, TimeUnit.SECONDS);
      assertThat(closing.isDone()).isFalse();
      data.write(reducedFile("/model9"), 0, 32);
    } finally {
      Files.delete(file);
    }
    assertThatThrownBy(closing::get).hasCauseInstanceOf(IOException.class);
  }

  private static String written(String path) throws Exception {
    cluster.write(path, new byte[] {1}, 1);
    return path;
  }
}
