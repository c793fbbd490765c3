/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.reduce;

import io.hdrf.block.BlockRef;
import io.hdrf.block.TagKey;
import io.hdrf.scheme.ChainCodec;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;

/**
 * A finalized block to be reduced. It keeps the volume in service until it is closed, but has no
 * lock: the block may change at any time, which {@link #swap} detects. For one thread.
 */
public interface PlainBlock extends Closeable {

  BlockRef identity();

  long generationStamp();

  /** The block's length in bytes. */
  long length();

  Path dataFile();

  /** The block's {@code .meta} file, under its present generation stamp. */
  Path metaFile();

  /** A name on the same volume for the reduced file; nothing exists there. */
  Path temporaryFile();

  /** The key for the tags of the block's volume. */
  TagKey tagKey();

  /** The chain that new blocks of this volume are stored with, opened there. */
  ChainCodec codec();

  /** The block's frames as they were received; null if there are none. Closed with this. */
  default EncodedBlock encoded() {
    return null;
  }

  /**
   * Throws if the block is not to be reduced, or not any more: the volume leaves, the DataNode
   * stops, or the block has changed, is held plain, or has another name. Called before the block is
   * encoded and every few megabytes; must be cheap.
   *
   * @throws BlockSkippedException with the reason
   */
  void checkWanted() throws BlockSkippedException;

  /**
   * Makes it durable that the chain's schemes are in use on this volume, before anything is encoded
   * with them.
   */
  void recordSchemes() throws IOException;

  /**
   * Replaces the plain file by the reduced one, which is verified and durable, if the block is
   * still the one that was opened. On any exception the plain block is untouched.
   *
   * @param reduced the reduced file; consumed on success
   * @param physicalLength the bytes that it takes
   * @throws BlockSkippedException if the block changed, is held plain, or has another link
   */
  void swap(Path reduced, long physicalLength) throws IOException;

  /** Reports that the plain block does not match its checksums. */
  void reportMismatch();

  /** Returns whether the block is still the one that was opened: a mismatch then is no race. */
  boolean isUnchanged();

  @Override
  void close();
}
