/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.io;

import java.util.ArrayList;
import java.util.List;

/**
 * Fills the heap to its last bytes, in a {@link ChildJvm} with {@link #FLAGS}, for tests of work
 * that must not be left half done for want of memory. The tested code must have run once before, so
 * that its classes are loaded. For one thread.
 */
public final class FullHeap {

  /** A small heap, that threads take from as they need it. */
  public static final List<String> FLAGS =
      List.of("-Xmx16m", "-XX:+UseSerialGC", "-XX:-UseTLAB", "-XX:-UseGCOverheadLimit");

  private static final int ATTEMPTS = 32;

  /** The smallest object that can be given back one by one. */
  private static final class Node {
    final Node next;

    Node(Node next) {
      this.next = next;
    }
  }

  private static List<byte[]> large = new ArrayList<>(100_000);
  private static Node small;

  private FullHeap() {}

  /**
   * Runs an action again and again in a full heap that has room for one or two objects more each
   * time, and has room again when it returns.
   *
   * @return how many runs ended with an {@link OutOfMemoryError}
   */
  public static int run(Runnable action) {
    fill();
    int refused = 0;
    for (int i = 0; i < ATTEMPTS; i++) {
      try {
        action.run();
      } catch (OutOfMemoryError e) {
        refused++;
      }
      if (i % 2 == 1) {
        small = small.next;
      }
    }
    large = null;
    small = null;
    return refused;
  }

  private static void fill() {
    try {
      while (true) {
        large.add(new byte[50_000]);
      }
    } catch (OutOfMemoryError e) {
      // Now what is left, bit by bit.
    }
    for (int round = 0; round < 4; round++) {
      try {
        while (true) {
          small = new Node(small);
        }
      } catch (OutOfMemoryError e) {
        // Full to the last bytes, once the collector has seen it so.
      }
    }
  }
}
