/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode.replica;

import io.hdrf.block.BlockRef;
import io.hdrf.spi.io.DurableFiles;
import java.io.IOException;
import java.nio.file.Path;

/**
 * Replaces the file of a finalized replica by another form of the same data. One rename(2): at no
 * moment is the block without a file.
 */
public final class ReplicaFiles {

  private final DatasetAccess dataset;
  private final DurableFiles files;

  public ReplicaFiles(DatasetAccess dataset, DurableFiles files) {
    this.dataset = dataset;
    this.files = files;
  }

  /** The replica was changed, moved or deleted since the snapshot was taken. */
  public static final class ReplicaChangedException extends IOException {
    private static final long serialVersionUID = 1L;

    ReplicaChangedException(BlockRef block) {
      super(block + " was changed, moved or deleted meanwhile");
    }
  }

  /**
   * Puts {@code replacement} in the place of the replica's file. The caller holds the block lock,
   * and has made the replacement durable.
   *
   * @param usedDelta by how much the volume's use changes
   * @throws ReplicaChangedException if the replica is not what it was; nothing was done
   */
  void replace(ReplicaSnapshot snapshot, Path replacement, long usedDelta) throws IOException {
    BlockRef block = snapshot.block();
    files.copyMode(snapshot.file(), replacement);
    try (DatasetAccess.DatasetLock lock = dataset.lock()) {
      if (!snapshot.isStill(dataset.replica(block.poolId(), block.blockId()))) {
        throw new ReplicaChangedException(block);
      }
      files.rename(replacement, snapshot.file());
      dataset.adjustUsed(snapshot.volume(), block.poolId(), usedDelta);
    }
    dataset.revokeDescriptors(block.poolId(), block.blockId());
  }
}
