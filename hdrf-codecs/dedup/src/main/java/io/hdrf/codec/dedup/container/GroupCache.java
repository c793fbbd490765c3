/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.container;

import io.hdrf.codec.dedup.container.format.ContainerFormat;
import io.hdrf.codec.dedup.container.format.GroupHeader;
import io.hdrf.spi.io.BufferPool;
import io.hdrf.spi.memory.MemoryBudget;
import io.hdrf.spi.memory.MemoryShare;
import java.nio.ByteBuffer;
import java.util.HashMap;
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

  /** Bytes that a budget leaves for groups in any case. */
  private static final long MIN_SHARE = 4 << 20;

  /** Those that stores share; in the map of its budget as long as it has any. */
  private static final Map<MemoryBudget, GroupCache> SHARED = new HashMap<>();

  private final BufferPool buffers = BufferPool.shared();
  private final MemoryBudget budget;
  private final MemoryShare memory;

  /** Whether stores share it, and how many do. Guarded by {@link #SHARED}. */
  private int stores;

  private long maxBytes;
  private final LinkedHashMap<Long, DecodedGroup> groups = new LinkedHashMap<>(16, 0.75f, true);
  private long bytes;

  GroupCache(long maxBytes) {
    this(maxBytes, MemoryBudget.unlimited());
  }

  private GroupCache(long maxBytes, MemoryBudget budget) {
    this.maxBytes = maxBytes;
    this.budget = budget;
    this.memory =
        budget.open(
            "Groups",
            MemoryShare.Kind.CACHE,
            Math.min(maxBytes, MIN_SHARE),
            maxBytes,
            this::shrink);
  }

  /**
   * Returns the cache of a store: one for all that share it, with the most memory that any of them
   * was given. What a closed store left there goes as any other group.
   *
   * @return to be {@link #leave left}
   */
  static GroupCache of(ContainerSettings settings) {
    if (!settings.sharesGroups()) {
      return new GroupCache(settings.groupMemory(), settings.memory());
    }
    synchronized (SHARED) {
      GroupCache cache =
          SHARED.computeIfAbsent(
              settings.memory(), budget -> new GroupCache(settings.groupMemory(), budget));
      cache.stores++;
      synchronized (cache) {
        cache.maxBytes = Math.max(cache.maxBytes, settings.groupMemory());
      }
      return cache;
    }
  }

  /** A store needs it no more; the last one's groups go. */
  void leave() {
    synchronized (SHARED) {
      stores--;
      if (stores > 0) {
        return;
      }
      SHARED.remove(budget, this);
    }
    synchronized (this) {
      clear();
      memory.close();
    }
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
      memory.touch();
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
      remove(container, number);
      if (makeRoom(decoded.capacity())) {
        group.users++;
        bytes += decoded.capacity();
        groups.put(key(container, number), group);
      }
    }
    return group;
  }

  /** Reserves bytes, for which others may have to go; false where even that is not enough. */
  private boolean makeRoom(int more) {
    boolean any = true;
    while (any && bytes + more > maxBytes) {
      any = dropOldest();
    }
    while (any && !memory.tryReserve(more)) {
      any = dropOldest();
    }
    return any;
  }

  private boolean dropOldest() {
    Iterator<DecodedGroup> oldest = groups.values().iterator();
    if (!oldest.hasNext()) {
      return false;
    }
    DecodedGroup victim = oldest.next();
    oldest.remove();
    drop(victim);
    return true;
  }

  private synchronized void shrink(long less) {
    long goal = bytes - less;
    while (bytes > goal && dropOldest()) {
      // Others need it more.
    }
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
    memory.release(group.bytes.capacity());
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
