/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.spi.scheme;

import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * The payloads that a block scheme emitted for every block that is still stored on one volume and
 * block pool. Safe for use by many threads.
 */
public interface StoredPayloads {

  /** Is shown payloads, on the thread that called. */
  interface Visitor {

    /**
     * A frame of a block.
     *
     * @param blockId the block's id; all frames of one file come one after the other
     * @param originalLength how many bytes of the block the frame stands for
     * @param payload what the scheme emitted, direct; not kept after the call
     */
    void frame(long blockId, int originalLength, ByteBuffer payload) throws IOException;

    /**
     * A block's file has been read, of any scheme or plain, or what is kept of payloads that were
     * read before, and is closed; may wait, so that the disk is left to others.
     *
     * @param bytes how many of its bytes were read
     * @throws java.io.InterruptedIOException to end the call that shows the payloads
     */
    default void fileRead(long bytes) throws IOException {}
  }

  /**
   * Shows every frame of every block file that was in place when the call began and still is when
   * its turn comes, those included that HDFS keeps for a rollback of an upgrade or as trash. Files
   * that are put in place meanwhile may be shown or not.
   *
   * @throws UnreadableBlocksException after all others were shown, if files can't be read or are
   *     damaged, or if the visitor said so of their frames by a {@link CorruptFrameException}; then
   *     nothing may be concluded from what was not shown
   * @throws IOException at once, if a directory can't be read or the visitor failed otherwise; the
   *     same holds then
   */
  void forEach(Visitor visitor) throws IOException;

  /**
   * As {@link #forEach}, but payloads that an earlier call has read are not read again from files
   * that have not changed since, except from some of them in turns. So damage of a file may stay
   * unseen, and its payloads are shown all the same.
   */
  default void forEachKnown(Visitor visitor) throws IOException {
    forEach(visitor);
  }

  /**
   * As {@link #forEachKnown(Visitor)}, for who calls it several times one after the other.
   *
   * @param checks whether payloads are read again from some of the files that have not changed;
   *     false where a call just before did so
   */
  default void forEachKnown(Visitor visitor, boolean checks) throws IOException {
    forEachKnown(visitor);
  }

  /** Tells whether a frame refers to damaged parts of the scheme's store. */
  interface DamageCheck {

    /**
     * Returns whether it does now.
     *
     * @param payload as for {@link Visitor#frame}
     * @throws IOException if that can't be told now
     */
    boolean isDamaged(ByteBuffer payload) throws IOException;
  }

  /**
   * Has HDFS replace a block that needs damaged parts of the scheme's store. What was known of it
   * may be of another file: the present one's frames are read and checked first, until one is
   * damaged. Does nothing for a block that is kept for a rollback, nor where it can't be told
   * whether it is damaged. Does not wait for HDFS.
   */
  default void damaged(long blockId, DamageCheck check, IOException why) {}
}
