/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.cluster;

/** The hosts on which the processes of a {@link LocalCluster} run. */
public interface Hosts {

  /** All of them on this machine's loopback. */
  Hosts LOOPBACK =
      new Hosts() {
        @Override
        public Host nameNode() {
          return Host.LOOPBACK;
        }

        @Override
        public Host dataNode(int index) {
          return Host.LOOPBACK;
        }
      };

  /** Returns the NameNode's host. */
  Host nameNode();

  /**
   * Returns a DataNode's host.
   *
   * @param index from 0
   */
  Host dataNode(int index);

  /** Returns the host of programs that use the cluster: DataNode 0's. */
  default Host client() {
    return dataNode(0);
  }
}
