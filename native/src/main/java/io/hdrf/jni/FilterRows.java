/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.jni;

/**
 * Queries of Bloom filters that are stored in columns: for each position of a hash function, a row
 * has a bit of each filter, side by side, in a part of a word, a word, or several.
 *
 * <p>Where many elements are asked for at once, the native library reads the row, which fetches the
 * words that come next while it works on others; Java reads it for a few elements, and where there
 * is no native library. The results are the same. For any number of threads, each with columns and
 * numbers of its own.
 */
public final class FilterRows {

  /** Filters of the widest row. */
  public static final int MAX_WIDTH = 512;

  /** Longs of a hash: h1 and h2. */
  public static final int HASH_LONGS = 2;

  /** For fewer elements the call of native code takes longer than it saves. */
  static final int WORTH_WHILE = 16;

  static final int NO_HASH = -1;
  static final int NO_ARRAYS = -2;

  private static final boolean NATIVE = NativeLibrary.isLoaded();

  private FilterRows() {}

  /**
   * The position of an element in the row of a hash function: the upper half of mix64(h1 + function
   * * h2), multiplied by the length of the row and shifted right by 32 bits, where mix64 is the
   * finalizer of SplitMix64. Filters are stored by it: it never changes.
   *
   * @param length positions of the row
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
   * Takes the elements that are left of a query through one row. The columns of an element that
   * remain are those whose bits are set at its position; an element without any leaves. Those that
   * stay move to the front of {@code columns} and {@code left}, in the same order; what is behind
   * them then is unspecified.
   *
   * <p>Other threads may set bits of the row meanwhile; whether such a bit is seen is unspecified.
   *
   * @param row has the bits of position 0 from the least significant one of {@code row[start]} on,
   *     followed by those of the other positions
   * @param length positions of the row
   * @param width bits for each position, a power of two up to {@value #MAX_WIDTH}
   * @param function which hash function has this row, 0 for the first
   * @param hashes h1 and h2 of each element that was asked for, in turns
   * @param count how many elements are left
   * @param columns a word for each element that is left, or as many as a position has
   * @param left which of {@code hashes} is that of each element that is left
   * @return how many elements stay
   * @throws IllegalArgumentException if {@code width}, {@code length} or {@code function} is out of
   *     range
   * @throws IndexOutOfBoundsException if the row ends within {@code row}, or an array is too short
   *     for {@code count} elements, or an element has no hash; nothing has changed then
   */
  public static int keep(
      long[] row,
      int start,
      int length,
      int width,
      int function,
      long[] hashes,
      int count,
      long[] columns,
      int[] left) {
    check(row, start, length, width, function, count, columns, left);
    if (!NATIVE || count < WORTH_WHILE) {
      return keepInJava(row, start, length, width, function, hashes, count, columns, left);
    }
    int log = Integer.numberOfTrailingZeros(width);
    int hashCount = hashes.length / HASH_LONGS;
    int remaining =
        keepCritical(row, start, length, log, function, hashes, hashCount, count, columns, left);
    if (remaining == NO_HASH) {
      throw noHash(hashCount);
    }
    if (remaining == NO_ARRAYS) {
      throw new IllegalStateException("the virtual machine gives no access to arrays");
    }
    return remaining;
  }

  private static void check(
      long[] row,
      int start,
      int length,
      int width,
      int function,
      int count,
      long[] columns,
      int[] left) {
    boolean isWidth = width > 0 && width <= MAX_WIDTH && Integer.bitCount(width) == 1;
    if (!isWidth || length < 1 || function < 0) {
      throw new IllegalArgumentException(
          "width " + width + ", " + length + " positions, function " + function);
    }
    long words = ((long) length * width + Long.SIZE - 1) / Long.SIZE;
    if (start < 0 || words > row.length - start) {
      throw new IndexOutOfBoundsException(
          "row of " + words + " words from " + start + " on, of " + row.length);
    }
    int lanes = Math.max(1, width / Long.SIZE);
    if (count < 0 || count > left.length || count > columns.length / lanes) {
      throw new IndexOutOfBoundsException(
          count + " elements, room for " + left.length + " and " + columns.length + " words");
    }
  }

  private static IndexOutOfBoundsException noHash(int hashes) {
    return new IndexOutOfBoundsException("an element that is left has none of " + hashes);
  }

  /** Whether the native library reads rows for many elements. */
  public static boolean isNative() {
    return NATIVE;
  }

  /** What reads rows for many elements, for logs: {@code native, avx2}; {@code java}. */
  public static String implementation() {
    return NATIVE ? "native, " + kernelName() : "java";
  }

  /** The Java twin, without the checks of lengths. */
  static int keepInJava(
      long[] row,
      int start,
      int length,
      int width,
      int function,
      long[] hashes,
      int count,
      long[] columns,
      int[] left) {
    int hashCount = hashes.length / HASH_LONGS;
    for (int i = 0; i < count; i++) {
      if (left[i] < 0 || left[i] >= hashCount) {
        throw noHash(hashCount);
      }
    }
    // Apart from the loop that stores by what was read: its stores would make the reads of the row
    // wait for each other.
    switch (width) {
      case 128:
        and2(row, start, length, function, hashes, count, columns, left);
        return compact(2, count, columns, left);
      case 256:
        and4(row, start, length, function, hashes, count, columns, left);
        return compact(4, count, columns, left);
      case 512:
        and8(row, start, length, function, hashes, count, columns, left);
        return compact(8, count, columns, left);
      default:
        and1(row, start, length, width, function, hashes, count, columns, left);
        return compact1(count, columns, left);
    }
  }

  private static int positionOf(int element, long[] hashes, int function, int length) {
    return position(
        hashes[HASH_LONGS * element], hashes[HASH_LONGS * element + 1], function, length);
  }

  private static void and1(
      long[] row,
      int start,
      int length,
      int width,
      int function,
      long[] hashes,
      int count,
      long[] columns,
      int[] left) {
    int log = Integer.numberOfTrailingZeros(width);
    int down = 6 - log;
    for (int i = 0; i < count; i++) {
      int position = positionOf(left[i], hashes, function, length);
      columns[i] &= row[start + (position >>> down)] >>> (position << log);
    }
  }

  private static void and2(
      long[] row,
      int start,
      int length,
      int function,
      long[] hashes,
      int count,
      long[] columns,
      int[] left) {
    for (int i = 0; i < count; i++) {
      int at = start + 2 * positionOf(left[i], hashes, function, length);
      columns[2 * i] &= row[at];
      columns[2 * i + 1] &= row[at + 1];
    }
  }

  private static void and4(
      long[] row,
      int start,
      int length,
      int function,
      long[] hashes,
      int count,
      long[] columns,
      int[] left) {
    for (int i = 0; i < count; i++) {
      int at = start + 4 * positionOf(left[i], hashes, function, length);
      columns[4 * i] &= row[at];
      columns[4 * i + 1] &= row[at + 1];
      columns[4 * i + 2] &= row[at + 2];
      columns[4 * i + 3] &= row[at + 3];
    }
  }

  private static void and8(
      long[] row,
      int start,
      int length,
      int function,
      long[] hashes,
      int count,
      long[] columns,
      int[] left) {
    for (int i = 0; i < count; i++) {
      int at = start + 8 * positionOf(left[i], hashes, function, length);
      for (int lane = 0; lane < 8; lane++) {
        columns[8 * i + lane] &= row[at + lane];
      }
    }
  }

  private static int compact1(int count, long[] columns, int[] left) {
    int remaining = 0;
    for (int i = 0; i < count; i++) {
      long word = columns[i];
      columns[remaining] = word;
      left[remaining] = left[i];
      remaining += isNonZero(word);
    }
    return remaining;
  }

  private static int compact(int lanes, int count, long[] columns, int[] left) {
    int remaining = 0;
    for (int i = 0; i < count; i++) {
      long any = 0;
      for (int lane = 0; lane < lanes; lane++) {
        long word = columns[i * lanes + lane];
        columns[remaining * lanes + lane] = word;
        any |= word;
      }
      left[remaining] = left[i];
      remaining += isNonZero(any);
    }
    return remaining;
  }

  /** Without a branch: none could be predicted. */
  private static int isNonZero(long word) {
    return (int) ((word | -word) >>> 63);
  }

  private static native int keepCritical(
      long[] row,
      int start,
      int length,
      int widthLog2,
      int function,
      long[] hashes,
      int hashCount,
      int count,
      long[] columns,
      int[] left);

  private static native String kernelName();
}
