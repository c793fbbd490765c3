/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.spi.scheme;

/** A frame as the core stores it. */
public record StoredFrame(int originalLength, int stages, byte[] bytes) {

  StoredFrame with(byte[] otherBytes) {
    return new StoredFrame(originalLength, stages, otherBytes);
  }

  StoredFrame withLength(int otherLength) {
    return new StoredFrame(otherLength, stages, bytes);
  }
}
