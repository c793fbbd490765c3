/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.jni;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.IntBuffer;
import java.nio.LongBuffer;

/**
 * Queries of Bloom filters that are stored in columns: for each position of a hash function, a row
 * has a bit of each filter, side by side, in a part of a word, a word, or several.
 *
 * <p>For queries of many elements, the native library reads the row and prefetches the next words
 * while it processes others; Java reads it for a few elements, and without the native library. The
 * results are the same. The native library reads only direct buffers, so it holds no array for
 * which the collector would have to wait. For any number of threads, each with its own columns and
 * numbers.
 */
public final class FilterRows {

  /** The number of filters in the widest row. */
  public static final int MAX_WIDTH = 512;

  /** The number of longs of a hash: h1 and h2. */
  public static final int HASH_LONGS = 2;

  /** The minimum number of elements for which native code saves more time than its call takes. */
  static final int WORTH_WHILE = 16;

  static final int NO_HASH = -1;

  private static final boolean NATIVE = NativeLibrary.isLoaded();

  private FilterRows() {}

  /**
   * Returns the position of an element in the row of a hash function: the upper half of mix64(h1 +
   * function * h2), multiplied by the length of the row and shifted right by 32 bits, where mix64
   * is the finalizer of SplitMix64. Stored filters depend on it: it never changes.
   *
   * @param length the number of positions of the row
   * @return 0 to {@code length - 1}
   */
  public static int position(long h1, long h2, int function, int length) {
    long z = h1 + function * h2;
    z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
    z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
    z = (z ^ (z >>> 31)) >>> 32;
    return (int) ((z * length) >>> 32);
  }

  /**
   * Applies one row to the remaining elements of a query. An element keeps the columns whose bits
   * are set at its position; an element without any column is dropped. The elements that stay move
   * to the front of {@code columns} and {@code left}, in the same order; the content after them is
   * then unspecified.
   *
   * <p>Other threads may set bits of the row meanwhile; whether this call sees such a bit is
   * unspecified.
   *
   * <p>Uses all buffers from index 0 to their limits, whatever their positions, which stay. They
   * must not overlap.
   *
   * @param row has the bits of position 0 from the least significant one of its first word on,
   *     followed by those of the other positions; as from {@link NativeWords}
   * @param length the number of positions of the row
   * @param width bits for each position, a power of two up to {@value #MAX_WIDTH}
   * @param function the number of the hash function that has this row, 0 for the first
   * @param hashes h1 and h2 of each element of the query, in turns
   * @param count the number of remaining elements
   * @param columns for each remaining element, as many words as a position has, at least one
   * @param left the number in {@code hashes} of each remaining element
   * @return the number of elements that stay
   * @throws IllegalArgumentException if {@code width}, {@code length} or {@code function} is out of
   *     range, {@code columns} or {@code left} can't be written, or a direct buffer is not of the
   *     machine's byte order
   * @throws IndexOutOfBoundsException if {@code row} ends within the row, or a buffer is too short
   *     for {@code count} elements, or an element has no hash; nothing has changed then
   */
  public static int keep(
      LongBuffer row,
      int length,
      int width,
      int function,
      LongBuffer hashes,
      int count,
      LongBuffer columns,
      IntBuffer left) {
    check(row, length, width, function, count, columns, left);
    int hashCount = hashes.limit() / HASH_LONGS;
    if (!isForNative(row, hashes, columns, left) || count < WORTH_WHILE) {
      return keepInJava(row, length, width, function, hashes, count, columns, left);
    }
    checkOrder(row.order());
    checkOrder(hashes.order());
    checkOrder(columns.order());
    checkOrder(left.order());
    int log = Integer.numberOfTrailingZeros(width);
    int remaining = keepDirect(row, length, log, function, hashes, hashCount, count, columns, left);
    if (remaining == NO_HASH) {
      throw noHash(hashCount);
    }
    return remaining;
  }

  private static boolean isForNative(
      LongBuffer row, LongBuffer hashes, LongBuffer columns, IntBuffer left) {
    return NATIVE && row.isDirect() && hashes.isDirect() && columns.isDirect() && left.isDirect();
  }

  private static void checkOrder(ByteOrder order) {
    if (order != ByteOrder.nativeOrder()) {
      throw new IllegalArgumentException("a buffer's byte order is not the machine's");
    }
  }

  private static void check(
      LongBuffer row,
      int length,
      int width,
      int function,
      int count,
      LongBuffer columns,
      IntBuffer left) {
    boolean isWidth = width > 0 && width <= MAX_WIDTH && Integer.bitCount(width) == 1;
    if (!isWidth || length < 1 || function < 0) {
      throw new IllegalArgumentException(
          "width " + width + ", " + length + " positions, function " + function);
    }
    if (columns.isReadOnly() || left.isReadOnly()) {
      throw new IllegalArgumentException("buffers that can't be written");
    }
    long words = ((long) length * width + Long.SIZE - 1) / Long.SIZE;
    if (words > row.limit()) {
      throw new IndexOutOfBoundsException("row of " + words + " words, of " + row.limit());
    }
    int lanes = Math.max(1, width / Long.SIZE);
    if (count < 0 || count > left.limit() || count > columns.limit() / lanes) {
      throw new IndexOutOfBoundsException(
          count + " elements, room for " + left.limit() + " and " + columns.limit() + " words");
    }
  }

  /** Returns a buffer for the hashes or columns of a query that the native library can read. */
  public static LongBuffer longs(int count) {
    return NATIVE
        ? ByteBuffer.allocateDirect(Math.multiplyExact(count, Long.BYTES))
            .order(ByteOrder.nativeOrder())
            .asLongBuffer()
        : LongBuffer.allocate(count);
  }

  /** Like {@link #longs}, for the numbers of remaining elements. */
  public static IntBuffer ints(int count) {
    return NATIVE
        ? ByteBuffer.allocateDirect(Math.multiplyExact(count, Integer.BYTES))
            .order(ByteOrder.nativeOrder())
            .asIntBuffer()
        : IntBuffer.allocate(count);
  }

  private static IndexOutOfBoundsException noHash(int hashes) {
    return new IndexOutOfBoundsException("an element that is left has none of " + hashes);
  }

  /** Returns whether the native library reads rows for many elements. */
  public static boolean isNative() {
    return NATIVE;
  }

  /**
   * Returns the implementation that reads rows for many elements, for logs: {@code native, avx2};
   * {@code java}.
   */
  public static String implementation() {
    return NATIVE ? "native, " + kernelName() : "java";
  }

  /** The Java twin, without the checks of lengths. */
  static int keepInJava(
      LongBuffer row,
      int length,
      int width,
      int function,
      LongBuffer hashes,
      int count,
      LongBuffer columns,
      IntBuffer left) {
    int hashCount = hashes.limit() / HASH_LONGS;
    for (int i = 0; i < count; i++) {
      if (left.get(i) < 0 || left.get(i) >= hashCount) {
        throw noHash(hashCount);
      }
    }
    // Separate from the loop that stores elements depending on the words read: its stores would
    // make the reads of the row wait for each other.
    int lanes = Math.max(1, width / Long.SIZE);
    if (lanes == 1) {
      andParts(row, length, width, function, hashes, count, columns, left);
    } else {
      andLanes(lanes, row, length, function, hashes, count, columns, left);
    }
    return compact(lanes, count, columns, left);
  }

  private static int positionOf(int element, LongBuffer hashes, int function, int length) {
    return position(
        hashes.get(HASH_LONGS * element), hashes.get(HASH_LONGS * element + 1), function, length);
  }

  private static void andParts(
      LongBuffer row,
      int length,
      int width,
      int function,
      LongBuffer hashes,
      int count,
      LongBuffer columns,
      IntBuffer left) {
    int log = Integer.numberOfTrailingZeros(width);
    int down = 6 - log;
    for (int i = 0; i < count; i++) {
      int position = positionOf(left.get(i), hashes, function, length);
      long word = row.get(position >>> down) >>> (position << log);
      columns.put(i, columns.get(i) & word);
    }
  }

  private static void andLanes(
      int lanes,
      LongBuffer row,
      int length,
      int function,
      LongBuffer hashes,
      int count,
      LongBuffer columns,
      IntBuffer left) {
    for (int i = 0; i < count; i++) {
      int at = lanes * positionOf(left.get(i), hashes, function, length);
      for (int lane = 0; lane < lanes; lane++) {
        int to = lanes * i + lane;
        columns.put(to, columns.get(to) & row.get(at + lane));
      }
    }
  }

  private static int compact(int lanes, int count, LongBuffer columns, IntBuffer left) {
    int remaining = 0;
    for (int i = 0; i < count; i++) {
      long any = 0;
      for (int lane = 0; lane < lanes; lane++) {
        long word = columns.get(i * lanes + lane);
        columns.put(remaining * lanes + lane, word);
        any |= word;
      }
      left.put(remaining, left.get(i));
      remaining += isNonZero(any);
    }
    return remaining;
  }

  /** Returns 1 or 0 without a branch, which could not be predicted. */
  private static int isNonZero(long word) {
    return (int) ((word | -word) >>> 63);
  }

  private static native int keepDirect(
      LongBuffer row,
      int length,
      int widthLog2,
      int function,
      LongBuffer hashes,
      int hashCount,
      int count,
      LongBuffer columns,
      IntBuffer left);

  private static native String kernelName();
}
