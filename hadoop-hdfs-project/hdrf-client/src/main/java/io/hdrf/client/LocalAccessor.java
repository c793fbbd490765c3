/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.client;

import io.hdrf.read.FrameReader;
import io.hdrf.read.FrameReads;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import org.apache.hadoop.hdfs.ReplicaAccessor;

/**
 * Reads a block that is reduced on this host. What can't be decoded ends in an exception that says
 * nothing of any replica: the HDFS client can't know which one it was, and would report the one
 * that it had chosen. It opens the block again then, with another reader. For one thread at a time.
 */
final class LocalAccessor extends ReplicaAccessor {

  private final ReadRequest request;
  private final LocalReplica replica;
  private final FrameReader reader;
  private final LocalBlocks owner;
  private boolean closed;

  /**
   * @param replica released at the end
   * @param owner is told of reads, and of a replica that can't be decoded here
   */
  LocalAccessor(ReadRequest request, LocalReplica replica, FrameReads reads, LocalBlocks owner)
      throws IOException {
    this.request = request;
    this.replica = replica;
    this.reader = replica.reader(reads, request.verifyChecksum);
    this.owner = owner;
  }

  @Override
  public synchronized int read(long position, byte[] bytes, int offset, int length)
      throws IOException {
    return read(position, ByteBuffer.wrap(bytes, offset, length));
  }

  @Override
  public synchronized int read(long position, ByteBuffer dst) throws IOException {
    if (closed) {
      throw new ClosedChannelException();
    }
    if (position < 0) {
      throw new IOException("negative position " + position + " in " + request);
    }
    if (!dst.hasRemaining()) {
      return 0;
    }
    if (position >= request.visibleLength) {
      return -1;
    }
    boolean decoded = false;
    owner.begins(request);
    try {
      int count = decode(position, dst);
      decoded = true;
      return count;
    } catch (RuntimeException | LinkageError e) {
      throw new IOException(request + " can't be decoded here", e);
    } finally {
      owner.ended(request);
      if (!decoded) {
        owner.broken(request, replica);
      }
    }
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

  @Override
  public synchronized void close() throws IOException {
    if (closed) {
      return;
    }
    closed = true;
    try {
      reader.close();
    } finally {
      replica.release();
    }
  }

  @Override
  public boolean isLocal() {
    return true;
  }

  @Override
  public boolean isShortCircuit() {
    return true;
  }
}
