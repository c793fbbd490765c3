/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.benchmarks;

import java.io.IOException;
import java.io.OutputStream;

/**
 * What the rounds of a comparison write: a text, as often as the length asks for. Fresh data are
 * other bytes in each pass of each round, so that deduplication finds nothing of another pass; they
 * compress alike. For one thread.
 */
final class RoundData {

  /** How many passes of fresh data there are: bytes are shifted by so many different amounts. */
  static final int MAX_PASSES = 256;

  private static final int PIECE = 1 << 20;

  private final byte[] text;
  private final boolean fresh;
  private byte[][] passes;
  private int used;

  /**
   * @param text at least one byte; not to be changed any more
   */
  RoundData(byte[] text, boolean fresh) {
    this.text = text;
    this.fresh = fresh;
    this.passes = new byte[][] {text};
  }

  /** How many passes {@code length} bytes of the text take. */
  static int passes(long length, int textLength) {
    return Math.toIntExact((length + textLength - 1) / textLength);
  }

  /**
   * Begins a round. Fresh data are made here, so that it does not count as time of the round.
   *
   * @param length how many bytes will be written at most
   * @throws IllegalStateException if there are no other fresh data left
   */
  void next(long length) {
    if (!fresh) {
      return;
    }
    int count = passes(length, text.length);
    if (used + count > MAX_PASSES) {
      throw new IllegalStateException("more than " + MAX_PASSES + " passes of fresh data");
    }
    if (passes.length < count || passes[0] == text) {
      // What is there is given up before more is taken: it is hundreds of megabytes.
      passes = null;
      byte[][] made = new byte[count][];
      for (int i = 0; i < count; i++) {
        made[i] = new byte[text.length];
      }
      passes = made;
    }
    for (int i = 0; i < count; i++) {
      used++;
      System.arraycopy(text, 0, passes[i], 0, text.length);
      Inputs.shift(passes[i], 0, text.length, used);
    }
  }

  /** Writes {@code length} bytes, in pieces of 1 MiB at most. */
  void write(OutputStream out, long length) throws IOException {
    for (long written = 0; written < length; ) {
      int offset = (int) (written % text.length);
      int count = (int) Math.min(Math.min(PIECE, text.length - offset), length - written);
      out.write(pass(written), offset, count);
      written += count;
    }
  }

  /** The byte at {@code position} of what {@link #write} writes in this round. */
  byte at(long position) {
    return pass(position)[(int) (position % text.length)];
  }

  private byte[] pass(long position) {
    return passes[fresh ? (int) (position / text.length) : 0];
  }
}
