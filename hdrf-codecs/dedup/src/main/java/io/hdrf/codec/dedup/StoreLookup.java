/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup;

import io.hdrf.codec.dedup.container.ChunkPins;
import io.hdrf.codec.dedup.container.ContainerStore;
import io.hdrf.codec.dedup.container.format.ChunkRef;
import io.hdrf.codec.dedup.container.format.Fingerprinter;
import io.hdrf.codec.dedup.index.IndexLookup;
import io.hdrf.spi.scheme.ChunkLookup;
import io.hdrf.spi.scheme.Pin;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.BitSet;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Looks for chunks in a store, on behalf of other DataNodes. For one thread. */
final class StoreLookup implements ChunkLookup {

  private static final Logger LOG = LoggerFactory.getLogger(StoreLookup.class);

  private final IndexLookup indexLookup;
  private final ContainerStore containers;
  private final ChunkPins chunkPins;
  private final int[] wanted = new int[MAX_CHUNKS];
  private final byte[] names = new byte[MAX_CHUNKS * Fingerprinter.LENGTH];
  private final long[] refs = new long[MAX_CHUNKS];

  StoreLookup(IndexLookup indexLookup, ContainerStore containers, ChunkPins chunkPins) {
    this.indexLookup = indexLookup;
    this.containers = containers;
    this.chunkPins = chunkPins;
  }

  @Override
  public void find(byte[] fingerprints, int[] ends, int count, BitSet found, ByteBuffer dst) {
    int missing = 0;
    for (int i = found.nextClearBit(0); i < count; i = found.nextClearBit(i + 1)) {
      System.arraycopy(
          fingerprints,
          i * Fingerprinter.LENGTH,
          names,
          missing * Fingerprinter.LENGTH,
          Fingerprinter.LENGTH);
      wanted[missing] = i;
      missing++;
    }
    if (missing == 0) {
      return;
    }
    try (Pin pin = chunkPins.pin()) {
      indexLookup.find(names, missing, refs);
      for (int i = 0; i < missing; ) {
        int end = endOfRun(i, missing);
        if (refs[i] >= 0) {
          read(i, end, ends, found, dst);
        }
        i = end;
      }
    }
  }

  /** Chunks that follow each other in the batch and in their container are read at once. */
  private int endOfRun(int first, int missing) {
    int end = first + 1;
    while (refs[first] >= 0
        && end < missing
        && wanted[end] == wanted[end - 1] + 1
        && refs[end] == refs[end - 1] + 1
        && ChunkRef.container(refs[end]) == ChunkRef.container(refs[first])) {
      end++;
    }
    return end;
  }

  private void read(int first, int end, int[] ends, BitSet found, ByteBuffer dst) {
    int chunk = wanted[first];
    int count = end - first;
    ByteBuffer room = dst.duplicate();
    room.limit(dst.position() + ends[chunk + count - 1]);
    room.position(dst.position() + (chunk == 0 ? 0 : ends[chunk - 1]));
    try {
      containers.read(ChunkRef.container(refs[first]), ChunkRef.number(refs[first]), count, room);
      if (!room.hasRemaining()) {
        found.set(chunk, chunk + count);
      }
    } catch (IOException e) {
      LOG.debug("{} can't be read for another DataNode", ChunkRef.toString(refs[first]), e);
    }
  }
}
