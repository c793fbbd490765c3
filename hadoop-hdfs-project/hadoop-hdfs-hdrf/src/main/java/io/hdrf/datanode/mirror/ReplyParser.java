/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode.mirror;

import io.hdrf.wire.CorruptWireException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import org.apache.hadoop.hdfs.protocol.proto.DataTransferProtos.BlockOpResponseProto;
import org.apache.hadoop.hdfs.protocol.proto.DataTransferProtos.Status;

/** Finds the end of the answer that precedes a copied block's packets. For one thread. */
final class ReplyParser {

  private static final int MAX_VARINT = 5;

  /** Answers are a few dozen bytes long, or have the text of an error. */
  private static final int MAX_MESSAGE = 256 << 10;

  private final ByteArrayOutputStream message = new ByteArrayOutputStream();
  private int lengthBytes;
  private long length;
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
        int part = (int) Math.min(available - taken, length - message.size());
        message.write(source, offset + taken, part);
        taken += part;
      }
      complete = lengthKnown && message.size() == length;
    }
    return taken;
  }

  private void takeLength(byte next) throws IOException {
    if (lengthBytes == MAX_VARINT) {
      throw new CorruptWireException("the length of an answer is no number");
    }
    length |= (next & 0x7FL) << (7 * lengthBytes++);
    lengthKnown = next >= 0;
    if (length > MAX_MESSAGE) {
      throw new CorruptWireException("an answer of " + length + " bytes");
    }
  }

  boolean isComplete() {
    return complete;
  }

  /** Whether the block follows. */
  boolean isSuccess() throws IOException {
    return BlockOpResponseProto.parseFrom(message.toByteArray()).getStatus() == Status.SUCCESS;
  }
}
