/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.jni;

import java.nio.ByteBuffer;

/** Chunks of one size. */
final class FixedTwin extends ChunkerTwin {

  private final int maximum;

  FixedTwin(ChunkerParameters parameters) {
    this.maximum = parameters.maximum;
  }

  @Override
  int first(ByteBuffer data, int start, int length) {
    return length >= maximum ? maximum : 0;
  }
}
