/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.hadoop;

import java.io.OutputStream;
import java.nio.ByteBuffer;

/** Writes into a buffer; drops bytes beyond its room. For one thread. */
final class BufferOutput extends OutputStream {

  private final ByteBuffer dst;
  private int room;
  private boolean full;

  /**
   * @param room the most bytes to write, at most those remaining in {@code dst}
   */
  BufferOutput(ByteBuffer dst, int room) {
    this.dst = dst;
    this.room = room;
  }

  /** Returns whether bytes were dropped. */
  boolean isFull() {
    return full;
  }

  @Override
  public void write(int b) {
    write(new byte[] {(byte) b}, 0, 1);
  }

  @Override
  public void write(byte[] bytes, int offset, int length) {
    if (full || length > room) {
      full = true;
      return;
    }
    dst.put(bytes, offset, length);
    room -= length;
  }
}
