/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.client;

import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.ReplicaAccessor;
import org.apache.hadoop.hdfs.ReplicaAccessorBuilder;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.security.token.block.BlockTokenIdentifier;
import org.apache.hadoop.net.unix.DomainSocket;
import org.apache.hadoop.security.token.Token;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads reduced blocks of the DataNode on this host without TCP, where {@code
 * dfs.client.replica.accessor.builder.classes} names this class and short-circuit reads are on. All
 * other blocks, and whatever can't be read so, are left to the HDFS client's own readers, without a
 * word in the log but at the level of DEBUG.
 */
public final class HdrfReplicaAccessorBuilder extends ReplicaAccessorBuilder {

  private static final Logger LOG = LoggerFactory.getLogger(HdrfReplicaAccessorBuilder.class);

  private static final String SHORT_CIRCUIT = "dfs.client.read.shortcircuit";
  private static final String SKIP_CHECKSUM = "dfs.client.read.shortcircuit.skip.checksum";
  private static final String SOCKET_PATH = "dfs.domain.socket.path";
  private static final String HEDGING_THREADS = "dfs.client.hedged.read.threadpool.size";
  private static final String HEDGE_MILLIS = "dfs.client.hedged.read.threshold.millis";
  private static final long DEFAULT_HEDGE_MILLIS = 500;
  private static final String DATANODE_ADDRESS = "dfs.datanode.address";
  private static final String DEFAULT_DATANODE_ADDRESS = "0.0.0.0:9866";

  private Configuration configuration;
  private String fileName;
  private String poolId;
  private long blockId;
  private long generationStamp;
  private boolean verifyChecksum;
  private boolean allowShortCircuit;
  private long visibleLength;
  private byte[] token;

  @Override
  public ReplicaAccessorBuilder setFileName(String name) {
    fileName = name;
    return this;
  }

  @Override
  public ReplicaAccessorBuilder setBlock(long id, String pool) {
    blockId = id;
    poolId = pool;
    return this;
  }

  @Override
  public ReplicaAccessorBuilder setGenerationStamp(long stamp) {
    generationStamp = stamp;
    return this;
  }

  @Override
  public ReplicaAccessorBuilder setVerifyChecksum(boolean verify) {
    verifyChecksum = verify;
    return this;
  }

  @Override
  public ReplicaAccessorBuilder setClientName(String name) {
    return this;
  }

  @Override
  public ReplicaAccessorBuilder setAllowShortCircuitReads(boolean allow) {
    allowShortCircuit = allow;
    return this;
  }

  @Override
  public ReplicaAccessorBuilder setVisibleLength(long length) {
    visibleLength = length;
    return this;
  }

  @Override
  public ReplicaAccessorBuilder setConfiguration(Configuration conf) {
    configuration = conf;
    return this;
  }

  @Override
  public ReplicaAccessorBuilder setBlockAccessToken(byte[] bytes) {
    token = bytes.clone();
    return this;
  }

  /**
   * @return null where the client's own readers are to read the block
   */
  @Override
  public ReplicaAccessor build() {
    if (!allowShortCircuit || !configuration.getBoolean(SHORT_CIRCUIT, false)) {
      return null;
    }
    String socketPath = configuration.getTrimmed(SOCKET_PATH, "");
    if (socketPath.isEmpty() || DomainSocket.getLoadingFailureReason() != null) {
      return null;
    }
    try {
      return LocalBlocks.shared().open(request(socketPath));
    } catch (IOException | RuntimeException | LinkageError e) {
      LOG.debug("Block {} of {} is read without HDRF", blockId, fileName, e);
      return null;
    }
  }

  private ReadRequest request(String socketPath) throws IOException {
    Token<BlockTokenIdentifier> blockToken = new Token<>();
    blockToken.readFields(new DataInputStream(new ByteArrayInputStream(token)));
    return new ReadRequest(
        configuration,
        DomainSocket.getEffectivePath(socketPath, dataNodePort()),
        fileName,
        new ExtendedBlock(poolId, blockId, 0, generationStamp),
        blockToken,
        verifyChecksum && !configuration.getBoolean(SKIP_CHECKSUM, false),
        visibleLength,
        patienceNanos());
  }

  /**
   * Half of the time after which the client hedges: the first reader came here a little later than
   * the client counts from.
   */
  private long patienceNanos() {
    return configuration.getInt(HEDGING_THREADS, 0) > 0
        ? TimeUnit.MILLISECONDS.toNanos(configuration.getLong(HEDGE_MILLIS, DEFAULT_HEDGE_MILLIS))
            / 2
        : Long.MAX_VALUE;
  }

  /** For paths with {@code _PORT}: the client does not tell which DataNode it would have chosen. */
  private int dataNodePort() {
    String address = configuration.getTrimmed(DATANODE_ADDRESS, DEFAULT_DATANODE_ADDRESS);
    return Integer.parseInt(address.substring(address.lastIndexOf(':') + 1));
  }
}
