/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode;

import io.hdrf.block.BlockRef;
import io.hdrf.block.FrameTable;
import io.hdrf.block.ReducedBlock;
import io.hdrf.block.TagKey;
import io.hdrf.conf.HdrfKeys;
import io.hdrf.datanode.replica.DatasetAccess;
import io.hdrf.datanode.replica.Hold;
import io.hdrf.datanode.volume.DirectoryVolume;
import io.hdrf.spi.io.ChannelFile;
import io.hdrf.spi.io.DurableFiles;
import io.hdrf.spi.io.LocalDurableFiles;
import io.hdrf.volume.Superblock;
import io.hdrf.wire.FrameSpool;
import io.hdrf.wire.SpoolFile;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.server.datanode.FinalizedReplica;
import org.apache.hadoop.hdfs.server.datanode.ReplicaInfo;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.FsVolumeSpi;
import org.apache.hadoop.util.DataChecksum;

/**
 * HDRF as in a DataNode, on a volume with one finalized block and with any {@link DurableFiles};
 * only the dataset and its volume are simulated. Nothing runs in the background; the caller's
 * thread does all work.
 */
public final class OneBlockDataNode implements AutoCloseable {

  public static final String POOL = "BP-1";
  public static final long BLOCK = 1073741825L;

  public static final long STAMP = 1001;
  private static final int BYTES_PER_CHECKSUM = 512;

  /** Closing takes a fifth of a second, so it happens in the background. */
  private static final ExecutorService CLOSER =
      Executors.newFixedThreadPool(
          32,
          task -> {
            Thread thread = new Thread(task, "closer");
            thread.setDaemon(true);
            return thread;
          });

  private final Path directory;
  private final DurableFiles files;
  private final HdrfService service;
  private final FsVolumeSpi volume;
  private final FinalizedReplica replica;
  private boolean damageReported;

  /**
   * Starts it, as a DataNode starts: the pool is opened, the block is found.
   *
   * @param directory the volume
   * @throws IOException if the volume does not start
   */
  OneBlockDataNode(Path directory, Configuration conf, DurableFiles files) throws IOException {
    this.directory = directory;
    this.files = files;
    this.volume = new DirectoryVolume("DS-1", directory);
    this.replica =
        new FinalizedReplica(
            BLOCK,
            Files.size(blockFile(directory)),
            STAMP,
            volume,
            blockFile(directory).getParent().toFile());
    this.service =
        new HdrfService(
            new HdrfSetup(conf, files, null), UUID.randomUUID().toString(), new Dataset());
    boolean started = false;
    try {
      service.changes().openPool(volume, POOL);
      started = true;
    } finally {
      if (!started) {
        close();
      }
    }
  }

  static Configuration configuration(Path plugins, String chain) {
    Configuration conf = new Configuration();
    conf.set(HdrfKeys.PLUGINS_DIR, plugins.toString());
    conf.set(HdrfKeys.SCHEMES, chain);
    conf.setInt("hdrf.reduce.threads", 1);
    conf.setInt("hdrf.read.ahead.threads", 0);
    return conf;
  }

  /** Makes a volume that HDRF never saw, with a plain block. */
  public static void format(Path directory, byte[] data) throws IOException {
    Path file = blockFile(directory);
    Files.createDirectories(file.getParent());
    Files.write(file, data);
    DataChecksum checksum =
        DataChecksum.newDataChecksum(DataChecksum.Type.CRC32C, BYTES_PER_CHECKSUM);
    try (var out = new java.io.DataOutputStream(Files.newOutputStream(metaFile(directory)))) {
      out.writeShort(1);
      checksum.writeHeader(out);
      int chunks = (data.length + BYTES_PER_CHECKSUM - 1) / BYTES_PER_CHECKSUM;
      byte[] sums = new byte[chunks * checksum.getChecksumSize()];
      checksum.calculateChunkedSums(data, 0, data.length, sums, 0);
      out.write(sums);
    }
  }

  static Path poolDirectory(Path directory) {
    return directory.resolve("current").resolve(POOL);
  }

  public static Path blockFile(Path directory) {
    return poolDirectory(directory)
        .resolve("current/finalized/subdir0/subdir0")
        .resolve("blk_" + BLOCK);
  }

  public static Path metaFile(Path directory) {
    return blockFile(directory).resolveSibling("blk_" + BLOCK + "_" + STAMP + ".meta");
  }

  /** Reduces the block if that is possible; failures are HDRF's to handle. */
  void reduce() {
    service.forget(POOL, BLOCK);
    service.reducer().reduceNow(new BlockRef(POOL, BLOCK));
  }

  /**
   * Takes a block's frames, as from another DataNode that sent them with the data.
   *
   * @param reduced the other DataNode's volume, on which the block is reduced
   * @param length of the block
   */
  void receive(Path reduced, int length) throws IOException {
    Path temporaries = poolDirectory(directory).resolve("hdrf/tmp");
    Path file = blockFile(reduced);
    TagKey key = key(poolDirectory(reduced).resolve("hdrf"));
    try (FrameSpool spool =
            new FrameSpool(STAMP, () -> SpoolFile.create(files, temporaries.resolve("received")));
        ReducedBlock block =
            ReducedBlock.open(file, ChannelFile.open(file), new BlockRef(POOL, BLOCK), key)) {
      FrameTable frames = block.frames();
      spool.packet(0, length);
      for (int i = 0; i < frames.frameCount(); i++) {
        ByteBuffer stored = ByteBuffer.allocateDirect(frames.storedLength(i));
        block.readStored(i, stored);
        stored.flip();
        spool.frame(block.header().chainIds(), frames.originalLength(i), frames.stages(i), stored);
      }
      service.mirroring().spooled().put(new BlockRef(POOL, BLOCK), spool.finish());
    }
  }

  private static TagKey key(Path hdrf) throws IOException {
    return Superblock.load(hdrf, LocalDurableFiles.INSTANCE).orElseThrow().key();
  }

  /** How many blocks were stored as they were received. */
  long adoptions() {
    return service.counters().values().get("blocksAdopted");
  }

  /** Makes the block plain, as an append does first. */
  void inflate() throws IOException {
    service.holdPlain(POOL, BLOCK, HdrfService.ANY_LENGTH).close();
  }

  /** The block's bytes, as a client gets them. */
  byte[] read() throws IOException {
    try (InputStream in = service.open(POOL, replica, 0, false)) {
      return in.readAllBytes();
    }
  }

  boolean isReduced() {
    return BlockFiles.isReduced(blockFile(directory).toFile());
  }

  /**
   * Returns the bytes to be added back when the block is deleted; negative if the file will tell.
   */
  long knownSaving() {
    return service.knownSaving(POOL, BLOCK);
  }

  boolean isDamageReported() {
    return damageReported;
  }

  @Override
  public void close() {
    CLOSER.execute(service::close);
  }

  /** Waits until all that were closed are gone. */
  static void awaitClosed() throws InterruptedException {
    CLOSER.shutdown();
    if (!CLOSER.awaitTermination(10, TimeUnit.MINUTES)) {
      throw new AssertionError("HDRF does not close");
    }
  }

  private final class Dataset implements DatasetAccess {

    @Override
    public Hold lock(FsVolumeSpi onVolume, String poolId) {
      return () -> {};
    }

    @Override
    public ReplicaInfo replica(BlockRef block) {
      return block.equals(new BlockRef(POOL, BLOCK)) ? replica : null;
    }

    @Override
    public List<ReplicaInfo> finalizedReplicas(String poolId) {
      return Collections.singletonList(replica);
    }

    @Override
    public void adjustUsed(FsVolumeSpi onVolume, String poolId, long bytes) {}

    @Override
    public boolean isCached(String poolId, long blockId) {
      return false;
    }

    @Override
    public void revokeDescriptors(String poolId, long blockId) {}

    @Override
    public boolean isUpgradeOpen(FsVolumeSpi onVolume, String poolId) {
      return false;
    }

    @Override
    public boolean keepsOldBlocks(FsVolumeSpi onVolume, String poolId) {
      return false;
    }

    @Override
    public void checkDisk(FsVolumeSpi onVolume) {}

    @Override
    public List<FsVolumeSpi> volumes() {
      return Collections.emptyList();
    }

    @Override
    public void failVolume(FsVolumeSpi volume, String why) {
      throw new AssertionError(why);
    }

    @Override
    public void handleDamaged(String poolId, ReplicaInfo damaged, String damage) {
      damageReported = true;
    }

    @Override
    public void reportDamaged(String poolId, ReplicaInfo damaged, String damage) {
      damageReported = true;
    }
  }
}
