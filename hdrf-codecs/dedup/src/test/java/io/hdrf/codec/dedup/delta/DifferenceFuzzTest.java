/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.delta;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.hdrf.jni.ChunkDelta;
import io.hdrf.spi.io.Varint;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * Any bytes as differences, and any bytes as chunks, natively and in Java. Runs on the kept inputs;
 * with {@code JAZZER_FUZZ=1}, it looks for new ones. An input begins with a byte for the base's
 * length, and the base.
 */
class DifferenceFuzzTest {

  /** Longer chunks than inputs make are not worth their memory. */
  private static final int MOST = 1 << 16;

  private static final DifferenceEncoder ENCODER = new DifferenceEncoder(100);

  /** Any bytes are refused, or make as many bytes as they say, natively and in Java. */
  @FuzzTest(maxDuration = "10s")
  void anyBytes(byte[] input) {
    byte[] base = base(input);
    byte[] difference = rest(input);
    // Behind the version.
    int length =
        difference.length > 0
            ? Varint.get(ByteBuffer.wrap(difference, 1, difference.length - 1))
            : 0;
    ByteBuffer made = ByteBuffer.allocateDirect(Math.max(0, Math.min(length, MOST)));
    ByteBuffer inJava = ByteBuffer.allocate(made.capacity());
    boolean isMade = ChunkDelta.decode(direct(base), direct(difference), made);
    check(
        isMade == ChunkDelta.decode(ByteBuffer.wrap(base), ByteBuffer.wrap(difference), inJava),
        "Java makes another decision");
    check(!isMade || made.flip().equals(inJava.flip()), "Java makes another chunk");
  }

  /** The chunk comes back. */
  @FuzzTest(maxDuration = "10s")
  void roundTrip(byte[] input) {
    byte[] base = base(input);
    byte[] chunk = rest(input);
    ByteBuffer difference = ENCODER.encode(direct(base), direct(chunk));
    if (difference == null) {
      return;
    }
    check(difference.remaining() <= chunk.length, "a difference longer than its chunk");
    ByteBuffer made = ByteBuffer.allocateDirect(chunk.length);
    check(ChunkDelta.decode(direct(base), difference, made), "a difference that is refused");
    check(made.flip().equals(ByteBuffer.wrap(chunk)), "another chunk");
    byte[] bytes = new byte[difference.remaining()];
    difference.duplicate().get(bytes);
    ByteBuffer inJava = ENCODER.encode(ByteBuffer.wrap(base), ByteBuffer.wrap(chunk));
    check(inJava != null && inJava.equals(ByteBuffer.wrap(bytes)), "another difference in Java");
  }

  private static void check(boolean holds, String otherwise) {
    if (!holds) {
      throw new AssertionError(otherwise);
    }
  }

  private static int baseLength(byte[] input) {
    return input.length == 0 ? 0 : Math.min(input[0] & 0xff, input.length - 1);
  }

  private static byte[] base(byte[] input) {
    return input.length == 0 ? input : Arrays.copyOfRange(input, 1, 1 + baseLength(input));
  }

  private static byte[] rest(byte[] input) {
    int from = 1 + baseLength(input);
    return from >= input.length ? new byte[0] : Arrays.copyOfRange(input, from, input.length);
  }

  private static ByteBuffer direct(byte[] bytes) {
    return ByteBuffer.allocateDirect(bytes.length).put(bytes).flip();
  }
}
