/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.store.embedded;

import org.rocksdb.Cache;
import org.rocksdb.LRUCache;
import org.rocksdb.WriteBufferManager;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The memory that all stores of a process share: one cache of blocks, indexes and filters, to which
 * the write buffers are charged. It exists from the opening of the first store to the close of the
 * last one, with the size that the first one requests. For any number of threads.
 */
final class SharedMemory {

  private static final Logger LOG = LoggerFactory.getLogger(SharedMemory.class);

  /**
   * log2 of the number of shards. The default is one shard for each 512 KiB, which a few large
   * filters would overfill.
   */
  private static final int SHARD_BITS = 2;

  /** The share of the cache in which indexes and filters evict blocks. */
  private static final double INDEX_SHARE = 0.7;

  private static SharedMemory current;

  private final int bytes;
  private final Cache cache;
  private final WriteBufferManager writeBuffers;
  private int users;

  private SharedMemory(int bytes) {
    this.bytes = bytes;
    cache = new LRUCache(bytes, SHARD_BITS, false, INDEX_SHARE);
    writeBuffers = new WriteBufferManager(bytes / 4, cache);
  }

  /**
   * Returns the memory; the caller calls {@link #release} once the database that uses it is closed.
   */
  static synchronized SharedMemory acquire(int bytes) {
    if (current == null) {
      current = new SharedMemory(bytes);
    } else if (current.bytes != bytes) {
      LOG.warn(
          "{} bytes were asked for, but this process's embedded stores already share {}",
          bytes,
          current.bytes);
    }
    current.users++;
    return current;
  }

  static synchronized void release(SharedMemory memory) {
    if (--memory.users == 0) {
      memory.writeBuffers.close();
      memory.cache.close();
      current = null;
    }
  }

  int bytes() {
    return bytes;
  }

  Cache cache() {
    return cache;
  }

  WriteBufferManager writeBuffers() {
    return writeBuffers;
  }
}
