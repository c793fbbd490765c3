/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.read;

import io.hdrf.block.FrameTable;
import io.hdrf.block.ReducedBlock;
import io.hdrf.scheme.ChainCodec;
import io.hdrf.spi.io.BufferPool;
import io.hdrf.spi.scheme.Prefetch;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells a scheme with a store which frames a sequential read will get to, one stretch of the block
 * after the other. A stretch is no longer than what was read in sequence before: of a read that
 * ends soon, no more was told ahead than one and a half times what it got. For one thread.
 */
final class StoreAhead {

  private static final Logger LOG = LoggerFactory.getLogger(StoreAhead.class);

  /** Shorter reads may be at random. In bytes of the block. */
  static final int MIN_STRETCH = 1 << 20;

  /** The longer, the fewer movements of the disk, and the more that waits in the page cache. */
  static final int MAX_STRETCH = 16 << 20;

  /** A longer payload has the frame itself, or most of it. */
  private static final int MAX_STORED = 64 << 10;

  private final ReducedBlock block;
  private final FrameTable frames;
  private final ChainCodec codec;
  private final BufferPool buffers;

  /** Null until it is needed, so that short reads take no memory for it. */
  private Prefetch prefetch;

  /** False where the scheme has no use for it, or failed. */
  private boolean useful = true;

  /** Where the read began. */
  private long begin;

  /** Behind the last frame that was told. */
  private int end;

  StoreAhead(ReducedBlock block, ChainCodec codec, BufferPool buffers) {
    this.block = block;
    this.frames = block.frames();
    this.codec = codec;
    this.buffers = buffers;
  }

  /** A read begins with that frame, or goes on with it elsewhere. */
  void begin(int frame) {
    begin = frames.originalPosition(frame);
    end = frame;
  }

  /** The read goes on with the next frame, as it lies in the block. */
  void reached(int frame) {
    long position = frames.originalPosition(frame);
    long stretch = Math.min(MAX_STRETCH, position - begin);
    int first = Math.max(end, frame);
    if (!useful
        || first == frames.frameCount()
        || stretch < MIN_STRETCH
        || frames.originalPosition(first) - position > stretch / 2) {
      return;
    }
    try {
      prefetch = prefetch == null ? codec.newPrefetch() : prefetch;
      useful = prefetch != null;
      if (useful) {
        tell(first, frames.originalPosition(first) + stretch);
      }
    } catch (IOException | RuntimeException | Error e) {
      // Its reader will hear of it when it gets there.
      LOG.debug("{}: nothing is prefetched any more", block.name(), e);
      useful = false;
      prefetch = null;
    }
  }

  private void tell(int first, long to) throws IOException {
    end = first;
    ByteBuffer stored = buffers.take(MAX_STORED);
    try {
      while (end < frames.frameCount() && frames.originalEnd(end) <= to) {
        if (frames.storedLength(end) <= MAX_STORED) {
          stored.clear();
          block.readStored(end, stored);
          stored.flip();
          codec.addTo(prefetch, frames.stages(end), stored, frames.originalLength(end));
        }
        end++;
      }
    } finally {
      buffers.give(stored);
    }
    prefetch.start();
  }
}
