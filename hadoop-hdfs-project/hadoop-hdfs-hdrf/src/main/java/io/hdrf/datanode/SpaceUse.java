/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode;

import io.hdrf.admin.BlockSum;
import io.hdrf.admin.StoreBytes;
import io.hdrf.admin.VolumeUse;
import io.hdrf.datanode.replica.BlockRecords;
import io.hdrf.datanode.replica.DatasetAccess;
import io.hdrf.datanode.volume.PoolSlice;
import io.hdrf.datanode.volume.PoolSlices;
import io.hdrf.metadata.VolumeRecords;
import io.hdrf.scheme.SchemeRegistry;
import io.hdrf.spi.scheme.SchemeNotFoundException;
import io.hdrf.spi.store.MetadataException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import org.apache.hadoop.hdfs.server.datanode.ReplicaInfo;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.FsVolumeSpi;

/**
 * Adds up what the pools take on the volumes: the blocks by their records, which is one pass
 * through each metadata store, and HDRF's own files by a walk over their directories. That takes a
 * while for millions of blocks, so a result is given again until it is nine times as old as it took
 * to make: however often it is asked, at most a tenth of the time goes into adding up. One volume
 * follows the other; one that stands still, as on a hung disk, is left behind and counts as not
 * known until it has answered. Thread-safe.
 */
class SpaceUse {

  private static final int OFTEN_ENOUGH = 9;

  /** Shorter than the time for which commands wait for progress. */
  static final long STALL_MILLIS = 15_000;

  private final PoolSlices slices;
  private final BlockRecords records;
  private final DatasetAccess dataset;
  private final SchemeRegistry registry;
  private final long stallMillis;
  private final AtomicLong counted = new AtomicLong();
  private final AtomicInteger volumesLookedAt = new AtomicInteger();
  private volatile VolumeSum current;
  private volatile boolean stopped;

  /**
   * Those that may not have ended, by storage and pool: of volumes that stand still, also where
   * they have left, since they may come again.
   */
  private final Map<String, VolumeSum> underWay = new HashMap<>();

  /** The last result, or null. */
  private List<VolumeUse> last;

  private long lastNanos;
  private long lastTook;

  SpaceUse(
      PoolSlices slices, BlockRecords records, DatasetAccess dataset, SchemeRegistry registry) {
    this(slices, records, dataset, registry, STALL_MILLIS);
  }

  /**
   * @param stallMillis how long a volume may stand still before it is left behind
   */
  SpaceUse(
      PoolSlices slices,
      BlockRecords records,
      DatasetAccess dataset,
      SchemeRegistry registry,
      long stallMillis) {
    this.stallMillis = stallMillis;
    this.slices = slices;
    this.records = records;
    this.dataset = dataset;
    this.registry = registry;
  }

  /** Ends the pass under way: who closes the stores would wait for it. */
  void stop() {
    stopped = true;
  }

  /** How far it is, for people. Never waits. */
  String progress() {
    VolumeSum now = current;
    return counted.get()
        + (now == null ? 0 : now.steps())
        + " blocks and files, "
        + volumesLookedAt.get()
        + " volumes";
  }

  /** One for each pool on each volume in service. May take long. */
  synchronized List<VolumeUse> all() {
    long began = System.nanoTime();
    if (last != null && began - lastNanos < OFTEN_ENOUGH * lastTook) {
      return last;
    }
    counted.set(0);
    volumesLookedAt.set(0);
    List<VolumeUse> now = Collections.unmodifiableList(sum());
    if (!Thread.currentThread().isInterrupted()) {
      last = now;
      lastNanos = System.nanoTime();
      lastTook = lastNanos - began;
    }
    return now;
  }

  /** The same as text. */
  List<String> lines() {
    return all().stream().map(VolumeUse::encode).collect(Collectors.toList());
  }

  /** Adds up now. */
  synchronized List<VolumeUse> sum() {
    Map<String, String> types = new HashMap<>();
    for (FsVolumeSpi volume : dataset.volumes()) {
      types.put(volume.getStorageID(), volume.getStorageType().toString());
    }
    Map<String, Map<String, BlockSum>> plain = new HashMap<>();
    List<PoolSlice> present = new ArrayList<>();
    slices.forEach(present::add);
    underWay.values().removeIf(VolumeSum::hasEnded);
    List<VolumeUse> all = new ArrayList<>();
    for (PoolSlice slice : present) {
      String type = types.getOrDefault(slice.storageId(), "?");
      BlockSum plainHere =
          slice.mayHoldReducedBlocks()
              ? null
              : plain
                  .computeIfAbsent(slice.poolId(), this::plainReplicas)
                  .getOrDefault(slice.storageId(), BlockSum.NONE);
      all.add(addUp(slice, type, plainHere));
    }
    return all;
  }

  /** A volume's sums as they are now, or that they are not known. */
  private VolumeUse addUp(PoolSlice slice, String type, BlockSum plain) {
    String key = slice.storageId() + '/' + slice.poolId();
    String why;
    try {
      if (Thread.interrupted()) {
        throw new InterruptedException();
      }
      // One that was begun before and left behind tells of that time.
      VolumeSum earlier = underWay.get(key);
      if (earlier == null || await(earlier) != null) {
        VolumeSum sum =
            new VolumeSum(
                "hdrf-space-" + slice.storageId(), steps -> sum(slice, type, plain, steps));
        underWay.put(key, sum);
        VolumeUse use = await(sum);
        if (use != null) {
          return use;
        }
      }
      why = stopped ? "the DataNode stops" : "the volume does not answer: its disk may hang";
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      why = "the adding up was interrupted";
    } catch (ExecutionException e) {
      why = String.valueOf(e.getCause());
    } finally {
      volumesLookedAt.incrementAndGet();
    }
    return builder(slice, type).obstacle(why).build();
  }

  /** Waits for a result as long as it advances; null if it does not. */
  private VolumeUse await(VolumeSum sum) throws ExecutionException, InterruptedException {
    current = sum;
    try {
      return sum.await(stallMillis, () -> !stopped);
    } finally {
      counted.addAndGet(sum.steps());
      current = null;
    }
  }

  private static VolumeUse.Builder builder(PoolSlice slice, String type) {
    return new VolumeUse.Builder(
        slice.storageId(),
        slice.poolId(),
        slice.directory().toString(),
        type,
        System.currentTimeMillis());
  }

  /**
   * Adds up one pool on one volume. Waits for its disk, for ever if that hangs.
   *
   * @param plain its blocks where all are plain; null where they have to be looked up
   * @param steps increased with each block and each file
   */
  VolumeUse sum(PoolSlice slice, String type, BlockSum plain, AtomicLong steps) {
    VolumeUse.Builder use = builder(slice, type);
    registry.names().forEach(name -> addScheme(use, name));
    if (plain == null) {
      addRecorded(use, slice, steps);
    } else {
      use.blocks(VolumeUse.PLAIN, plain);
    }
    try {
      use.files(
          StoreBytes.byDirectory(
              slice.directory(),
              () -> {
                steps.incrementAndGet();
                return isWanted(slice);
              }));
      if (!isWanted(slice)) {
        use.obstacle("the volume is being taken out of service");
      }
    } catch (IOException e) {
      use.obstacle("HDRF's files can't be looked at: " + e);
    }
    return use.build();
  }

  private boolean isWanted(PoolSlice slice) {
    return !stopped && slice.equals(slices.find(slice.storageId(), slice.poolId()));
  }

  private void addScheme(VolumeUse.Builder use, String name) {
    try {
      use.scheme(registry.byName(name).id(), name);
    } catch (SchemeNotFoundException e) {
      throw new IllegalStateException(e);
    }
  }

  /** The finalized replicas of a pool by storage: all plain where none can be reduced. */
  private Map<String, BlockSum> plainReplicas(String poolId) {
    Map<String, long[]> sums = new HashMap<>();
    for (ReplicaInfo replica : dataset.finalizedReplicas(poolId)) {
      long[] sum = sums.computeIfAbsent(replica.getStorageUuid(), id -> new long[2]);
      sum[0]++;
      sum[1] += replica.getNumBytes();
    }
    Map<String, BlockSum> all = new HashMap<>();
    sums.forEach((id, sum) -> all.put(id, new BlockSum(sum[0], sum[1], sum[1])));
    return all;
  }

  private void addRecorded(VolumeUse.Builder use, PoolSlice slice, AtomicLong steps) {
    VolumeRecords volume = records.find(slice.storageId(), slice.poolId());
    if (volume == null) {
      use.obstacle("no records are kept (metadata store: " + records.storeName() + ")");
      return;
    }
    RecordSums sums =
        new RecordSums(
            blocks -> {
              steps.set(blocks);
              return isWanted(slice);
            });
    try {
      volume.scan(sums::add);
    } catch (MetadataException e) {
      use.obstacle(String.valueOf(e.getMessage()));
    }
    steps.set(sums.visited());
    sums.addTo(use, this::schemeName);
  }

  private String schemeName(int id) {
    try {
      return registry.byId(id).name();
    } catch (SchemeNotFoundException e) {
      return "#" + id;
    }
  }
}
