/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.container;

import io.hdrf.codec.dedup.container.format.ContainerFormat;
import io.hdrf.codec.dedup.container.format.GroupHeader;
import io.hdrf.spi.io.BufferPool;
import java.nio.ByteBuffer;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Decoded groups of which only some chunks were wanted: the next read may want the others. Bounded
 * in bytes; the least recently used go first. Safe for use by many threads.
 */
final class GroupCache {

  /** A decoded group. The reader checks the CRCs of its chunks: the group may be damaged. */
  static final class DecodedGroup {
    private final GroupHeader header;
    private final ByteBuffer bytes;
    private int users = 1;

    DecodedGroup(GroupHeader header, ByteBuffer bytes) {
      this.header = header;
      this.bytes = bytes;
    }

    /** Says which chunks it has, and their CRCs. */
    GroupHeader header() {
      return header;
    }

    /** Returns a separate view from position 0 to limit. */
    ByteBuffer bytes() {
      return bytes.duplicate();
    }
  }

  private static final GroupCache SHARED = new GroupCache(0);

  private final BufferPool buffers = BufferPool.shared();
  private long maxBytes;
  private final LinkedHashMap<Long, DecodedGroup> groups = new LinkedHashMap<>(16, 0.75f, true);
  private long bytes;

  GroupCache(long maxBytes) {
    this.maxBytes = maxBytes;
  }

  /**
   * Returns the cache of a store: one for all that share it, with the most memory that any of them
   * was given. What a closed store left there goes as any other group.
   */
  static GroupCache of(ContainerSettings settings) {
    if (!settings.sharesGroups()) {
      return new GroupCache(settings.groupMemory());
    }
    synchronized (SHARED) {
      SHARED.maxBytes = Math.max(SHARED.maxBytes, settings.groupMemory());
    }
    return SHARED;
  }

  /** A container has fewer than 2^20 groups, as each has a chunk. */
  private static long key(LoadedContainer container, int group) {
    return container.serial() * ContainerFormat.MAX_CHUNKS + group;
  }

  /** Returns a group, which the caller has to {@link #release}, or null. */
  synchronized DecodedGroup acquire(LoadedContainer container, int group) {
    DecodedGroup found = groups.get(key(container, group));
    if (found != null) {
      found.users++;
    }
    return found;
  }

  synchronized boolean contains(LoadedContainer container, int group) {
    return groups.containsKey(key(container, group));
  }

  /**
   * Takes over a buffer of the pool with a decoded group in it, from position 0 to limit.
   *
   * @return the group, to be released by the caller
   */
  synchronized DecodedGroup put(
      LoadedContainer container, int number, GroupHeader header, ByteBuffer decoded) {
    // A header that a directory made would keep that directory's arrays in memory.
    DecodedGroup group = new DecodedGroup(header.alone(), decoded);
    if (decoded.capacity() <= maxBytes / 2) {
      group.users++;
      bytes += decoded.capacity();
      DecodedGroup old = groups.put(key(container, number), group);
      if (old != null) {
        drop(old);
      }
      Iterator<Map.Entry<Long, DecodedGroup>> oldest = groups.entrySet().iterator();
      while (bytes > maxBytes) {
        DecodedGroup victim = oldest.next().getValue();
        oldest.remove();
        drop(victim);
      }
    }
    return group;
  }

  /** Drops a group: the file does not give it any more. */
  synchronized void remove(LoadedContainer container, int group) {
    DecodedGroup removed = groups.remove(key(container, group));
    if (removed != null) {
      drop(removed);
    }
  }

  private void drop(DecodedGroup group) {
    bytes -= group.bytes.capacity();
    release(group);
  }

  synchronized void release(DecodedGroup group) {
    group.users--;
    if (group.users == 0) {
      buffers.give(group.bytes);
    }
  }

  synchronized void clear() {
    groups.values().forEach(this::drop);
    groups.clear();
  }

  /** Bytes of the buffers that are kept. */
  synchronized long bytes() {
    return bytes;
  }
}
