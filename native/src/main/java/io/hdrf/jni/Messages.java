/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.jni;

/** Consecutive messages in a buffer. */
final class Messages {

  private Messages() {}

  /**
   * Checks that the messages' ends, as distances from the beginning of the first one, never descend
   * and lie within {@code length}.
   */
  static void check(int[] ends, int count, int length) {
    if (count < 0 || count > ends.length) {
      throw new IndexOutOfBoundsException(count + " messages, " + ends.length + " ends");
    }
    int before = 0;
    for (int i = 0; i < count; i++) {
      if (ends[i] < before || ends[i] > length) {
        throw new IndexOutOfBoundsException(
            "message " + i + " from " + before + " to " + ends[i] + " of " + length + " bytes");
      }
      before = ends[i];
    }
  }
}
