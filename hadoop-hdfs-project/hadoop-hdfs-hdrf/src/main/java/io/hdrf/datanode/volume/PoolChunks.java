/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode.volume;

import io.hdrf.jni.Sha256;
import io.hdrf.spi.scheme.BlockCodec;
import io.hdrf.spi.scheme.ChunkLookup;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
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
  private final boolean compared;
  private final Map<PoolSlice, ChunkLookup> lookups = new HashMap<>();
  private PoolSlice last;

  /**
   * @param exceptStorageId the volume that is left out, or null
   * @param compared whether what is found on a volume is compared with its fingerprint, so that a
   *     wrong chunk does not keep others from being asked
   */
  PoolChunks(
      PoolSlices slices, String poolId, String scheme, String exceptStorageId, boolean compared) {
    this.slices = slices;
    this.poolId = poolId;
    this.scheme = scheme;
    this.exceptStorageId = exceptStorageId;
    this.compared = compared;
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
      BitSet before = (BitSet) found.clone();
      lookup.find(fingerprints, ends, count, found, dst);
      if (compared) {
        dropWrong(slice, before, fingerprints, ends, count, found, dst);
      }
    } catch (IOException e) {
      LOG.debug("{} can't be asked for chunks", slice.directory(), e);
    } finally {
      slice.endUse();
    }
  }

  private static void dropWrong(
      PoolSlice slice,
      BitSet before,
      byte[] fingerprints,
      int[] ends,
      int count,
      BitSet found,
      ByteBuffer dst) {
    byte[] digest = new byte[Sha256.LENGTH];
    int wrong = 0;
    for (int i = before.nextClearBit(0); i < count; i = before.nextClearBit(i + 1)) {
      if (!found.get(i)) {
        continue;
      }
      int start = i == 0 ? 0 : ends[i - 1];
      ByteBuffer chunk = dst.duplicate();
      chunk.limit(dst.position() + ends[i]);
      chunk.position(dst.position() + start);
      Sha256.hash(chunk, new int[] {ends[i] - start}, 1, digest);
      int at = i * Sha256.LENGTH;
      if (!Arrays.equals(Arrays.copyOfRange(fingerprints, at, at + Sha256.LENGTH), digest)) {
        found.clear(i);
        wrong++;
      }
    }
    if (wrong > 0) {
      LOG.warn("{}: {} chunks are not what their fingerprints say", slice.directory(), wrong);
    }
  }
}
