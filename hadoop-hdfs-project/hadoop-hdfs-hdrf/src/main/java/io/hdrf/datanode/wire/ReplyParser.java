/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode.wire;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import org.apache.hadoop.hdfs.protocol.proto.DataTransferProtos.BlockOpResponseProto;
import org.apache.hadoop.hdfs.protocol.proto.DataTransferProtos.Status;

/** Finds the end of the answer that precedes a copied block's packets. For one thread. */
final class ReplyParser {

  private static final int MAX_VARINT = 5;

  private final ByteArrayOutputStream message = new ByteArrayOutputStream();
  private int lengthBytes;
  private int length;
  private boolean lengthKnown;
  private boolean complete;

  /** Takes bytes and returns how many belong to the answer. */
  int take(byte[] source, int offset, int available) throws IOException {
    int taken = 0;
    while (taken < available && !complete) {
      if (!lengthKnown) {
        takeLength(source[offset + taken]);
        taken++;
      } else {
        int part = Math.min(available - taken, length - message.size());
        message.write(source, offset + taken, part);
        taken += part;
      }
      complete = lengthKnown && message.size() == length;
    }
    return taken;
  }

  private void takeLength(byte next) throws IOException {
    if (lengthBytes == MAX_VARINT) {
      throw new IOException("the length of an answer is no number");
    }
    length |= (next & 0x7F) << (7 * lengthBytes++);
    lengthKnown = next >= 0;
  }

  boolean isComplete() {
    return complete;
  }

  /** Whether the block follows. */
  boolean isSuccess() throws IOException {
    return BlockOpResponseProto.parseFrom(message.toByteArray()).getStatus() == Status.SUCCESS;
  }
}
