/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode.mirror;

import io.hdrf.block.ReducedBlock;
import java.io.IOException;
import java.nio.ByteBuffer;

/** A channel over a block that is stored reduced. */
public interface StoredFrameSource {

  /** The block; it stays open as long as the channel. */
  ReducedBlock storedBlock();

  /**
   * Reads a frame's stored bytes and checks them; failures are those that the DataNode understands.
   *
   * @param dst has room for them
   */
  void readStored(int frame, ByteBuffer dst) throws IOException;
}
