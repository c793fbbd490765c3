/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode.replica;

import io.hdrf.block.BlockRef;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.server.common.HdfsServerConstants.ReplicaState;
import org.apache.hadoop.hdfs.server.datanode.LocalReplica;
import org.apache.hadoop.hdfs.server.datanode.ReplicaInfo;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.FsVolumeSpi;

/**
 * A finalized replica as it was when work on it began, and the inode of its file: enough to find
 * out, before a file is replaced, whether it still is the same. Immutable.
 */
public final class ReplicaSnapshot {

  private final BlockRef block;
  private final LocalReplica replica;
  private final long length;
  private final long generationStamp;
  private final File file;
  private final File metaFile;
  private final Object inode;
  private final Object device;

  private ReplicaSnapshot(BlockRef block, LocalReplica replica) throws IOException {
    this.block = block;
    this.replica = replica;
    this.length = replica.getNumBytes();
    this.generationStamp = replica.getGenerationStamp();
    this.file = replica.getBlockFile();
    this.metaFile = replica.getMetaFile();
    Map<String, Object> attributes = attributes(file.toPath());
    this.inode = attributes.get("ino");
    this.device = attributes.get("dev");
  }

  /**
   * Takes a snapshot. The caller holds the dataset lock, or re-checks under it later.
   *
   * @return null if HDRF has nothing to do with the replica: it is not finalized (nor under
   *     recovery while finalized), or lies on a transient or provided volume
   * @throws IOException also if its file is on another volume than it says
   */
  public static ReplicaSnapshot of(BlockRef block, ReplicaInfo replica) throws IOException {
    if (!isEligible(replica)) {
      return null;
    }
    if (!isOnItsVolume((LocalReplica) replica)) {
      throw new IOException(replica + " does not lie on its volume");
    }
    return new ReplicaSnapshot(block, (LocalReplica) replica);
  }

  /** Stock code gives a replica whose file is gone the path of a copy, and not its volume. */
  private static boolean isOnItsVolume(LocalReplica replica) {
    Path volume = new File(replica.getVolume().getBaseURI()).toPath();
    return replica.getBlockFile().toPath().startsWith(volume);
  }

  /**
   * Takes a snapshot of a block's present replica, as {@link #of} does; null also where there is
   * none.
   */
  public static ReplicaSnapshot current(DatasetAccess dataset, BlockRef block) throws IOException {
    ReplicaInfo replica = dataset.replica(block);
    return replica == null ? null : of(block, replica);
  }

  /** Returns whether a replica may be reduced, or may already be. */
  public static boolean isEligible(ReplicaInfo replica) {
    if (!(replica instanceof LocalReplica) || !isFinalized(replica)) {
      return false;
    }
    FsVolumeSpi volume = replica.getVolume();
    return volume != null
        && !volume.isTransientStorage()
        && volume.getStorageType() != StorageType.PROVIDED;
  }

  /** Returns the same, and whether it lies on that volume. */
  public static boolean isEligible(ReplicaInfo replica, String storageId) {
    return isEligible(replica) && replica.getVolume().getStorageID().equals(storageId);
  }

  private static boolean isFinalized(ReplicaInfo replica) {
    ReplicaState state = replica.getState();
    return state == ReplicaState.FINALIZED
        || (state == ReplicaState.RUR
            && replica.getOriginalReplica().getState() == ReplicaState.FINALIZED);
  }

  long generationStamp() {
    return generationStamp;
  }

  /**
   * Returns whether {@code current}, which the map holds now, is still the snapshot's replica, and
   * its file the same inode. One stat; call it under the dataset lock.
   */
  @SuppressWarnings("ReferenceEquality") // an equal replica made meanwhile is another one
  public boolean isStill(ReplicaInfo current) {
    if (current != (ReplicaInfo) replica
        || !isFinalized(current)
        || current.getNumBytes() != length
        || current.getGenerationStamp() != generationStamp
        || !replica.getBlockFile().equals(file)) {
      return false;
    }
    try {
      Map<String, Object> attributes = attributes(file.toPath());
      return attributes.get("ino").equals(inode) && attributes.get("dev").equals(device);
    } catch (IOException e) {
      return false;
    }
  }

  /** The number of the file's names; more than one while an upgrade is open. */
  int linkCount() throws IOException {
    return (Integer) Files.getAttribute(file.toPath(), "unix:nlink");
  }

  private static Map<String, Object> attributes(Path path) throws IOException {
    return Files.readAttributes(path, "unix:ino,dev");
  }

  public BlockRef block() {
    return block;
  }

  public LocalReplica replica() {
    return replica;
  }

  public FsVolumeSpi volume() {
    return replica.getVolume();
  }

  public long length() {
    return length;
  }

  public Path file() {
    return file.toPath();
  }

  public Path metaFile() {
    return metaFile.toPath();
  }
}
