/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.cluster;

/** Which host each process of a {@link LocalCluster} runs on. */
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

  /** The NameNode's. */
  Host nameNode();

  /**
   * A DataNode's.
   *
   * @param index from 0
   */
  Host dataNode(int index);

  /** Where programs run that use the cluster: DataNode 0's host. */
  default Host client() {
    return dataNode(0);
  }
}
