/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode.mirror;

/**
 * Counts the packets of a pipeline that the other side has acknowledged, by the lengths of its
 * messages: one answers the request, and each that follows a packet. Fed by one thread, may be
 * asked by any.
 */
final class Acknowledgements {

  private static final int MAX_SHIFT = 28;

  private volatile long messages;
  private volatile Runnable listener = () -> {};

  // For the thread that reads
  private int length;
  private int shift;
  private long bodyLeft;
  private long seen;

  /** Returns the number of acknowledged packets. */
  long count() {
    return Math.max(0, messages - 1);
  }

  /**
   * Sets a task to run after each acknowledgement, on the thread that reads it.
   *
   * @param told must not wait for anything
   */
  void listen(Runnable told) {
    listener = told;
  }

  /** Takes bytes that came. */
  void read(byte[] bytes, int offset, int count) {
    for (int i = 0; i < count; ) {
      if (bodyLeft > 0) {
        int part = (int) Math.min(bodyLeft, count - i);
        i += part;
        endBody(part);
      } else {
        read(bytes[offset + i++]);
      }
    }
  }

  /** Takes the next byte that came. */
  void read(byte next) {
    if (bodyLeft > 0) {
      endBody(1);
      return;
    }
    length |= (next & 0x7F) << shift;
    shift = Math.min(MAX_SHIFT, shift + 7);
    if (next >= 0) {
      bodyLeft = Math.max(0, length);
      length = 0;
      shift = 0;
      endBody(0);
    }
  }

  private void endBody(int part) {
    bodyLeft -= part;
    if (bodyLeft == 0) {
      seen++;
      messages = seen;
      listener.run();
    }
  }
}
