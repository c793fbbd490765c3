/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.client;

import io.hdrf.read.FrameReader;
import io.hdrf.read.FrameReads;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.function.Consumer;
import org.apache.hadoop.hdfs.ReplicaAccessor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads a block that is reduced on this host: decoded here as long as that succeeds, otherwise as
 * the DataNode sends it, which finds out what is wrong and tells the NameNode. For one thread at a
 * time.
 */
final class LocalAccessor extends ReplicaAccessor {

  private static final Logger LOG = LoggerFactory.getLogger(LocalAccessor.class);

  private final ReadRequest request;
  private final BlockStream stream;
  private final Consumer<LocalReplica> broken;

  /** Null where the DataNode decodes. */
  private LocalReplica replica;

  private FrameReader reader;

  /**
   * @param replica released at the end; null where the DataNode decodes
   * @param stream closed at the end
   * @param broken is told of a replica that can't be decoded here
   */
  LocalAccessor(
      ReadRequest request,
      LocalReplica replica,
      FrameReads reads,
      BlockStream stream,
      Consumer<LocalReplica> broken)
      throws IOException {
    this.request = request;
    this.replica = replica;
    this.reader = replica == null ? null : replica.reader(reads, request.verifyChecksum);
    this.stream = stream;
    this.broken = broken;
  }

  @Override
  public synchronized int read(long position, byte[] bytes, int offset, int length)
      throws IOException {
    return read(position, ByteBuffer.wrap(bytes, offset, length));
  }

  @Override
  public synchronized int read(long position, ByteBuffer dst) throws IOException {
    if (position < 0) {
      throw new IOException("negative position " + position + " in " + request);
    }
    if (!dst.hasRemaining()) {
      return 0;
    }
    if (position >= request.visibleLength) {
      return -1;
    }
    if (replica != null) {
      int begin = dst.position();
      try {
        return decode(position, dst);
      } catch (IOException | RuntimeException | LinkageError | OutOfMemoryError e) {
        LOG.debug("The DataNode is to decode {} from now on", request, e);
        dst.position(begin);
        broken.accept(replica);
        closeReplica();
      }
    }
    return stream.read(position, dst);
  }

  private int decode(long position, ByteBuffer dst) throws IOException {
    long end = Math.min(request.visibleLength, position + dst.remaining());
    long at = position;
    while (at < end) {
      ByteBuffer bytes = reader.at(at);
      if (bytes.remaining() > end - at) {
        bytes.limit(bytes.position() + (int) (end - at));
      }
      at += bytes.remaining();
      dst.put(bytes);
    }
    return (int) (at - position);
  }

  private void closeReplica() throws IOException {
    LocalReplica closing = replica;
    if (closing == null) {
      return;
    }
    replica = null;
    try {
      reader.close();
    } finally {
      reader = null;
      closing.release();
    }
  }

  @Override
  public synchronized void close() throws IOException {
    try {
      closeReplica();
    } finally {
      stream.close();
    }
  }

  @Override
  public boolean isLocal() {
    return true;
  }

  @Override
  public synchronized boolean isShortCircuit() {
    return replica != null;
  }
}
