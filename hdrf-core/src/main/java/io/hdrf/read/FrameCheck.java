/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.read;

import java.io.IOException;
import java.nio.ByteBuffer;

/** Examines decoded frames before any reader gets them. Called by many threads. */
public interface FrameCheck {

  /** Takes everything. */
  FrameCheck NONE = (position, decoded) -> {};

  /**
   * Examines a run of frames.
   *
   * @param position of the first byte in the block
   * @param decoded direct; may be consumed, not changed
   * @throws IOException if the bytes are not those of the block
   */
  void check(long position, ByteBuffer decoded) throws IOException;
}
