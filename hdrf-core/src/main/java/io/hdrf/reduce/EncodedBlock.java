/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.reduce;

import io.hdrf.scheme.ChainCodec;
import java.io.Closeable;
import java.io.IOException;

/**
 * A block's frames as another DataNode encoded them, unproved: whoever stores them verifies them
 * first. For one thread at a time.
 */
public interface EncodedBlock extends Closeable {

  /** The ids of the schemes that encoded the frames, in order. */
  int[] chainIds();

  /** The block's length in bytes. */
  long length();

  /** Writes all frames in order. */
  void replay(ChainCodec.FrameWriter out) throws IOException;
}
