/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode.mirror;

import io.hdrf.block.BlockRef;
import java.io.IOException;
import org.apache.hadoop.hdfs.protocol.datatransfer.Op;
import org.apache.hadoop.hdfs.protocol.proto.DataTransferProtos.OpCopyBlockProto;
import org.apache.hadoop.hdfs.protocol.proto.DataTransferProtos.OpWriteBlockProto;
import org.apache.hadoop.hdfs.protocol.proto.DataTransferProtos.OpWriteBlockProto.BlockConstructionStage;
import org.apache.hadoop.hdfs.protocol.proto.HdfsProtos.ExtendedBlockProto;

/** The block that an operation between DataNodes moves, and the way it does. Immutable. */
final class BlockTransfer {

  private static final long UNKNOWN_LENGTH = Long.MAX_VALUE;

  private final Op operation;
  private final BlockRef block;
  private final boolean pipeline;
  private final long length;

  private BlockTransfer(Op operation, ExtendedBlockProto block, boolean pipeline) {
    this.operation = operation;
    this.block = new BlockRef(block.getPoolId(), block.getBlockId());
    this.pipeline = pipeline;
    this.length = pipeline ? UNKNOWN_LENGTH : block.getNumBytes();
  }

  /** Reads a complete request; null where it moves no packets between DataNodes. */
  static BlockTransfer of(StreamOpening request) throws IOException {
    Op operation = request.operation();
    if (operation == Op.WRITE_BLOCK) {
      OpWriteBlockProto write = request.parse(OpWriteBlockProto::parseFrom);
      boolean isTransfer =
          write.getStage() == BlockConstructionStage.TRANSFER_RBW
              || write.getStage() == BlockConstructionStage.TRANSFER_FINALIZED;
      boolean fromClient = !write.getHeader().getClientName().isEmpty();
      return new BlockTransfer(
          operation, write.getHeader().getBaseHeader().getBlock(), fromClient && !isTransfer);
    }
    if (operation == Op.COPY_BLOCK) {
      OpCopyBlockProto copy = request.parse(OpCopyBlockProto::parseFrom);
      return new BlockTransfer(operation, copy.getHeader().getBlock(), false);
    }
    return null;
  }

  Op operation() {
    return operation;
  }

  BlockRef block() {
    return block;
  }

  /** Returns the block's length in bytes; the longest where it is still being written. */
  long length() {
    return length;
  }

  /**
   * Returns whether a client writes the block through a pipeline, of which the sender is a part.
   */
  boolean isPipeline() {
    return pipeline;
  }

  /** Returns whether packets come back from the side that was asked. */
  boolean isCopy() {
    return operation == Op.COPY_BLOCK;
  }
}
