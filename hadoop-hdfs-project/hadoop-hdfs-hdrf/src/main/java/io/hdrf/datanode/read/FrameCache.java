/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode.read;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Decoded frames of blocks that are read by position, the least recently used leaving first. A key
 * contains the tag of the block's header and the checksum of the frame's stored bytes: a frame of a
 * block that was replaced is not found again, nor one of another volume, where the same stored
 * bytes may refer to other data. Thread-safe.
 */
public final class FrameCache {

  /** Names a frame by its content. */
  static final class Key {
    private final long blockId;
    private final long tag;
    private final int frame;
    private final int checksum;

    Key(long tag, long blockId, int frame, int checksum) {
      this.tag = tag;
      this.blockId = blockId;
      this.frame = frame;
      this.checksum = checksum;
    }

    @Override
    public boolean equals(Object other) {
      if (!(other instanceof Key)) {
        return false;
      }
      Key key = (Key) other;
      return key.blockId == blockId
          && key.frame == frame
          && key.checksum == checksum
          && key.tag == tag;
    }

    @Override
    public int hashCode() {
      return Long.hashCode(blockId * 31 + tag) * 31 + checksum + frame;
    }
  }

  private final long capacity;
  private final Map<Key, byte[]> frames = new LinkedHashMap<>(16, 0.75f, true);
  private long size;

  /**
   * @param capacity in bytes; 0 keeps nothing
   */
  public FrameCache(long capacity) {
    this.capacity = capacity;
  }

  /** The frame, not to be changed, or null. */
  synchronized byte[] get(Key key) {
    return frames.get(key);
  }

  /** Whether a frame of this length would be kept. */
  boolean accepts(int length) {
    return length <= capacity / 8;
  }

  /** Keeps a frame; the cache owns the array from now on. */
  synchronized void put(Key key, byte[] frame) {
    byte[] replaced = frames.put(key, frame);
    size += frame.length - (replaced == null ? 0 : replaced.length);
    Iterator<byte[]> eldest = frames.values().iterator();
    while (size > capacity) {
      size -= eldest.next().length;
      eldest.remove();
    }
  }

  /** Bytes kept now. */
  public synchronized long size() {
    return size;
  }
}
