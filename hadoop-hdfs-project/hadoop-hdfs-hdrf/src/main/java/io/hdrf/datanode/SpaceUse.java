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
import java.util.stream.Collectors;
import org.apache.hadoop.hdfs.server.datanode.ReplicaInfo;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.FsVolumeSpi;

/**
 * Adds up what the pools take on the volumes: the blocks by their records, which is one pass
 * through each metadata store, and HDRF's own files by a walk over their directories. That takes a
 * while for millions of blocks, so a result is given again until it is nine times as old as it took
 * to make: however often it is asked, at most a tenth of the time goes into adding up. Thread-safe.
 */
class SpaceUse {

  private static final int OFTEN_ENOUGH = 9;

  private final PoolSlices slices;
  private final BlockRecords records;
  private final DatasetAccess dataset;
  private final SchemeRegistry registry;
  private volatile long counted;
  private volatile boolean stopped;

  /** The last result, or null. */
  private List<VolumeUse> last;

  private long lastNanos;
  private long lastTook;

  SpaceUse(
      PoolSlices slices, BlockRecords records, DatasetAccess dataset, SchemeRegistry registry) {
    this.slices = slices;
    this.records = records;
    this.dataset = dataset;
    this.registry = registry;
  }

  /** Ends the pass under way: who closes the stores would wait for it. */
  void stop() {
    stopped = true;
  }

  /** How many blocks have been added up, for people. Never waits. */
  String progress() {
    return counted + " blocks";
  }

  /** One for each pool on each volume in service. May take long. */
  synchronized List<VolumeUse> all() {
    long began = System.nanoTime();
    if (last != null && began - lastNanos < OFTEN_ENOUGH * lastTook) {
      return last;
    }
    counted = 0;
    last = Collections.unmodifiableList(sum());
    lastNanos = System.nanoTime();
    lastTook = lastNanos - began;
    return last;
  }

  /** The same as text. */
  List<String> lines() {
    return all().stream().map(VolumeUse::encode).collect(Collectors.toList());
  }

  /** Adds up now. */
  List<VolumeUse> sum() {
    Map<String, String> types = new HashMap<>();
    for (FsVolumeSpi volume : dataset.volumes()) {
      types.put(volume.getStorageID(), volume.getStorageType().toString());
    }
    Map<String, Map<String, BlockSum>> plain = new HashMap<>();
    List<PoolSlice> present = new ArrayList<>();
    slices.forEach(present::add);
    List<VolumeUse> all = new ArrayList<>();
    for (PoolSlice slice : present) {
      VolumeUse.Builder use =
          new VolumeUse.Builder(
              slice.storageId(),
              slice.poolId(),
              slice.directory().toString(),
              types.getOrDefault(slice.storageId(), "?"),
              System.currentTimeMillis());
      registry.names().forEach(name -> addScheme(use, name));
      if (slice.mayHoldReducedBlocks()) {
        addRecorded(use, slice);
      } else {
        BlockSum here =
            plain
                .computeIfAbsent(slice.poolId(), this::plainReplicas)
                .getOrDefault(slice.storageId(), BlockSum.NONE);
        use.blocks(VolumeUse.PLAIN, here);
      }
      try {
        use.files(StoreBytes.byDirectory(slice.directory()));
      } catch (IOException e) {
        use.obstacle("HDRF's files can't be looked at: " + e);
      }
      all.add(use.build());
    }
    return all;
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

  private void addRecorded(VolumeUse.Builder use, PoolSlice slice) {
    VolumeRecords volume = records.find(slice.storageId(), slice.poolId());
    if (volume == null) {
      use.obstacle("no records are kept (metadata store: " + records.storeName() + ")");
      return;
    }
    long before = counted;
    RecordSums sums =
        new RecordSums(
            blocks -> {
              counted = before + blocks;
              return !stopped && slice.equals(slices.find(slice.storageId(), slice.poolId()));
            });
    try {
      volume.scan(sums::add);
    } catch (MetadataException e) {
      use.obstacle(String.valueOf(e.getMessage()));
    }
    counted = before + sums.visited();
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
