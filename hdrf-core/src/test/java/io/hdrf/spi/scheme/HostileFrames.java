/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.spi.scheme;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;

/** Passes any bytes to a codec as a frame, for fuzz tests. */
public final class HostileFrames {

  private static final int GUARD = 64;
  private static final byte UNTOUCHED = 0x5A;
  private static final int MAX_LENGTH = 1 << 18;

  private HostileFrames() {}

  /**
   * Decodes bytes as a frame, and encodes them as data.
   *
   * @param input the first two bytes tell the length of the data
   * @param maxHeap the bytes that may be allocated beyond those in proportion to the lengths
   */
  public static void run(FrameCodec codec, byte[] input, long maxHeap) throws IOException {
    if (input.length < 3 || input.length > MAX_LENGTH) {
      return;
    }
    int length = 1 + ((input[0] & 0xFF) << 8 | (input[1] & 0xFF));
    ByteBuffer frame = ByteBuffer.allocateDirect(input.length - 2 + GUARD);
    frame.put(input, 2, input.length - 2).flip();
    long bound = maxHeap + 64L * input.length + 8L * length;
    // A first time may load classes.
    boolean suspect = takes(codec, frame, length) > bound;
    if (suspect && takes(codec, frame, length) > bound) {
      throw new AssertionError("too much memory for " + input.length + " bytes");
    }
    // Whatever it was given before.
    ByteBuffer encoded = ByteBuffer.allocateDirect(codec.maxEncodedLength(frame.remaining()));
    codec.encode(frame.duplicate(), encoded);
    ByteBuffer decoded = ByteBuffer.allocateDirect(frame.remaining());
    codec.decode(encoded.flip(), decoded);
    if (!decoded.flip().equals(frame)) {
      throw new AssertionError("data came back different");
    }
  }

  /** A refusal is an IOException, and nothing is written outside of the buffer's range. */
  private static long takes(FrameCodec codec, ByteBuffer frame, int length) {
    ByteBuffer dst = ByteBuffer.allocateDirect(GUARD + length + GUARD);
    for (int i = 0; i < dst.capacity(); i++) {
      dst.put(i, UNTOUCHED);
    }
    dst.position(GUARD).limit(GUARD + length);
    var threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
    long before = threads.getThreadAllocatedBytes(Thread.currentThread().getId());
    try {
      ByteBuffer src = frame.duplicate();
      codec.decode(src, dst);
      if (src.hasRemaining() || dst.hasRemaining()) {
        throw new AssertionError(src + " and " + dst + " are left");
      }
    } catch (IOException expected) {
      // Refused.
    }
    long taken = threads.getThreadAllocatedBytes(Thread.currentThread().getId()) - before;
    dst.clear();
    for (int i = 0; i < GUARD; i++) {
      if (dst.get(i) != UNTOUCHED || dst.get(GUARD + length + i) != UNTOUCHED) {
        throw new AssertionError("written outside of the buffer's range");
      }
    }
    return taken;
  }
}
