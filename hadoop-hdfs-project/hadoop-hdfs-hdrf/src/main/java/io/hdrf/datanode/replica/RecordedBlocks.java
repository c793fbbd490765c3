/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode.replica;

import io.hdrf.block.BlockRef;
import io.hdrf.datanode.volume.PoolSlice;
import io.hdrf.datanode.volume.PoolSlices;
import io.hdrf.metadata.BlockRecord;
import io.hdrf.metadata.StoreStatus;
import io.hdrf.metadata.VolumeRecords;
import io.hdrf.spi.store.MetadataException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Arrays;
import java.util.Collections;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.apache.hadoop.hdfs.server.datanode.LocalReplica;
import org.apache.hadoop.hdfs.server.datanode.ReplicaInfo;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Settles the blocks of which their records tell enough, once for each volume's records: after a
 * start no block has to be opened to learn that it is reduced, and what it saves. Records are used
 * only while they are known to be in step with the blocks, and each only where its block has the
 * length, the directory and the time of the last write that the record tells. A block whose file
 * was exchanged for one of the same length and time is settled wrongly, and stays as it is until it
 * is written to, or records are compared with blocks; what readers get never depends on it. For one
 * thread.
 */
final class RecordedBlocks {

  private static final Logger LOG = LoggerFactory.getLogger(RecordedBlocks.class);

  /** Records looked up at a time. */
  private static final int BATCH = 512;

  /** How long stores that are being opened are waited for, altogether. */
  private static final long OPENING_NANOS = TimeUnit.SECONDS.toNanos(30);

  private static final long POLL_MILLIS = 50;

  private final Replicas replicas;
  private final PoolSlices slices;
  private final Set<VolumeRecords> done = Collections.newSetFromMap(new WeakHashMap<>());

  RecordedBlocks(Replicas replicas, PoolSlices slices) {
    this.replicas = replicas;
    this.slices = slices;
  }

  /** Decides whether plain blocks stay plain. */
  interface PlainRule {

    /**
     * Returns whether a plain block stays plain as long as nobody writes to it.
     *
     * @param record tells why it was plain
     */
    boolean staysPlain(PoolSlice slice, BlockRecord record);
  }

  /**
   * Settles blocks of a pool. Waits for stores that are being opened, but not for one that is
   * compared with the blocks, which reads them all.
   *
   * @param stopping returns true to stop
   */
  void settle(String poolId, PlainRule plain, BooleanSupplier stopping)
      throws InterruptedException {
    long deadline = System.nanoTime() + OPENING_NANOS;
    for (VolumeRecords records : replicas.records().volumes()) {
      if (!records.poolId().equals(poolId) || done.contains(records)) {
        continue;
      }
      while (records.status().state() == StoreStatus.State.OPENING
          && System.nanoTime() - deadline < 0
          && !stopping.getAsBoolean()) {
        Thread.sleep(POLL_MILLIS);
      }
      PoolSlice slice = slices.find(records.storageId(), poolId);
      if (slice != null && records.status().state() == StoreStatus.State.IN_STEP) {
        settle(records, slice, plain, stopping);
        done.add(records);
      }
    }
  }

  private void settle(
      VolumeRecords records, PoolSlice slice, PlainRule plain, BooleanSupplier stopping) {
    long[] ids =
        replicas.dataset().finalizedReplicas(slice.poolId()).stream()
            .filter(replica -> ReplicaSnapshot.isEligible(replica, slice.storageId()))
            .mapToLong(ReplicaInfo::getBlockId)
            .filter(id -> !replicas.settled().of(slice.poolId()).contains(id))
            .sorted()
            .toArray();
    int settled = 0;
    try {
      for (int from = 0; from < ids.length && !stopping.getAsBoolean(); from += BATCH) {
        long[] batch = Arrays.copyOfRange(ids, from, Math.min(from + BATCH, ids.length));
        BlockRecord[] found = records.vouchedFor(batch);
        for (int i = 0; i < batch.length; i++) {
          if (found[i] != null && settle(slice, batch[i], found[i], plain)) {
            settled++;
          }
        }
      }
    } catch (MetadataException e) {
      LOG.info("The other blocks in {} are looked at: {}", slice.directory(), e.getMessage());
    } catch (RuntimeException | Error e) {
      // A store's fault must not end the scan, now and each time.
      LOG.warn("The other blocks in {} are looked at", slice.directory(), e);
    }
    LOG.info(
        "Of {} blocks in {}, records tell enough of {}", ids.length, slice.directory(), settled);
  }

  private boolean settle(PoolSlice slice, long blockId, BlockRecord record, PlainRule plain) {
    if (!record.isReduced() && !plain.staysPlain(slice, record)) {
      return false;
    }
    BlockRef block = new BlockRef(slice.poolId(), blockId);
    // Before the look at the file: whoever replaces it afterwards unsettles the block.
    replicas.settled().settle(block, record.logicalLength() - record.physicalLength());
    ReplicaInfo replica = replicas.dataset().replica(block);
    if (ReplicaSnapshot.isEligible(replica, slice.storageId())
        && isOf(record, (LocalReplica) replica)) {
      return true;
    }
    replicas.settled().unsettle(block);
    return false;
  }

  private static boolean isOf(BlockRecord record, LocalReplica replica) {
    try {
      BasicFileAttributes file =
          Files.readAttributes(replica.getBlockFile().toPath(), BasicFileAttributes.class);
      return file.size() == replica.getNumBytes()
          && record.isOf(
              replica.getNumBytes(),
              file.lastModifiedTime().toMillis(),
              ReplicaInventory.location(replica.getBlockFile()));
    } catch (IOException e) {
      LOG.debug("{} is looked at", replica, e);
      return false;
    }
  }
}
