/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.read;

import java.nio.ByteBuffer;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Decoded frames of blocks that are read by position, the least recently used leaving first. A key
 * contains the tag of the block's header and the checksum of the frame's stored bytes: a frame of a
 * block that was replaced is not found again, nor one of another volume, where the same stored
 * bytes may refer to other data. But a copied volume has the same tag, and whoever makes a block
 * can give it any; so whoever reads from others names each source. Thread-safe.
 */
final class FrameCache {

  private final long capacity;
  private final Map<ByteBuffer, byte[]> frames = new LinkedHashMap<>(16, 0.75f, true);
  private long size;

  /**
   * @param capacity in bytes; 0 keeps nothing
   */
  FrameCache(long capacity) {
    this.capacity = capacity;
  }

  /** Names a frame of a source by its content. */
  static ByteBuffer key(long source, long tag, long blockId, int frame, int checksum) {
    ByteBuffer key = ByteBuffer.allocate(3 * Long.BYTES + 2 * Integer.BYTES);
    key.putLong(source).putLong(tag).putLong(blockId).putInt(frame).putInt(checksum).flip();
    return key;
  }

  /** The frame, not to be changed, or null. */
  synchronized byte[] get(ByteBuffer key) {
    return frames.get(key);
  }

  /** Returns whether a frame of this length would be kept. */
  boolean accepts(int length) {
    return length <= capacity / 8;
  }

  /** Keeps a frame; the cache owns the array from now on. */
  synchronized void put(ByteBuffer key, byte[] frame) {
    byte[] replaced = frames.put(key, frame);
    size += frame.length - (replaced == null ? 0 : replaced.length);
    Iterator<byte[]> eldest = frames.values().iterator();
    while (size > capacity) {
      size -= eldest.next().length;
      eldest.remove();
    }
  }

  /** Bytes kept now. */
  synchronized long size() {
    return size;
  }
}
