/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.reduce;

import io.hdrf.block.BlockRef;
import io.hdrf.block.NotSmallerException;
import io.hdrf.block.ReducedBlockWriter;
import io.hdrf.block.TagKey;
import io.hdrf.spi.scheme.FrameSink;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;

/**
 * A block's frames as another DataNode encoded them. They are unproved: the caller verifies them
 * before it stores them. For one thread at a time.
 */
public interface EncodedBlock extends Closeable {

  /** The ids of the schemes that encoded the frames, in order. */
  int[] chainIds();

  /** The generation stamp that the replica had when the frames came. */
  long generationStamp();

  /** The block's length in bytes. */
  long length();

  /** The number of frames. */
  int frameCount();

  /**
   * Turns the file with the frames into the beginning of the block's reduced file.
   *
   * @param path the file's new name; whatever happens afterwards, the file is the caller's
   * @param limit as for {@link ReducedBlockWriter#create}
   * @return a writer that has all frames, or null where they lie in no such file and are to be
   *     replayed
   * @throws NotSmallerException if they are longer than the limit
   */
  default ReducedBlockWriter resume(Path path, BlockRef block, TagKey key, long limit)
      throws IOException {
    return null;
  }

  /** Writes all frames in order, unless they were given away. */
  void replay(FrameSink out) throws IOException;
}
