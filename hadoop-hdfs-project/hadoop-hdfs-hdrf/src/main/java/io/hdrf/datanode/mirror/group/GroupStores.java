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
   * @param challenge for the other DataNode
   * @return null if there is none
   */
  GroupStream.Offer offer(BlockRef block, byte[] challenge) throws IOException;

  /**
   * Keeps the store of a replica in service while its groups are read.
   *
   * @param offer what {@link #offer} said of it
   * @return null if the replica is not the same any more
   */
  Closeable use(GroupStream.Offer offer) throws IOException;

  /** A plain replica that is not reduced until this is closed. */
  interface Awaited extends Closeable {
    /** Waits until groups may come, and lets others wait until it is closed. */
    Closeable turn();

    /** Takes the groups of its content into the store of its volume. */
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
