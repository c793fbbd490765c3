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

  private final Op operation;
  private final BlockRef block;
  private final boolean pipeline;

  private BlockTransfer(Op operation, BlockRef block, boolean pipeline) {
    this.operation = operation;
    this.block = block;
    this.pipeline = pipeline;
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
          operation,
          block(write.getHeader().getBaseHeader().getBlock()),
          fromClient && !isTransfer);
    }
    if (operation == Op.COPY_BLOCK) {
      OpCopyBlockProto copy = request.parse(OpCopyBlockProto::parseFrom);
      return new BlockTransfer(operation, block(copy.getHeader().getBlock()), false);
    }
    return null;
  }

  private static BlockRef block(ExtendedBlockProto block) {
    return new BlockRef(block.getPoolId(), block.getBlockId());
  }

  Op operation() {
    return operation;
  }

  BlockRef block() {
    return block;
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
