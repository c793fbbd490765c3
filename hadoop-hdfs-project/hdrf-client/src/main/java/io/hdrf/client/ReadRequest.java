/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.client;

import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.ClientContext;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.security.token.block.BlockTokenIdentifier;
import org.apache.hadoop.security.token.Token;

/** What an HDFS client says of a block that it is about to read. Immutable. */
final class ReadRequest {

  final Configuration configuration;
  final String socketPath;
  final String fileName;
  final ExtendedBlock block;
  final Token<BlockTokenIdentifier> token;
  final boolean verifyChecksum;

  /** The end of what may be read, in bytes from the block's begin. */
  final long visibleLength;

  ReadRequest(
      Configuration configuration,
      String socketPath,
      String fileName,
      ExtendedBlock block,
      Token<BlockTokenIdentifier> token,
      boolean verifyChecksum,
      long visibleLength) {
    this.configuration = configuration;
    this.socketPath = socketPath;
    this.fileName = fileName;
    this.block = block;
    this.token = token;
    this.verifyChecksum = verifyChecksum;
    this.visibleLength = visibleLength;
  }

  /**
   * Has the client's own reader ask for no descriptors at this socket, for {@code
   * dfs.domain.socket.disable.interval.seconds}: what it does by itself when it is declined one,
   * but with two warnings.
   */
  void pauseShortCircuit() {
    ClientContext.getFromConf(configuration)
        .getDomainSocketFactory()
        .disableShortCircuitForPath(socketPath);
  }

  @Override
  public String toString() {
    return block + " of " + fileName;
  }
}
