/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode.mirror;

import io.hdrf.wire.CorruptWireException;
import java.io.IOException;
import java.util.Arrays;
import org.apache.hadoop.hdfs.protocol.datatransfer.Op;

/**
 * Finds the end of a data-transfer operation's request in a stream of bytes: version (two bytes),
 * operation code, length of the message (varint), message. For one thread.
 */
final class OperationParser {

  private static final int CODE_AT = 2;
  private static final int LENGTH_AT = 3;
  private static final int MAX_VARINT = 5;

  /**
   * Requests are a few hundred bytes long, and grow by as many with each DataNode of a pipeline.
   */
  private static final int MAX_MESSAGE = 256 << 10;

  private byte[] bytes = new byte[512];
  private int count;
  private int messageAt = -1;
  private int end = -1;

  /**
   * Takes bytes of the request.
   *
   * @return how many of them belong to it; fewer than {@code length} if it is complete with them
   */
  int take(byte[] source, int offset, int length) throws IOException {
    int taken = 0;
    while (taken < length && !isComplete()) {
      int part = end < 0 ? 1 : Math.min(length - taken, end - count);
      if (count + part > bytes.length) {
        bytes = Arrays.copyOf(bytes, Math.max(2 * bytes.length, count + part));
      }
      System.arraycopy(source, offset + taken, bytes, count, part);
      count += part;
      taken += part;
      if (end < 0) {
        findEnd();
      }
    }
    return taken;
  }

  private void findEnd() throws IOException {
    if (count <= LENGTH_AT || bytes[count - 1] < 0) {
      if (count > LENGTH_AT + MAX_VARINT) {
        throw new CorruptWireException("the length of a request for an operation is no number");
      }
      return;
    }
    long length = 0;
    for (int i = LENGTH_AT; i < count; i++) {
      length |= (long) (bytes[i] & 0x7F) << (7 * (i - LENGTH_AT));
    }
    if (length > MAX_MESSAGE) {
      throw new CorruptWireException("a request for an operation of " + length + " bytes");
    }
    messageAt = count;
    end = count + (int) length;
  }

  boolean isComplete() {
    return end >= 0 && count == end;
  }

  /** What is asked for, or null for a code that this Hadoop does not know. */
  Op operation() {
    for (Op op : Op.values()) {
      if (op.code == bytes[CODE_AT]) {
        return op;
      }
    }
    return null;
  }

  /** The request's message. */
  byte[] message() {
    return Arrays.copyOfRange(bytes, messageAt, end);
  }
}
