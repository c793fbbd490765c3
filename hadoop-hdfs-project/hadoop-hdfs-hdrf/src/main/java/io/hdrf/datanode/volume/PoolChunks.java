/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode.volume;

import io.hdrf.spi.scheme.BlockCodec;
import io.hdrf.spi.scheme.ChunkLookup;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks for chunks in a scheme's stores on the volumes of a pool, first where it found some last.
 * No volume is kept in use between two batches. For one thread.
 */
final class PoolChunks implements ChunkLookup {

  private static final Logger LOG = LoggerFactory.getLogger(PoolChunks.class);

  private final PoolSlices slices;
  private final String poolId;
  private final String scheme;
  private final String exceptStorageId;
  private final Map<PoolSlice, ChunkLookup> lookups = new HashMap<>();
  private PoolSlice last;

  /**
   * @param exceptStorageId the volume that is left out, or null
   */
  PoolChunks(PoolSlices slices, String poolId, String scheme, String exceptStorageId) {
    this.slices = slices;
    this.poolId = poolId;
    this.scheme = scheme;
    this.exceptStorageId = exceptStorageId;
  }

  @Override
  public void find(byte[] fingerprints, int[] ends, int count, BitSet found, ByteBuffer dst) {
    for (PoolSlice slice : inOrder()) {
      int before = found.cardinality();
      if (before == count) {
        return;
      }
      findOn(slice, fingerprints, ends, count, found, dst);
      if (found.cardinality() > before) {
        last = slice;
      }
    }
  }

  private List<PoolSlice> inOrder() {
    List<PoolSlice> all = new ArrayList<>();
    slices.forEach(
        slice -> {
          if (slice.poolId().equals(poolId) && !slice.storageId().equals(exceptStorageId)) {
            all.add(slice == last ? 0 : all.size(), slice);
          }
        });
    lookups.keySet().retainAll(all);
    return all;
  }

  private void findOn(
      PoolSlice slice, byte[] fingerprints, int[] ends, int count, BitSet found, ByteBuffer dst) {
    if (!slice.beginUse()) {
      return;
    }
    try {
      ChunkLookup lookup = lookups.get(slice);
      if (lookup == null) {
        BlockCodec codec = slice.schemes().blockCodecs().get(scheme);
        lookup = codec == null ? null : codec.newChunkLookup();
        if (lookup == null) {
          return;
        }
        lookups.put(slice, lookup);
      }
      lookup.find(fingerprints, ends, count, found, dst);
    } catch (IOException e) {
      LOG.debug("{} can't be asked for chunks", slice.directory(), e);
    } finally {
      slice.endUse();
    }
  }
}
