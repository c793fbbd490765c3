/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.jni;

import java.nio.ByteBuffer;
import java.util.Objects;

/**
 * Content-defined chunking: cuts a stream of bytes at positions that its content determines.
 *
 * <p>The end of a chunk depends only on the stream's bytes from the chunk's start on: not on the
 * pieces in which they come, nor on the machine, the native library or the version of HDRF.
 *
 * <p>The native library reads direct buffers in place, in one call; Java reads all others, and all
 * without the native library, many times slower. Immutable, for any number of threads.
 */
public final class Chunker {

  /** The smallest average size, in bytes. */
  public static final int MIN_AVERAGE_SIZE = 1 << 9;

  /** The largest average size, in bytes. */
  public static final int MAX_AVERAGE_SIZE = 1 << 20;

  /**
   * The maximum length of chunks of all algorithms, in bytes: a limit of the formats that store
   * chunks.
   */
  public static final int SIZE_LIMIT = 1 << 24;

  private static final boolean NATIVE = NativeLibrary.isLoaded();

  private final ChunkerParameters parameters;
  private final ChunkerTwin twin;

  private Chunker(ChunkerParameters parameters) {
    this.parameters = parameters;
    this.twin = ChunkerTwin.of(parameters);
  }

  /**
   * Returns a chunker with parameters derived from the average size.
   *
   * @param averageSize the mean size of the chunks of random bytes, in bytes, {@value
   *     #MIN_AVERAGE_SIZE} to {@value #MAX_AVERAGE_SIZE}; other data have another mean
   * @throws IllegalArgumentException if {@code averageSize} is out of range
   */
  public static Chunker of(ChunkerAlgorithm algorithm, int averageSize) {
    return new Chunker(ChunkerParameters.of(algorithm, averageSize, 0));
  }

  /**
   * Returns a chunker with a given maximum, for {@link ChunkerAlgorithm#RAML} only.
   *
   * @param averageSize as of {@link #of(ChunkerAlgorithm, int)}
   * @param maximumSize in bytes, from twice the average size to {@value #SIZE_LIMIT}
   * @throws IllegalArgumentException if an argument is out of range, or if the algorithm takes no
   *     maximum
   */
  public static Chunker of(ChunkerAlgorithm algorithm, int averageSize, int maximumSize) {
    if (algorithm != ChunkerAlgorithm.RAML) {
      throw new IllegalArgumentException(
          "the maximum of " + algorithm.configurationName() + " follows from the average size");
    }
    if (maximumSize < 2L * averageSize || maximumSize > SIZE_LIMIT) {
      throw new IllegalArgumentException(
          "maximum size of "
              + maximumSize
              + " bytes is not between twice the average of "
              + averageSize
              + " and "
              + SIZE_LIMIT);
    }
    return new Chunker(ChunkerParameters.of(algorithm, averageSize, maximumSize));
  }

  /** Returns the rule by which this chunker cuts. */
  public ChunkerAlgorithm algorithm() {
    return parameters.algorithm;
  }

  /** Returns the mean chunk size on random bytes, in bytes. */
  public int averageSize() {
    return parameters.average;
  }

  /** Returns the minimum chunk size, in bytes; only a stream's last chunk may be shorter. */
  public int minimumSize() {
    return parameters.minimum;
  }

  /** Returns the maximum chunk size, in bytes. */
  public int maximumSize() {
    return parameters.maximum;
  }

  /**
   * Finds the ends of the chunks in the bytes from the buffer's position, where a chunk begins, to
   * its limit. Changes neither position and limit nor the bytes, which no thread may write
   * meanwhile.
   *
   * <p>Bytes after the last cut belong to an unfinished chunk: pass them again with the following
   * bytes. That call starts over at the chunk's start, so pass no piece much shorter than the
   * average chunk. If {@code cuts} is full, there may be more cuts: call again from the last one
   * on.
   *
   * @param last whether the stream ends at the limit, which then is the last cut
   * @param cuts receives the chunks' ends, as distances in bytes from the position, ascending
   * @return the number of stored ends; less than {@code cuts.length} if there are no more
   */
  public int cut(ByteBuffer data, boolean last, int[] cuts) {
    Objects.requireNonNull(cuts, "cuts");
    int position = data.position();
    int length = data.limit() - position;
    if (!NATIVE || !data.isDirect()) {
      return cutInJava(data, last, cuts);
    }
    // May fail only if another thread moves them: the native code would then read other memory.
    if (length < 0 || position > data.capacity() - length) {
      throw new IllegalArgumentException("position and limit changed by another thread");
    }
    return cutDirect(
        data,
        position,
        length,
        last,
        cuts,
        parameters.algorithm.nativeNumber,
        parameters.window,
        parameters.minimum,
        parameters.maximum,
        parameters.normal,
        parameters.strict,
        parameters.loose);
  }

  /** The Java twin. */
  int cutInJava(ByteBuffer data, boolean last, int[] cuts) {
    ByteBuffer bytes = data.slice();
    int length = bytes.limit();
    int count = 0;
    int start = 0;
    while (count < cuts.length && start < length) {
      int chunk = twin.first(bytes, start, length - start);
      if (chunk == 0) {
        if (!last) {
          break;
        }
        chunk = length - start;
      }
      start += chunk;
      cuts[count++] = start;
    }
    return count;
  }

  ChunkerParameters parameters() {
    return parameters;
  }

  @Override
  public String toString() {
    return parameters.algorithm.configurationName()
        + " of "
        + parameters.minimum
        + " to "
        + parameters.maximum
        + " bytes, "
        + parameters.average
        + " on average";
  }

  /** See {@link ChunkerAlgorithm#implementation}. */
  static String implementation(ChunkerAlgorithm algorithm) {
    return NATIVE ? "native, " + kernelName(algorithm.nativeNumber) : "java";
  }

  private static native String kernelName(int algorithm);

  private static native int cutDirect(
      ByteBuffer buffer,
      int offset,
      int length,
      boolean last,
      int[] cuts,
      int algorithm,
      int window,
      int minimum,
      int maximum,
      int normal,
      long strict,
      long loose);
}
