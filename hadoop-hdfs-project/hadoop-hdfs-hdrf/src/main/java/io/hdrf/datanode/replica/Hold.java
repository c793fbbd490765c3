/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode.replica;

/** A lock, or what keeps a block plain, until it is closed. */
public interface Hold extends AutoCloseable {
  @Override
  void close();
}
