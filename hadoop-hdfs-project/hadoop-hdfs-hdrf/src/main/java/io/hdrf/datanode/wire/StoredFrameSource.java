/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode.wire;

import io.hdrf.block.ReducedBlock;

/** A channel over a block that is stored reduced. */
public interface StoredFrameSource {

  /** The block; it stays open as long as the channel. */
  ReducedBlock storedBlock();
}
