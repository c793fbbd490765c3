/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.jni;

import java.nio.ByteBuffer;

/** {@link ChunkerAlgorithm#LMC}. */
final class LmcTwin extends ChunkerTwin {

  private final int window;
  private final int maximum;

  LmcTwin(ChunkerParameters parameters) {
    this.window = parameters.window;
    this.maximum = parameters.maximum;
  }

  @Override
  int first(ByteBuffer data, int start, int length, boolean last) {
    int i = window;
    while (i < maximum && i + window < length) {
      int at = start + i;
      int value = data.get(at) & 0xff;
      int rival = firstAtLeast(data, at + 1, at + window + 1, value);
      if (rival > at + window && firstAtLeast(data, at - window, at, value) == at) {
        return i + 1;
      }
      // Bytes up to the rival are no local maxima: they have the greater p[i] close before them.
      i = rival - start;
    }
    boolean decided = last || i >= maximum;
    return decided && length >= maximum ? maximum : 0;
  }

  private static int firstAtLeast(ByteBuffer data, int from, int to, int value) {
    int i = from;
    while (i < to && (data.get(i) & 0xff) < value) {
      i++;
    }
    return i;
  }
}
