/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.jni;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.CharBuffer;
import java.nio.ReadOnlyBufferException;

/**
 * Differences: a chunk as copies from a similar one, its base, and inserted bytes. {@code
 * docs/formats.md} ("Difference") has the bytes.
 *
 * <p>The native library takes direct buffers in place; Java takes all others. The results are the
 * same, on every machine. No method reads or writes outside of its arguments, whatever the bytes
 * are. What is written must not overlap what is read, and no thread may change what is read
 * meanwhile.
 *
 * <p>An object is an encoder with its memory, 64 KiB outside the heap, for one thread at a time.
 * The static methods are for any number of threads.
 */
public final class ChunkDelta {

  /** No base and no chunk is longer, in bytes. */
  public static final int MAX_LENGTH = 1 << 24;

  private static final boolean NATIVE = NativeLibrary.isLoaded();

  private final ByteBuffer memory =
      ByteBuffer.allocateDirect(ChunkDeltaTwin.SLOTS * Character.BYTES)
          .order(ByteOrder.nativeOrder());

  private final CharBuffer slots = memory.asCharBuffer();

  /**
   * Writes the difference of a chunk to its base, if it fits. In time proportional to the lengths
   * of both, whatever the bytes.
   *
   * @param base from position to limit, 1 to {@link #MAX_LENGTH} bytes; stays as it is
   * @param chunk likewise
   * @param difference is written from its position to its limit at most; on success the position is
   *     behind the difference, otherwise it stays, and what is behind it is undefined
   * @return whether there is a difference; false if it would be longer, or if a length is out of
   *     range
   */
  public boolean encode(ByteBuffer base, ByteBuffer chunk, ByteBuffer difference) {
    int basePosition = base.position();
    int baseLength = length(base, basePosition);
    int position = chunk.position();
    int length = length(chunk, position);
    int differencePosition = difference.position();
    int limit = length(difference, differencePosition);
    if (difference.isReadOnly()) {
      throw new ReadOnlyBufferException();
    }
    int made;
    if (NATIVE && base.isDirect() && chunk.isDirect() && difference.isDirect()) {
      made =
          encodeDirect(
              base,
              basePosition,
              baseLength,
              chunk,
              position,
              length,
              difference,
              differencePosition,
              limit,
              memory);
    } else {
      made = new ChunkDeltaTwin(base, chunk, difference, slots).encode();
    }
    difference.position(differencePosition + made);
    return made > 0;
  }

  /** The Java twin of {@link #encode}. */
  boolean encodeInJava(ByteBuffer base, ByteBuffer chunk, ByteBuffer difference) {
    int made = new ChunkDeltaTwin(base, chunk, difference, slots).encode();
    difference.position(difference.position() + made);
    return made > 0;
  }

  /**
   * Makes a chunk from its base and a difference. With a base of other content it makes another
   * chunk: whoever stores differences keeps a checksum of the chunk.
   *
   * @param base from position to limit; stays as it is
   * @param difference likewise
   * @param chunk is filled from position to limit, which must be the chunk's length; on success the
   *     position is the limit, otherwise it stays, and what is behind it is undefined
   * @return false if the difference is damaged, is not one to a base of that length or more, or
   *     does not make exactly as many bytes
   */
  public static boolean decode(ByteBuffer base, ByteBuffer difference, ByteBuffer chunk) {
    int basePosition = base.position();
    int baseLength = length(base, basePosition);
    int differencePosition = difference.position();
    int differenceLength = length(difference, differencePosition);
    int position = chunk.position();
    int length = length(chunk, position);
    if (chunk.isReadOnly()) {
      throw new ReadOnlyBufferException();
    }
    boolean made;
    if (NATIVE && base.isDirect() && difference.isDirect() && chunk.isDirect()) {
      made =
          decodeDirect(
              base,
              basePosition,
              baseLength,
              difference,
              differencePosition,
              differenceLength,
              chunk,
              position,
              length);
    } else {
      made = ChunkDeltaTwin.decode(base, difference, chunk);
    }
    if (made) {
      chunk.position(position + length);
    }
    return made;
  }

  /** The Java twin of {@link #decode}. */
  static boolean decodeInJava(ByteBuffer base, ByteBuffer difference, ByteBuffer chunk) {
    boolean made = ChunkDeltaTwin.decode(base, difference, chunk);
    if (made) {
      chunk.position(chunk.limit());
    }
    return made;
  }

  private static int length(ByteBuffer buffer, int position) {
    int length = buffer.limit() - position;
    // May fail only if another thread moves them: the native code would then use other memory.
    if (length < 0 || position > buffer.capacity() - length) {
      throw new IllegalArgumentException("position and limit changed by another thread");
    }
    return length;
  }

  private static native int encodeDirect(
      ByteBuffer base,
      int basePosition,
      int baseLength,
      ByteBuffer chunk,
      int position,
      int length,
      ByteBuffer difference,
      int differencePosition,
      int limit,
      ByteBuffer slots);

  private static native boolean decodeDirect(
      ByteBuffer base,
      int basePosition,
      int baseLength,
      ByteBuffer difference,
      int differencePosition,
      int differenceLength,
      ByteBuffer chunk,
      int position,
      int length);
}
