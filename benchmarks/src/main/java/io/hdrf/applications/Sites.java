/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.applications;

import io.hdrf.cluster.Host;
import io.hdrf.cluster.Hosts;
import io.hdrf.cluster.NetworkHosts;
import java.io.Closeable;
import java.io.IOException;

/**
 * Where clusters run side by side: on loopback, or each DataNode on a host of its own, with a link
 * of a limited rate, and all NameNodes on another one. For one thread.
 */
final class Sites implements Closeable {

  private final NetworkHosts network;
  private final long bitsPerSecond;

  private Sites(NetworkHosts network, long bitsPerSecond) {
    this.network = network;
    this.bitsPerSecond = bitsPerSecond;
  }

  static Sites loopback() {
    return new Sites(null, 0);
  }

  /**
   * @param dataNodes of all clusters
   */
  static Sites behindLinks(int dataNodes, long bitsPerSecond) throws IOException {
    return new Sites(NetworkHosts.create(dataNodes), bitsPerSecond);
  }

  /**
   * Hosts of a cluster.
   *
   * @param first number of its first DataNode's host, from 0
   */
  Hosts from(int first) {
    if (network == null) {
      return Hosts.LOOPBACK;
    }
    return new Hosts() {
      @Override
      public Host nameNode() {
        return network.nameNode();
      }

      @Override
      public Host dataNode(int index) {
        return network.dataNode(first + index);
      }
    };
  }

  /** Limits the links' rate from now on. */
  void limit() throws IOException {
    if (network != null) {
      network.limitRate(bitsPerSecond);
    }
  }

  /** Ends that, for what is not measured. */
  void unlimit() throws IOException {
    if (network != null) {
      network.unlimitRate();
    }
  }

  @Override
  public void close() throws IOException {
    if (network != null) {
      network.close();
    }
  }
}
