/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.wire;

import io.hdrf.spi.scheme.ChunkFunction;
import io.hdrf.spi.scheme.ChunkLookup;
import java.util.Arrays;

/** Chunks that are asked for together. Immutable as long as nobody changes the arrays. */
public final class ChunkBatch {

  private final int number;
  private final int[] ends;
  private final byte[] fingerprints;

  /**
   * @param number batches of a session are numbered upwards from 0
   * @param ends where each of 1 to {@link ChunkLookup#MAX_CHUNKS} chunks ends if they lie one
   *     behind the other from 0 on; rising
   * @param fingerprints one after the other
   */
  public ChunkBatch(int number, int[] ends, byte[] fingerprints) {
    if (number < 0
        || ends.length < 1
        || ends.length > ChunkLookup.MAX_CHUNKS
        || fingerprints.length != ends.length * ChunkFunction.FINGERPRINT_LENGTH) {
      throw new IllegalArgumentException(
          "batch " + number + " of " + ends.length + " chunks, " + fingerprints.length + " bytes");
    }
    this.number = number;
    this.ends = ends;
    this.fingerprints = fingerprints;
  }

  public int number() {
    return number;
  }

  public int count() {
    return ends.length;
  }

  /** Returns the end of each chunk; not a copy. */
  public int[] ends() {
    return ends;
  }

  /** All fingerprints; not a copy. */
  public byte[] fingerprints() {
    return fingerprints;
  }

  /** Returns the beginning of a chunk. */
  public int start(int chunk) {
    return chunk == 0 ? 0 : ends[chunk - 1];
  }

  /** Bytes of all chunks together. */
  public int totalLength() {
    return ends[ends.length - 1];
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof ChunkBatch
        && ((ChunkBatch) other).number == number
        && Arrays.equals(((ChunkBatch) other).ends, ends)
        && Arrays.equals(((ChunkBatch) other).fingerprints, fingerprints);
  }

  @Override
  public int hashCode() {
    return 31 * number + Arrays.hashCode(ends);
  }

  @Override
  public String toString() {
    return "batch " + number + " of " + ends.length + " chunks";
  }
}
