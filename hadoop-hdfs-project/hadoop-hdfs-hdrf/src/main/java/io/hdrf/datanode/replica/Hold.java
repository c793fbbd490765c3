/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode.replica;

/** Keeps a block's file as it is, or plain, until it is closed. */
public interface Hold extends AutoCloseable {
  @Override
  void close();
}
