/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode.wire;

import io.hdrf.wire.Capabilities;
import java.net.InetSocketAddress;

/** The DataNode at the other end of a connection. Immutable. */
final class PeerLink {

  private final InetSocketAddress address;
  private final Capabilities capabilities;

  /**
   * @param address null on the side that was connected to
   */
  PeerLink(InetSocketAddress address, Capabilities capabilities) {
    this.address = address;
    this.capabilities = capabilities;
  }

  InetSocketAddress address() {
    return address;
  }

  /** Whether frames of this chain can be sent there; true where there are no frames. */
  boolean canDecode(int[] chainIds) {
    return chainIds == null || capabilities.canDecode(chainIds);
  }
}
