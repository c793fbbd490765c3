/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.jni;

import java.nio.ByteBuffer;

/** {@link ChunkerAlgorithm#RAM} and {@link ChunkerAlgorithm#RAML}. */
final class RamTwin extends ChunkerTwin {

  private final int window;
  private final int maximum;

  RamTwin(ChunkerParameters parameters) {
    this.window = parameters.window;
    this.maximum = parameters.maximum;
  }

  @Override
  int first(ByteBuffer data, int start, int length) {
    int end = Math.min(length, maximum);
    if (end > window) {
      int greatest = 0;
      for (int i = 0; i < window; i++) {
        greatest = Math.max(greatest, data.get(start + i) & 0xff);
      }
      for (int i = window; i < end; i++) {
        if ((data.get(start + i) & 0xff) >= greatest) {
          return i + 1;
        }
      }
    }
    return end == maximum ? end : 0;
  }
}
