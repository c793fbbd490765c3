/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.metadata;

import io.hdrf.spi.store.MetadataException;
import io.hdrf.spi.store.MetadataStore;
import io.hdrf.spi.store.StoreCorruptException;
import io.hdrf.spi.store.Table;
import java.util.Arrays;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The reasons why blocks are plain, read from the records before these are rebuilt: the files do
 * not show them. Takes 8 bytes for each plain block. Immutable.
 */
final class PlainReasons {

  private static final Logger LOG = LoggerFactory.getLogger(PlainReasons.class);

  private static final int REASONS = 256;

  /**
   * The maximum number of remembered blocks, more than a volume has; for further ones the reason is
   * unknown.
   */
  private static final int MAX_BLOCKS = 1 << 24;

  /** Block ids by reason, ascending; null if no block has it. */
  private final long[][] blocks = new long[REASONS][];

  private PlainReasons() {}

  static PlainReasons none() {
    return new PlainReasons();
  }

  /** Reads all records; an unreadable one counts as none. */
  static PlainReasons of(MetadataStore store) throws MetadataException {
    LongList[] found = new LongList[REASONS];
    int[] count = new int[1];
    try {
      store.scan(
          Table.BLOCKS,
          new byte[0],
          (key, value) -> {
            int reason = reason(key, value);
            if (reason != BlockRecord.NO_REASON) {
              if (found[reason] == null) {
                found[reason] = new LongList();
              }
              found[reason].accept(BlockRecord.blockId(key));
              count[0]++;
            }
            return count[0] < MAX_BLOCKS;
          });
    } catch (StoreCorruptException e) {
      LOG.warn("Why some blocks are plain can't be read any more", e);
    }
    PlainReasons reasons = new PlainReasons();
    for (int i = 0; i < REASONS; i++) {
      reasons.blocks[i] = found[i] == null ? null : found[i].sorted();
    }
    return reasons;
  }

  private static int reason(byte[] key, byte[] value) {
    if (key.length != Long.BYTES) {
      return BlockRecord.NO_REASON;
    }
    try {
      return BlockRecord.decode(BlockRecord.blockId(key), value).reason();
    } catch (MetadataException e) {
      return BlockRecord.NO_REASON;
    }
  }

  /** Returns why a block is plain, if it is; {@link BlockRecord#NO_REASON} if that was unknown. */
  int of(long blockId) {
    for (int reason = 0; reason < REASONS; reason++) {
      if (blocks[reason] != null && Arrays.binarySearch(blocks[reason], blockId) >= 0) {
        return reason;
      }
    }
    return BlockRecord.NO_REASON;
  }
}
