/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.container;

import io.hdrf.codec.dedup.container.format.ChunkRef;
import io.hdrf.codec.dedup.container.format.ContainerNames;
import io.hdrf.codec.dedup.container.format.GroupIndex;
import java.io.IOException;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The groups that a reader will come to, in whatever order. The kernel is asked for them container
 * by container, from the front to the back, and for what lies between two of them as well where
 * that is less than a movement of the disk costs. They wait in the page cache; nothing of them is
 * kept here. So a container that is rewritten, deleted or found to be damaged meanwhile makes this
 * useless, and no read wrong. For one thread.
 */
public final class GroupsAhead {

  /** Where containers are. */
  interface Source {

    /**
     * A sealed container for reading, to be released by the caller.
     *
     * @return null if there is nothing to read from the disk
     */
    LoadedContainer acquire(long id) throws IOException;
  }

  private static final Logger LOG = LoggerFactory.getLogger(GroupsAhead.class);

  /** The most bytes of groups that are asked for at once; those behind are left to their reader. */
  static final long MAX_BYTES = 32L << 20;

  /** The most containers that are opened for what is asked for at once: their reader waits. */
  static final int MAX_CONTAINERS = 64;

  private final Source containers;
  private final GroupCache decoded;
  private final int maxGap;

  /** As the references of chunks, with the group's index for the chunk's number. */
  private long[] groups = new long[128];

  private int count;

  /** Of the groups, some of them twice. */
  private long bytes;

  /** The containers of the groups, and those that were tried. */
  private final Set<Long> tried = new HashSet<>();

  /** Containers that are not tried again: a disk may take seconds to fail. */
  private final Set<Long> unreadable = new HashSet<>();

  /**
   * @param maxGap bytes between two groups that are read for nothing, 0 or more
   */
  GroupsAhead(Source containers, GroupCache decoded, int maxGap) {
    this.containers = containers;
    this.decoded = decoded;
    this.maxGap = maxGap;
  }

  /**
   * Adds the groups of chunks with consecutive numbers, but for those that are decoded already. The
   * container is opened if it is not.
   */
  public void add(long container, int firstChunk, int chunkCount) {
    if (bytes >= MAX_BYTES || (tried.size() == MAX_CONTAINERS && !tried.contains(container))) {
      return;
    }
    tried.add(container);
    LoadedContainer source = acquire(container);
    if (source == null) {
      return;
    }
    try {
      GroupIndex index = source.index();
      int first = index.groupOf(firstChunk);
      int last = index.groupOf(firstChunk + chunkCount - 1);
      for (int group = first; group >= 0 && group <= last && bytes < MAX_BYTES; group++) {
        add(source, index, group);
      }
    } finally {
      source.release();
    }
  }

  private void add(LoadedContainer source, GroupIndex index, int group) {
    long packed = ChunkRef.pack(source.id(), group);
    if ((count > 0 && groups[count - 1] == packed) || decoded.contains(source, group)) {
      return;
    }
    if (count == groups.length) {
      groups = Arrays.copyOf(groups, 2 * count);
    }
    groups[count] = packed;
    count++;
    bytes += index.length(group);
  }

  /** Null if it can't be read ahead: whoever reads its chunks is told why. */
  private LoadedContainer acquire(long container) {
    if (unreadable.contains(container)) {
      return null;
    }
    try {
      return containers.acquire(container);
    } catch (IOException e) {
      LOG.debug("container {} can't be read ahead", ContainerNames.hex(container), e);
      unreadable.add(container);
      return null;
    }
  }

  /**
   * Asks for the groups that were added, and forgets them. Waits for no disk, unless a container
   * was closed since.
   *
   * @return the number of places of the disk that were asked for
   */
  public int start() {
    Arrays.sort(groups, 0, count);
    int ranges = 0;
    int from = 0;
    while (from < count) {
      long container = ChunkRef.container(groups[from]);
      int to = from + 1;
      while (to < count && ChunkRef.container(groups[to]) == container) {
        to++;
      }
      LoadedContainer source = acquire(container);
      if (source != null) {
        try {
          ranges += start(source, from, to);
        } finally {
          source.release();
        }
      }
      from = to;
    }
    count = 0;
    bytes = 0;
    tried.clear();
    return ranges;
  }

  private int start(LoadedContainer source, int from, int to) {
    GroupIndex index = source.index();
    int ranges = 0;
    long begin = -1;
    long end = -1;
    for (int i = from; i < to; i++) {
      int group = ChunkRef.number(groups[i]);
      if (group >= index.groupCount()) {
        // The container was rewritten just now.
        break;
      }
      long position = index.position(group);
      if (begin >= 0 && position - end > maxGap) {
        ranges += prefetch(source, begin, end);
        begin = -1;
      }
      begin = begin < 0 ? position : begin;
      end = index.end(group);
    }
    return begin < 0 ? ranges : ranges + prefetch(source, begin, end);
  }

  private static int prefetch(LoadedContainer source, long begin, long end) {
    return source.file().prefetch(begin, end - begin) ? 1 : 0;
  }
}
