/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode.mirror;

import io.hdrf.datanode.mirror.query.ChunkQueryConnection;
import io.hdrf.wire.Capabilities;
import java.net.InetSocketAddress;

/** The DataNode at the other end of a connection. Immutable. */
final class PeerLink {

  private final InetSocketAddress address;
  private final Capabilities capabilities;
  private final ChunkQueryConnection.Source asking;

  /**
   * @param address null on the side that was connected to, unless a block is copied to there
   */
  PeerLink(InetSocketAddress address, Capabilities capabilities) {
    this(address, capabilities, null);
  }

  /**
   * @param asking connects to ask for chunks; null where that can't be done
   */
  PeerLink(
      InetSocketAddress address, Capabilities capabilities, ChunkQueryConnection.Source asking) {
    this.address = address;
    this.capabilities = capabilities;
    this.asking = asking;
  }

  /** Connects to the DataNode to ask it for chunks; null if it can't be asked. */
  ChunkQueryConnection.Source asking() {
    return asking;
  }

  /** Returns whether it can be asked for chunks that were cut and named in this way. */
  boolean canBeAsked(long dialect) {
    return asking != null && capabilities.dialects().contains(dialect);
  }

  /** Returns whether this side has connected to the DataNode, at an address that lasts. */
  boolean isReachable() {
    return asking != null;
  }

  InetSocketAddress address() {
    return address;
  }

  /** Returns its name in metrics: without the port, which differs from connection to connection. */
  String name() {
    return address.getAddress() == null
        ? address.getHostString()
        : address.getAddress().getHostAddress();
  }

  /** Returns whether packets may come there without their checksums. */
  boolean makesChecksums() {
    return capabilities.makesChecksums();
  }

  /** Returns whether frames of this chain can be sent there; true where there are no frames. */
  boolean canDecode(int[] chainIds) {
    return chainIds == null || capabilities.canDecode(chainIds);
  }
}
