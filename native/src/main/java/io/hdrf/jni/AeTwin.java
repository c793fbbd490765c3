/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.jni;

import java.nio.ByteBuffer;

/** {@link ChunkerAlgorithm#AE}. */
final class AeTwin extends ChunkerTwin {

  private final int window;
  private final int maximum;

  AeTwin(ChunkerParameters parameters) {
    this.window = parameters.window;
    this.maximum = parameters.maximum;
  }

  @Override
  int first(ByteBuffer data, int start, int length, boolean last) {
    int end = Math.min(length, maximum);
    int greatest = data.get(start) & 0xff;
    int cutAt = window;
    for (int i = 1; i < end; i++) {
      int value = data.get(start + i) & 0xff;
      if (value > greatest) {
        greatest = value;
        cutAt = i + window;
      } else if (i == cutAt) {
        return i + 1;
      }
    }
    return end == maximum ? end : 0;
  }
}
