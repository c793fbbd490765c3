/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.wire;

import io.hdrf.jni.Crc32c;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

/** The beginning of a connection, as it is written and as it comes. Immutable. */
public final class Preamble {

  static final int LENGTH = 8;
  private static final byte[] MAGIC = {WireFormat.FIRST_BYTE, 'D', 'R', 'F'};

  private final byte[] read;
  private final boolean valid;

  private Preamble(byte[] read, boolean valid) {
    this.read = read;
    this.valid = valid;
  }

  /**
   * Returns the bytes of a preamble.
   *
   * @param kind {@link WireFormat#PROBE}, {@link WireFormat#STREAM} or {@link WireFormat#ASK}
   */
  public static byte[] encode(int kind) {
    ByteBuffer bytes = ByteBuffer.allocate(LENGTH).order(ByteOrder.LITTLE_ENDIAN);
    bytes.put(MAGIC).put((byte) WireFormat.VERSION).put((byte) kind);
    bytes.putShort(crc(bytes.array()));
    return bytes.array();
  }

  private static short crc(byte[] preamble) {
    return (short) Crc32c.update(0, ByteBuffer.wrap(preamble, 0, LENGTH - 2));
  }

  /**
   * Returns whether bytes can be the beginning of a preamble, so that it is safe to wait for the
   * next.
   *
   * @param count the number of bytes, from 1 to the length of a preamble
   */
  private static boolean mayBePreamble(byte[] bytes, int count) {
    for (int i = 0; i < Math.min(count, MAGIC.length); i++) {
      if (bytes[i] != MAGIC[i]) {
        return false;
      }
    }
    return count < LENGTH
        || ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).getShort(LENGTH - 2) == crc(bytes);
  }

  /**
   * Reads as many bytes as are needed to tell what the peer speaks, and waits for no byte after the
   * first that can't be HDRF's: a stock peer may send few and wait for the answer.
   */
  public static Preamble read(InputStream in) throws IOException {
    byte[] bytes = new byte[LENGTH];
    int count = 0;
    while (count < bytes.length) {
      int next = in.read();
      if (next < 0) {
        return new Preamble(Arrays.copyOf(bytes, count), false);
      }
      bytes[count++] = (byte) next;
      if (!mayBePreamble(bytes, count)) {
        return new Preamble(Arrays.copyOf(bytes, count), false);
      }
    }
    return new Preamble(bytes, true);
  }

  /** Returns whether the peer speaks HDRF. */
  public boolean isHdrf() {
    return valid;
  }

  /** The bytes read, which belong to a stock peer's first operation unless {@link #isHdrf}. */
  public byte[] bytes() {
    return read.clone();
  }

  /** The peer's version of {@link WireFormat}. */
  public int version() {
    return read[4] & 0xFF;
  }

  /**
   * {@link WireFormat#PROBE}, {@link WireFormat#STREAM}, {@link WireFormat#ASK}, or what other
   * versions know.
   */
  public int kind() {
    return read[5] & 0xFF;
  }
}
