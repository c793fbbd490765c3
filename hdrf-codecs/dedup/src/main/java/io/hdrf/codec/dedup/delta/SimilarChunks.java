/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.delta;

import io.hdrf.jni.ChunkFeatures;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * Finds a base for each new chunk of a block, and makes the difference to it. Neighbours come
 * first, as they often lie in a group that is decoded anyway; they count only if one of their
 * features agrees, which costs less than to look for what they have in common. The chunks of the
 * table come next.
 *
 * <p>{@link #beginBlock}; for each buffer {@link FeatureBatch#take}; then for each chunk of the
 * block, in its order, either {@link #known} or {@link #find}. For one thread.
 */
public final class SimilarChunks {

  /** The most chunks that are tried. */
  private static final int MAX_TRIED = Neighbours.MAX + SuperFeatures.COUNT;

  private final FeatureBatch batch;
  private final BaseChunks chunks;
  private final DifferenceEncoder encoder;
  private final Neighbours neighbours = new Neighbours();

  private final long[] candidates = new long[Neighbours.MAX];
  private final long[] tried = new long[MAX_TRIED];
  private final int[] features = new int[ChunkFeatures.COUNT];
  private final int[] start = {0};
  private final int[] end = new int[1];
  private int triedCount;
  private ByteBuffer difference;

  public SimilarChunks(FeatureBatch batch, BaseChunks chunks, DifferenceEncoder encoder) {
    this.batch = batch;
    this.chunks = chunks;
    this.encoder = encoder;
  }

  public void beginBlock() {
    neighbours.beginBlock();
  }

  /** The block's next chunk is in the store, and durable. */
  public void known(long ref) {
    neighbours.known(ref);
  }

  /**
   * Looks for a base for the block's next chunk, which is new.
   *
   * @param index of the chunk in the batch
   * @param chunk from position to limit; stays as it is
   * @param following where the chunk behind it is, or {@link BaseTable#NONE}
   * @return the base, or {@link BaseTable#NONE} if the chunk is to be stored in full
   */
  public long find(int index, ByteBuffer chunk, long following) throws IOException {
    triedCount = 0;
    difference = null;
    neighbours.resolve(chunks);
    int count = neighbours.candidates(following, candidates);
    for (int i = 0; i < count; i++) {
      long base = chunks.fullChunk(candidates[i]);
      if (isUntried(base) && makes(index, base, chunk, true)) {
        neighbours.foundAt(candidates[i], base);
        return base;
      }
    }
    for (int i = 0; i < SuperFeatures.COUNT; i++) {
      long ref = batch.base(index, i);
      long base = ref == BaseTable.NONE ? BaseTable.NONE : chunks.fullChunk(ref);
      if (isUntried(base) && makes(index, base, chunk, false)) {
        neighbours.foundAt(base, base);
        return base;
      }
    }
    neighbours.foundNothing();
    return BaseTable.NONE;
  }

  /**
   * The difference to the base that was found last, from position to limit, until the next call.
   */
  public ByteBuffer difference() {
    return difference;
  }

  private boolean isUntried(long base) {
    if (base == BaseTable.NONE) {
      return false;
    }
    for (int i = 0; i < triedCount; i++) {
      if (tried[i] == base) {
        return false;
      }
    }
    return true;
  }

  private boolean makes(int index, long base, ByteBuffer chunk, boolean mustAgree)
      throws IOException {
    tried[triedCount++] = base;
    ByteBuffer content = chunks.content(base);
    if (content == null) {
      return false;
    }
    if (mustAgree) {
      end[0] = content.remaining();
      ChunkFeatures.of(content, start, end, 1, features);
      if (!batch.agrees(index, features)) {
        return false;
      }
    }
    difference = encoder.encode(content, chunk);
    return difference != null;
  }
}
