/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup;

import io.hdrf.codec.dedup.container.ContainerStore;
import io.hdrf.codec.dedup.container.format.ChunkRef;
import java.io.IOException;
import java.util.Arrays;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Bounds what a reader has to decode beside the chunks of a frame: when a frame is written, the
 * bases of its chunks lie in groups that {@link ContainerStore#hasRoomForBases there is room for}.
 * A compaction may cut a group in two later. For one thread.
 */
final class FrameBases {

  private static final Logger LOG = LoggerFactory.getLogger(FrameBases.class);

  private final ContainerStore containers;
  private final ContainerCap cap;

  /** The first and the last chunk of each group: most bases need no directory to be found in it. */
  private long[] firsts = new long[16];

  private long[] lasts = new long[16];
  private int count;

  /** Of all groups, decoded. */
  private long bytes;

  /** As {@link ContainerStore#findGroup} gives them. */
  private final long[] bounds = new long[2];

  /**
   * @param cap bounds the containers of the segments in which the frame's chunks are
   */
  FrameBases(ContainerStore containers, ContainerCap cap) {
    this.containers = containers;
    this.cap = cap;
  }

  void beginFrame() {
    count = 0;
    bytes = 0;
  }

  /** Returns whether the segment may refer to a chunk's container, which is not read for that. */
  boolean allowsContainerOf(long ref) {
    return cap.allows(ChunkRef.container(ref));
  }

  /** Returns whether the frame's next chunk, which is new, may become a difference to a base. */
  boolean allows(long base) {
    return cap.allows(ChunkRef.container(base)) && (has(base) || findLength(base) >= 0);
  }

  /**
   * The frame's next chunk takes a base.
   *
   * @return false if the frame must not have that chunk
   */
  boolean add(long base) {
    if (!has(base)) {
      int length = findLength(base);
      if (length < 0) {
        return false;
      }
      if (count == firsts.length) {
        firsts = Arrays.copyOf(firsts, 2 * count);
        lasts = Arrays.copyOf(lasts, 2 * count);
      }
      firsts[count] = bounds[0];
      lasts[count] = bounds[1];
      bytes += length;
      count++;
    }
    cap.add(ChunkRef.container(base));
    return true;
  }

  /** Returns whether the frame has the group of a base already. */
  private boolean has(long base) {
    for (int i = count - 1; i >= 0; i--) {
      if (base >= firsts[i] && base <= lasts[i]) {
        return true;
      }
    }
    return false;
  }

  /** Returns the length of a base's group; -1 if the frame has no room for it. */
  private int findLength(long base) {
    try {
      int length = containers.findGroup(base, bounds);
      return length >= 0 && containers.hasRoomForBases(count, bytes, length) ? length : -1;
    } catch (IOException e) {
      LOG.debug("{} is not taken as a base", ChunkRef.toString(base), e);
      return -1;
    }
  }
}
