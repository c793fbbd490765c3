/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.jni;

import java.nio.ByteBuffer;

/**
 * CRC32C (Castagnoli; RFC 3720, B.4) of byte buffers.
 *
 * <p>The native library reads direct buffers in place; Java reads all others, and all without the
 * native library. The results are the same. For any number of threads.
 */
public final class Crc32c {

  private static final boolean NATIVE = NativeLibrary.isLoaded();

  private Crc32c() {}

  /**
   * Extends a checksum by the bytes from the buffer's position to its limit. Changes neither
   * position and limit nor the bytes, which no thread may write meanwhile.
   *
   * @param crc 0 for the first part of a message, the previous result for each further part
   * @return the finished checksum, as of {@code java.util.zip.CRC32C}, in all 32 bits
   */
  public static int update(int crc, ByteBuffer buffer) {
    if (NATIVE && buffer.isDirect()) {
      int position = buffer.position();
      int length = buffer.limit() - position;
      // May fail only if another thread moves them: the native code would then read other memory.
      if (length < 0 || position > buffer.capacity() - length) {
        throw new IllegalArgumentException("position and limit changed by another thread");
      }
      return updateDirect(crc, buffer, position, length);
    }
    return updateInJava(crc, buffer);
  }

  /**
   * Computes the checksums of consecutive messages from the buffer's position on. Changes neither
   * position and limit nor the bytes, which no thread may write meanwhile.
   *
   * @param ends the end of each message, as distances in bytes from the position, never descending
   * @param count the number of messages
   * @param checksums receives {@code count} checksums
   * @throws IndexOutOfBoundsException if an end is not within the buffer's limit, or {@code
   *     checksums} is too short
   */
  public static void ofEach(ByteBuffer data, int[] ends, int count, int[] checksums) {
    int position = data.position();
    int length = data.limit() - position;
    if (count < 0 || count > checksums.length) {
      throw new IndexOutOfBoundsException(count + " messages, room for " + checksums.length);
    }
    Messages.check(ends, count, length);
    if (NATIVE && data.isDirect()) {
      if (length < 0 || position > data.capacity() - length) {
        throw new IllegalArgumentException("position and limit changed by another thread");
      }
      ofEachDirect(data, position, length, ends, count, checksums);
    } else {
      ofEachInJava(data, ends, count, checksums);
    }
  }

  /** The Java twin. */
  static void ofEachInJava(ByteBuffer data, int[] ends, int count, int[] checksums) {
    ByteBuffer message = data.duplicate();
    for (int i = 0; i < count; i++) {
      message.limit(data.position() + ends[i]);
      message.position(data.position() + (i == 0 ? 0 : ends[i - 1]));
      checksums[i] = updateInJava(0, message);
    }
  }

  /** Returns whether the native library reads direct buffers. */
  public static boolean isNative() {
    return NATIVE;
  }

  /**
   * Returns the implementation that reads direct buffers here, for logs: {@code native, sse4.2};
   * {@code native, portable}; {@code java.util.zip.CRC32C}; {@code java}.
   */
  public static String implementation() {
    if (NATIVE) {
      return "native, " + kernelName();
    }
    return JdkCrc32c.isAvailable() ? "java.util.zip.CRC32C" : "java";
  }

  /** The Java twin. */
  static int updateInJava(int crc, ByteBuffer buffer) {
    if (JdkCrc32c.isAvailable() && buffer.remaining() >= JdkCrc32c.WORTH_WHILE) {
      return JdkCrc32c.update(crc, buffer);
    }
    return TableCrc32c.update(crc, buffer);
  }

  private static native int updateDirect(int crc, ByteBuffer buffer, int offset, int length);

  private static native void ofEachDirect(
      ByteBuffer data, int position, int length, int[] ends, int count, int[] checksums);

  private static native String kernelName();
}
