/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.gc;

import java.io.IOException;

/** The references of the stored blocks. Safe for use by many threads. */
public interface BlockReferences {

  /** Receives references. */
  interface Visitor {

    /** A block refers to {@code count} chunks from number {@code first} on. */
    void reference(long blockId, long container, int first, int count) throws IOException;

    /**
     * A block refers to chunks as bases of others, which it refers to next, where that makes a
     * difference. Not all of them are bases still: what was healed is whole.
     */
    default void base(long blockId, long container, int first, int count) throws IOException {
      reference(blockId, container, first, count);
    }

    /**
     * A block's file has been read, or one with what is known of several; may wait, so that the
     * disk is left to others.
     *
     * @param bytes how many of its bytes were read
     * @throws java.io.InterruptedIOException to end the call that shows the references
     */
    default void fileRead(long bytes) throws IOException {}
  }

  /**
   * Shows every reference of every block that was in place when the call began and still is.
   *
   * @param first whether it is the first call of a collection, which calls this for one part of the
   *     containers after the other: later ones need not check again what is known of block files
   * @throws IOException if a block can't be read; then nothing may be collected
   */
  void forEach(Visitor visitor, boolean first) throws IOException;

  /** Has HDFS replace a block, if it still refers to a chunk that can't be read. */
  default void damaged(long blockId, IOException why) {}
}
