/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.jni;

import java.nio.ByteBuffer;
import java.security.DigestException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/**
 * SHA-256 (FIPS 180-4) of many messages at once.
 *
 * <p>The native library reads messages in direct buffers in place, in one call and two at a time,
 * if the CPU has instructions for it; the platform's {@link MessageDigest} reads all others. The
 * results are the same. For any number of threads.
 */
public final class Sha256 {

  /** The length of a digest in bytes. */
  public static final int LENGTH = 32;

  private static final boolean NATIVE = NativeLibrary.isLoaded() && isSupported();

  private static final ThreadLocal<MessageDigest> DIGEST = ThreadLocal.withInitial(Sha256::digest);

  private Sha256() {}

  private static MessageDigest digest() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }

  /**
   * Computes the digests of consecutive messages from the buffer's position on. Changes neither
   * position and limit nor the bytes, which no thread may write meanwhile.
   *
   * @param ends the end of each message, as distances in bytes from the position, never descending;
   *     as from {@link Chunker#cut}
   * @param count the number of messages
   * @param digests receives {@code count} times {@value #LENGTH} bytes
   * @throws IndexOutOfBoundsException if an end is not within the buffer's limit, or {@code
   *     digests} is too short
   */
  public static void hash(ByteBuffer data, int[] ends, int count, byte[] digests) {
    int position = data.position();
    int length = data.limit() - position;
    if (count < 0 || count > digests.length / LENGTH) {
      throw new IndexOutOfBoundsException(
          count + " messages, " + digests.length + " bytes for digests");
    }
    Messages.check(ends, count, length);
    if (NATIVE && data.isDirect()) {
      // May fail only if another thread moves them: the native code would then read other memory.
      if (length < 0 || position > data.capacity() - length) {
        throw new IllegalArgumentException("position and limit changed by another thread");
      }
      hashDirect(data, position, length, ends, count, digests);
    } else {
      hashInJava(data, ends, count, digests);
    }
  }

  /** The Java twin. */
  static void hashInJava(ByteBuffer data, int[] ends, int count, byte[] digests) {
    MessageDigest digest = digestOfThread();
    // An error, such as want of memory, may have left part of another message in it.
    digest.reset();
    ByteBuffer message = data.duplicate();
    for (int i = 0; i < count; i++) {
      message.limit(data.position() + ends[i]);
      digest.update(message);
      try {
        digest.digest(digests, i * LENGTH, LENGTH);
      } catch (DigestException e) {
        throw new IllegalStateException(e);
      }
    }
  }

  static MessageDigest digestOfThread() {
    return DIGEST.get();
  }

  private static native boolean isSupported();

  private static native void hashDirect(
      ByteBuffer data, int position, int length, int[] ends, int count, byte[] digests);
}
