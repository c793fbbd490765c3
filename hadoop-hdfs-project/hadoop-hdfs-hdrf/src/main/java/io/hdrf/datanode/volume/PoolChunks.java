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
 * Looks for chunks in a scheme's stores on all volumes of a pool, first where it found some last.
 * No volume is kept in use between two batches. For one thread.
 */
final class PoolChunks implements ChunkLookup {

  private static final Logger LOG = LoggerFactory.getLogger(PoolChunks.class);

  private final PoolSlices volumes;
  private final String poolId;
  private final String scheme;
  private final Map<PoolSlice, ChunkLookup> lookups = new HashMap<>();
  private PoolSlice last;

  PoolChunks(PoolSlices volumes, String poolId, String scheme) {
    this.volumes = volumes;
    this.poolId = poolId;
    this.scheme = scheme;
  }

  @Override
  public void find(byte[] fingerprints, int[] ends, int count, BitSet found, ByteBuffer dst) {
    for (PoolSlice volume : inOrder()) {
      int before = found.cardinality();
      if (before == count) {
        return;
      }
      findOn(volume, fingerprints, ends, count, found, dst);
      if (found.cardinality() > before) {
        last = volume;
      }
    }
  }

  private List<PoolSlice> inOrder() {
    List<PoolSlice> all = new ArrayList<>();
    volumes.forEach(
        (storageId, volume) -> {
          if (volume.poolId().equals(poolId)) {
            all.add(volume == last ? 0 : all.size(), volume);
          }
        });
    lookups.keySet().retainAll(all);
    return all;
  }

  private void findOn(
      PoolSlice volume, byte[] fingerprints, int[] ends, int count, BitSet found, ByteBuffer dst) {
    if (!volume.beginUse()) {
      return;
    }
    try {
      ChunkLookup lookup = lookups.get(volume);
      if (lookup == null) {
        BlockCodec codec = volume.schemes().blockCodecs().get(scheme);
        lookup = codec == null ? null : codec.newChunkLookup();
        if (lookup == null) {
          return;
        }
        lookups.put(volume, lookup);
      }
      lookup.find(fingerprints, ends, count, found, dst);
    } catch (IOException e) {
      LOG.debug("{} can't be asked for chunks", volume.directory(), e);
    } finally {
      volume.endUse();
    }
  }
}
