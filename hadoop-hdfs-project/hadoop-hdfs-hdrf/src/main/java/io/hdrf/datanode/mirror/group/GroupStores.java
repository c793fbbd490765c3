/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode.mirror.group;

import io.hdrf.block.BlockRef;
import io.hdrf.spi.scheme.GroupImport;
import io.hdrf.wire.GroupStream;
import java.io.Closeable;
import java.io.IOException;

/** The stores of a DataNode's schemes, to which groups come and from which they go. Thread-safe. */
public interface GroupStores {

  /**
   * Describes a finalized replica whose groups another DataNode may take once it is reduced.
   *
   * @return null if there is none
   */
  GroupStream.Offer offer(BlockRef block) throws IOException;

  /**
   * Keeps the store of a replica in service while its groups are read.
   *
   * @param offer what {@link #offer} said of it
   * @return null if the replica is not the same any more
   */
  Closeable use(GroupStream.Offer offer) throws IOException;

  /** A plain replica that is not reduced until this is closed. */
  interface Awaited extends Closeable {
    /**
     * Begins to take groups, once it is this block's turn. Until then nothing of the replica's
     * volume is in use.
     *
     * @return null if groups are of no use any more
     */
    Incoming begin() throws IOException;
  }

  /** Groups of a replica's content come. Others wait for their turn until this is closed. */
  interface Incoming extends Closeable {
    /** Takes them into the store of the replica's volume. */
    GroupImport groups();
  }

  /**
   * Waits with the reduction of a replica for groups of another DataNode.
   *
   * @param offer what the other one said
   * @return null if they are of no use
   */
  Awaited await(GroupStream.Offer offer) throws IOException;
}
