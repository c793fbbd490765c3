/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode.mirror;

import io.hdrf.wire.CorruptWireException;
import java.io.IOException;
import java.util.Arrays;
import org.apache.hadoop.hdfs.protocol.datatransfer.Op;
import org.apache.hadoop.hdfs.protocol.proto.DataTransferProtos.BlockOpResponseProto;
import org.apache.hadoop.hdfs.protocol.proto.DataTransferProtos.Status;

/**
 * The beginning of what goes one way on a connection: the request for an operation, which is its
 * version (two bytes), its code, the length of the message (varint), and the message; or the answer
 * that precedes a copied block's packets, which is length and message. Finds its end in a stream of
 * bytes. For one thread.
 */
final class StreamOpening {

  private static final int CODE_AT = 2;
  private static final int MAX_VARINT = 5;

  /**
   * Requests are a few hundred bytes long, and grow by as many with each DataNode of a pipeline;
   * answers have a few dozen bytes, or the text of an error.
   */
  private static final int MAX_MESSAGE = 256 << 10;

  private final String name;
  private final int lengthAt;
  private byte[] bytes = new byte[512];
  private int count;
  private int messageAt = -1;
  private int end = -1;

  private StreamOpening(String name, int lengthAt) {
    this.name = name;
    this.lengthAt = lengthAt;
  }

  static StreamOpening request() {
    return new StreamOpening("a request for an operation", CODE_AT + 1);
  }

  static StreamOpening reply() {
    return new StreamOpening("an answer", 0);
  }

  boolean isReply() {
    return lengthAt == 0;
  }

  /**
   * Takes bytes.
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
    if (count <= lengthAt || bytes[count - 1] < 0) {
      if (count >= lengthAt + MAX_VARINT) {
        throw new CorruptWireException("the length of " + name + " is no number");
      }
      return;
    }
    long length = 0;
    for (int i = lengthAt; i < count; i++) {
      length |= (long) (bytes[i] & 0x7F) << (7 * (i - lengthAt));
    }
    if (length > MAX_MESSAGE) {
      throw new CorruptWireException(name + " of " + length + " bytes");
    }
    messageAt = count;
    end = count + (int) length;
  }

  boolean isComplete() {
    return end >= 0 && count == end;
  }

  /** Returns the operation of a request, or null for a code that this Hadoop does not know. */
  Op operation() {
    for (Op op : Op.values()) {
      if (op.code == bytes[CODE_AT]) {
        return op;
      }
    }
    return null;
  }

  /** Parses a message. */
  interface Parser<T> {
    T parse(byte[] message) throws IOException;
  }

  /**
   * Parses the message. What protobuf throws is in a package of its own from Hadoop 3.3 on, so it
   * is never caught by its name.
   *
   * @throws CorruptWireException if the message can't be parsed
   */
  <T> T parse(Parser<T> parser) throws CorruptWireException {
    try {
      return parser.parse(Arrays.copyOfRange(bytes, messageAt, end));
    } catch (IOException e) {
      throw new CorruptWireException("the peer sent " + name + " that can't be parsed", e);
    }
  }

  /** Returns whether the block follows this reply. */
  boolean isSuccess() throws IOException {
    return parse(BlockOpResponseProto::parseFrom).getStatus() == Status.SUCCESS;
  }
}
