/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup;

import io.hdrf.codec.dedup.container.ContainerStore;
import io.hdrf.codec.dedup.container.format.ChunkRef;
import java.io.IOException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Bounds what a reader has to decode beside the chunks of a frame: when a frame is written, the
 * bases of its chunks lie in at most {@link ContainerStore#MAX_BASE_GROUPS} groups. A compaction
 * may cut a group in two later. For one thread.
 */
final class FrameBases {

  private static final Logger LOG = LoggerFactory.getLogger(FrameBases.class);

  private final ContainerStore containers;
  private final ContainerCap cap;

  /** The first and the last chunk of each group: most bases need no directory to be found in it. */
  private final long[] firsts = new long[ContainerStore.MAX_BASE_GROUPS];

  private final long[] lasts = new long[ContainerStore.MAX_BASE_GROUPS];
  private final long[] bounds = new long[2];
  private int count;

  /**
   * @param cap bounds the containers of the segments in which the frame's chunks are
   */
  FrameBases(ContainerStore containers, ContainerCap cap) {
    this.containers = containers;
    this.cap = cap;
  }

  void beginFrame() {
    count = 0;
  }

  /** Returns whether the frame's next chunk, which is new, may become a difference to a base. */
  boolean allows(long base) {
    return cap.allows(ChunkRef.container(base)) && find(base) >= 0;
  }

  /**
   * The frame's next chunk takes a base.
   *
   * @return false if the frame must not have that chunk
   */
  boolean add(long base) {
    int place = find(base);
    if (place < 0) {
      return false;
    }
    count = Math.max(count, place + 1);
    cap.add(ChunkRef.container(base));
    return true;
  }

  /** The place of a base's group, which may be the next one; -1 if there is no place. */
  private int find(long base) {
    for (int place = 0; place < count; place++) {
      if (base >= firsts[place] && base <= lasts[place]) {
        return place;
      }
    }
    try {
      if (count == firsts.length || !containers.findGroup(base, bounds)) {
        return -1;
      }
      firsts[count] = bounds[0];
      lasts[count] = bounds[1];
      return count;
    } catch (IOException e) {
      LOG.debug("{} is not taken as a base", ChunkRef.toString(base), e);
      return -1;
    }
  }
}
