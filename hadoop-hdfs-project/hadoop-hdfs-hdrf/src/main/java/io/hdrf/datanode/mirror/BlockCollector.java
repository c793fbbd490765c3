/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode.mirror;

import io.hdrf.block.BlockRef;
import io.hdrf.spi.BadSettingException;
import io.hdrf.wire.Fallback;
import io.hdrf.wire.FrameSpool;
import io.hdrf.wire.SpooledFrames;
import io.hdrf.wire.WireChains;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.apache.hadoop.hdfs.protocol.datatransfer.PacketHeader;
import org.apache.hadoop.io.IOUtils;
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

  private BlockCollector(
      Mirroring mirroring, BlockRef block, Mirroring.Written replica, int frameLength) {
    this.mirroring = mirroring;
    this.block = block;
    this.chainIds = replica.chain().ids();
    // The writer of a block must not choose how much each of its readers holds.
    int maxFrame = Math.max(PacketBatch.MAX_DATA, frameLength);
    this.spool = replica.spool(maxFrame, mirroring.memory());
    mirroring.spooled().drop(block);
  }

  /**
   * Begins to collect, once this thread writes the block's replica: its right to do so, and to name
   * this block, was found out by the DataNode's own code.
   *
   * @return null where the block will not be stored as frames, or this thread does not write it
   */
  static BlockCollector of(Mirroring mirroring, BlockRef block) {
    Mirroring.Written replica = mirroring.written(block);
    if (replica == null || replica.chain().isEmpty() || !WireChains.travels(replica.chain())) {
      return null;
    }
    try {
      int frameLength = mirroring.chains().frameLength(replica.chain());
      return new BlockCollector(mirroring, block, replica, frameLength);
    } catch (BadSettingException | RuntimeException | LinkageError e) {
      LOG.debug("{} can't be stored as frames", block, e);
      return null;
    }
  }

  /** A packet begins. Its last one ends the block. */
  void packet(PacketHeader header) {
    if (spool == null) {
      return;
    }
    if (!spool.packet(header.getOffsetInBlock(), header.getDataLen())) {
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

  /** A frame of the packet came. */
  void frame(int[] frameChainIds, int originalLength, int stages, ByteBuffer stored) {
    if (spool == null) {
      return;
    }
    if (!Arrays.equals(frameChainIds, chainIds)) {
      abandon(Fallback.OTHER_CHAIN);
      return;
    }
    try {
      if (!spool.frame(frameChainIds, originalLength, stages, stored)) {
        abandon(Fallback.NOT_WORTH_KEEPING);
      }
    } catch (IOException e) {
      LOG.warn("The frames of {} can't be kept; it will be reduced from its plain copy", block, e);
      abandon(Fallback.SPOOL_FAILED);
    }
  }

  /** A frame was encoded here for the packet: the encoder's last one, of so many bytes. */
  void frame(FrameEncoder encoder, int stages, int length) {
    if (spool != null) {
      frame(encoder.chainIds(), length, stages, encoder.encoded());
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
    IOUtils.cleanupWithLogger(LOG, spool);
    spool = null;
  }
}
