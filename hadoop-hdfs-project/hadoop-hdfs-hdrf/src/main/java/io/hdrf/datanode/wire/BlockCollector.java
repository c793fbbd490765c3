/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode.wire;

import io.hdrf.reduce.BlockRef;
import io.hdrf.wire.Fallback;
import io.hdrf.wire.FrameSpool;
import io.hdrf.wire.SpooledFrames;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.apache.hadoop.hdfs.protocol.datatransfer.PacketHeader;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Collects the frames of the block that this DataNode receives. Whatever goes wrong only means that
 * the block is reduced from its plain copy. For one thread.
 */
final class BlockCollector implements Closeable {

  private static final Logger LOG = LoggerFactory.getLogger(BlockCollector.class);

  private final Mirroring mirroring;
  private final BlockRef block;
  private final int[] chainIds;
  private FrameSpool spool;

  private BlockCollector(Mirroring mirroring, BlockRef block, int[] chainIds) {
    this.mirroring = mirroring;
    this.block = block;
    this.chainIds = chainIds;
    this.spool = new FrameSpool(() -> mirroring.spoolFile(block));
    mirroring.spooled().drop(block);
  }

  /**
   * Begins to collect, once the block's replica exists.
   *
   * @return null where the block will not be stored as frames
   */
  static BlockCollector of(Mirroring mirroring, BlockRef block) {
    int[] chainIds = mirroring.storedAsFramesOf(block);
    return chainIds.length == 0 ? null : new BlockCollector(mirroring, block, chainIds);
  }

  /**
   * A packet begins. Its last one ends the block.
   *
   * @param summed whether {@link #checksums} of its data follow
   */
  void packet(PacketHeader header, boolean summed) {
    if (spool == null) {
      return;
    }
    if (!spool.packet(header.getOffsetInBlock(), header.getDataLen(), summed)) {
      abandon(Fallback.BROKEN_SEQUENCE);
    } else if (header.isLastPacketInBlock()) {
      finish(header.getDataLen());
    }
  }

  private void finish(int dataLength) {
    try {
      SpooledFrames frames = dataLength == 0 ? spool.finish() : null;
      if (frames != null) {
        mirroring.spooled().put(block, frames);
        close();
      } else {
        abandon(Fallback.NOT_WORTH_KEEPING);
      }
    } catch (IOException e) {
      LOG.warn("The frames of {} can't be kept; it will be reduced from its plain copy", block, e);
      abandon(Fallback.SPOOL_FAILED);
    }
  }

  /**
   * A frame of the packet came.
   *
   * @param decoded what it decoded to; null if it was not decoded
   */
  void frame(
      int[] frameChainIds, int originalLength, int stages, ByteBuffer stored, ByteBuffer decoded) {
    if (spool == null) {
      return;
    }
    if (!Arrays.equals(frameChainIds, chainIds)) {
      abandon(Fallback.OTHER_CHAIN);
      return;
    }
    try {
      if (!spool.frame(frameChainIds, originalLength, stages, stored, decoded)) {
        abandon(Fallback.NOT_WORTH_KEEPING);
      }
    } catch (IOException e) {
      LOG.warn("The frames of {} can't be kept; it will be reduced from its plain copy", block, e);
      abandon(Fallback.SPOOL_FAILED);
    }
  }

  /** The packet's checksums were made of what its frames decoded to. */
  void checksums(ByteBuffer checksums) {
    if (spool != null) {
      spool.checksums(checksums);
    }
  }

  /** A frame was encoded here for the packet: the encoder's last one, of so many bytes. */
  void frame(FrameEncoder encoder, int stages, int length) {
    if (spool != null) {
      frame(encoder.chainIds(), length, stages, encoder.encoded(), encoder.decoded(stages, length));
    }
  }

  /** Data of the packet came without a frame. */
  void references() {
    if (spool != null) {
      abandon(Fallback.OTHER_CHAIN);
    }
  }

  private void abandon(Fallback reason) {
    mirroring.counters().fallback(reason);
    close();
  }

  @Override
  public void close() {
    if (spool != null) {
      try {
        spool.close();
      } catch (IOException e) {
        LOG.debug("Closing the spool of {} failed", block, e);
      }
      spool = null;
    }
  }
}
