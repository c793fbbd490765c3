/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.wire;

import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;

/** The beginning of an incoming connection. Immutable. */
public final class Preamble {

  private final byte[] read;
  private final boolean valid;

  private Preamble(byte[] read, boolean valid) {
    this.read = read;
    this.valid = valid;
  }

  /**
   * Reads as many bytes as are needed to tell what the peer speaks, and waits for no byte after the
   * first that can't be HDRF's: a stock peer may send few and wait for the answer.
   */
  public static Preamble read(InputStream in) throws IOException {
    byte[] bytes = new byte[WireFormat.PREAMBLE_LENGTH];
    int count = 0;
    while (count < bytes.length) {
      int next = in.read();
      if (next < 0) {
        return new Preamble(Arrays.copyOf(bytes, count), false);
      }
      bytes[count++] = (byte) next;
      if (!WireFormat.mayBePreamble(bytes, count)) {
        return new Preamble(Arrays.copyOf(bytes, count), false);
      }
    }
    return new Preamble(bytes, true);
  }

  /** Whether the peer speaks HDRF. */
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
