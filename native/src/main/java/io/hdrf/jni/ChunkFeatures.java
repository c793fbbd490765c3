/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.jni;

import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * Features of chunks: chunks that agree in some of them are probably similar.
 *
 * <p>Odess (Zou and others, ICDE 2021; Xia and others, doi 10.1145/3584663): a Gear hash rolls over
 * the chunk, one position in 64 is sampled by its hash, and each feature is the largest value of a
 * linear function of the sampled hashes. So a feature belongs to one window of 64 bytes, and stays
 * as long as an edit neither touches this window nor brings in one with a larger value.
 *
 * <p>The native library reads direct buffers in place, all chunks in one call; Java reads all
 * others. The results are the same. For any number of threads.
 */
public final class ChunkFeatures {

  /** The number of features of a chunk. */
  public static final int COUNT = 12;

  private static final boolean NATIVE = NativeLibrary.isLoaded();

  private static final int SAMPLE_BITS = 6;

  /**
   * The lower halves of the first numbers of SplitMix64 from the state 0, made odd, so that no two
   * hashes have the same value.
   */
  private static final int[] FACTORS = {
    0x7b1dcdaf, 0xa1b965f5, 0x8009454f, 0x724c81ed, 0x51a8749b, 0x747ea2eb,
    0x1f4532e1, 0xc916ab3d, 0x41c98ac3, 0x368cb0a7, 0x3cb13d09, 0x055bdef7
  };

  /** Their upper halves. */
  private static final int[] ADDENDS = {
    0xe220a839, 0x6e789e6a, 0x06c45d18, 0xf88bb8a8, 0x1b39896a, 0x53cb9f0c,
    0x2c829abe, 0xc584133a, 0x3ee57890, 0xf3b8488c, 0x657eecdd, 0xc2d326e0
  };

  private ChunkFeatures() {}

  /**
   * Computes the features of parts of a buffer, from its position on, in any order. Changes neither
   * position and limit nor the bytes, which no thread may write meanwhile.
   *
   * @param starts where each chunk begins, as a distance in bytes from the position
   * @param ends where it ends
   * @param count the number of chunks
   * @param features receives {@code count} times {@value #COUNT} numbers of 32 bits without sign;
   *     all of a chunk are 0 if no position of it was sampled, as in short chunks and in most runs
   *     of one byte, which are similar to nothing then
   * @throws IndexOutOfBoundsException if a chunk does not lie within the buffer's limit, or {@code
   *     features} is too short
   */
  public static void of(ByteBuffer data, int[] starts, int[] ends, int count, int[] features) {
    int position = data.position();
    int length = data.limit() - position;
    if (count < 0
        || count > starts.length
        || count > ends.length
        || count > features.length / COUNT) {
      throw new IndexOutOfBoundsException(count + " chunks, room for " + features.length);
    }
    for (int i = 0; i < count; i++) {
      if (starts[i] < 0 || starts[i] > ends[i] || ends[i] > length) {
        throw new IndexOutOfBoundsException(
            "chunk " + i + " from " + starts[i] + " to " + ends[i] + " of " + length + " bytes");
      }
    }
    if (NATIVE && data.isDirect()) {
      // May fail only if another thread moves them: the native code would then read other memory.
      if (length < 0 || position > data.capacity() - length) {
        throw new IllegalArgumentException("position and limit changed by another thread");
      }
      ofDirect(data, position, length, starts, ends, count, features);
    } else {
      ofInJava(data, starts, ends, count, features);
    }
  }

  /** The Java twin. */
  static void ofInJava(ByteBuffer data, int[] starts, int[] ends, int count, int[] features) {
    for (int i = 0; i < count; i++) {
      int at = i * COUNT;
      Arrays.fill(features, at, at + COUNT, 0);
      long hash = 0;
      for (int p = data.position() + starts[i]; p < data.position() + ends[i]; p++) {
        hash = (hash << 1) + GearTable.HASHES[data.get(p) & 0xff];
        if (hash >>> (Long.SIZE - SAMPLE_BITS) == 0) {
          add((int) (hash >>> (Integer.SIZE - SAMPLE_BITS)), features, at);
        }
      }
    }
  }

  private static void add(int value, int[] features, int at) {
    for (int i = 0; i < COUNT; i++) {
      int made = FACTORS[i] * value + ADDENDS[i];
      if (Integer.compareUnsigned(made, features[at + i]) > 0) {
        features[at + i] = made;
      }
    }
  }

  private static native void ofDirect(
      ByteBuffer data,
      int position,
      int length,
      int[] starts,
      int[] ends,
      int count,
      int[] features);
}
