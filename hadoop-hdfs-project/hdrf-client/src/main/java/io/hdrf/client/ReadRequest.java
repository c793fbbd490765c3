/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.client;

import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.ClientContext;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.security.token.block.BlockTokenIdentifier;
import org.apache.hadoop.hdfs.shortcircuit.DomainSocketFactory;
import org.apache.hadoop.security.token.Token;

/** What an HDFS client says of a block that it is about to read, once for each. Immutable. */
final class ReadRequest {

  /** When the intervals of {@link #pauseShortCircuit} end, by socket. */
  private static final Map<DomainSocketFactory, Map<String, Long>> PAUSED =
      Collections.synchronizedMap(new WeakHashMap<>());

  final Configuration configuration;
  final String socketPath;
  final String fileName;
  final ExtendedBlock block;
  final Token<BlockTokenIdentifier> token;
  final boolean verifyChecksum;

  /** The end of what may be read, in bytes from the block's begin. */
  final long visibleLength;

  /**
   * How long opening or a read may take until others do without the replica: the HDFS client has
   * sent, or soon sends, the same read to another DataNode. {@link Long#MAX_VALUE} if it never does
   * so.
   */
  final long patienceNanos;

  ReadRequest(
      Configuration configuration,
      String socketPath,
      String fileName,
      ExtendedBlock block,
      Token<BlockTokenIdentifier> token,
      boolean verifyChecksum,
      long visibleLength,
      long patienceNanos) {
    this.configuration = configuration;
    this.socketPath = socketPath;
    this.fileName = fileName;
    this.block = block;
    this.token = token;
    this.verifyChecksum = verifyChecksum;
    this.visibleLength = visibleLength;
    this.patienceNanos = patienceNanos;
  }

  /** The block pool as one DataNode has it. */
  String pool() {
    return socketPath + '\n' + block.getBlockPoolId();
  }

  /** The replica. */
  String replica() {
    return pool() + '\n' + block.getBlockId() + '\n' + block.getGenerationStamp();
  }

  /** Whether the client sends reads that take long to another DataNode, too. */
  boolean isHedged() {
    return patienceNanos < Long.MAX_VALUE;
  }

  /**
   * Has the client's own reader ask for no descriptors at this socket, for {@code
   * dfs.domain.socket.disable.interval.seconds}: what it does by itself when it is declined one,
   * but with two warnings. An interval that runs is not prolonged, which it does not do either:
   * plain blocks are to be read by descriptors again when it ends.
   */
  void pauseShortCircuit() {
    DomainSocketFactory factory = ClientContext.getFromConf(configuration).getDomainSocketFactory();
    long now = System.nanoTime();
    PAUSED.compute(
        factory,
        (key, paths) -> {
          Map<String, Long> until = paths == null ? new HashMap<>() : paths;
          Long end = until.get(socketPath);
          if (end == null || now - end >= 0) {
            until.put(socketPath, now + TimeUnit.SECONDS.toNanos(factory.getPathExpireSeconds()));
            factory.disableShortCircuitForPath(socketPath);
          }
          return until;
        });
  }

  @Override
  public String toString() {
    return block + " of " + fileName;
  }
}
