/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode.mirror;

import java.net.InetSocketAddress;

/** How peers are named in metrics. */
final class Peers {

  private Peers() {}

  /** The host's address without the port, which differs from connection to connection. */
  static String name(InetSocketAddress address) {
    return address.getAddress() == null
        ? address.getHostString()
        : address.getAddress().getHostAddress();
  }

  /** As the other, of {@code /address:port}. */
  static String name(String address) {
    String stripped = address.startsWith("/") ? address.substring(1) : address;
    int colon = stripped.lastIndexOf(':');
    return colon < 0 ? stripped : stripped.substring(0, colon);
  }
}
