/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.spi.scheme;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Random;

/**
 * A range in the middle of a direct buffer, at an odd position, with known bytes around it that
 * must not change.
 */
public final class GuardedBuffer {

  private static final int MARGIN = 512;
  private static final byte CANARY = (byte) 0xC9;

  private final ByteBuffer buffer;
  private final int start;
  private final int end;

  /** An empty range of {@code length} bytes to write to. */
  public GuardedBuffer(int length, Random random) {
    start = MARGIN + 1 + 2 * random.nextInt(8);
    end = start + length;
    buffer = ByteBuffer.allocateDirect(end + MARGIN);
    buffer.order(random.nextBoolean() ? ByteOrder.LITTLE_ENDIAN : ByteOrder.BIG_ENDIAN);
    while (buffer.hasRemaining()) {
      buffer.put(CANARY);
    }
    buffer.limit(end).position(start);
  }

  /** A range that holds {@code content}, to read from. */
  public GuardedBuffer(byte[] content, Random random) {
    this(content.length, random);
    buffer.put(content);
    buffer.position(start);
  }

  /** The buffer to be handed out; always the same object. */
  public ByteBuffer buffer() {
    return buffer;
  }

  /** Checks that nothing was written outside of the range. */
  public void assertIntact() {
    for (int i = 0; i < start; i++) {
      assertCanary(i);
    }
    for (int i = end; i < buffer.capacity(); i++) {
      assertCanary(i);
    }
  }

  private void assertCanary(int index) {
    if (buffer.duplicate().clear().get(index) != CANARY) {
      throw new AssertionError("byte " + (index - start) + " relative to the range was changed");
    }
  }

  /** Checks that the range was read, or written, to its end. */
  public void assertExhausted() {
    assertThat(buffer.limit()).as("limit").isEqualTo(end);
    assertThat(buffer.position()).as("position").isEqualTo(end);
  }

  /** The whole range. */
  public byte[] range() {
    return bytes(end);
  }

  /** What was written: from the range's beginning to the position. */
  public byte[] written() {
    assertThat(buffer.position()).as("position").isBetween(start, end);
    return bytes(buffer.position());
  }

  private byte[] bytes(int to) {
    byte[] bytes = new byte[to - start];
    buffer.duplicate().clear().position(start).get(bytes);
    return bytes;
  }
}
