/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.read;

import io.hdrf.spi.io.BufferPool;
import io.hdrf.spi.memory.MemoryBudget;
import io.hdrf.spi.memory.MemoryShare;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * Decoded frames of blocks that are read by position, the least recently used leaving first, and
 * the names of those that are being decoded for all their readers. A key contains the tag of the
 * block's header and the checksum of the frame's stored bytes: a frame of a block that was replaced
 * is not found again, nor one of another volume, where the same stored bytes may refer to other
 * data. But a copied volume has the same tag, and whoever makes a block can give it any; so whoever
 * reads from others names each source. Thread-safe.
 */
final class FrameCache implements Closeable {

  /**
   * How long a reader waits for another one to decode its frame. HDFS clients wait for a DataNode
   * for a minute, by default, in which it may have to wait for a scheme's turn, too.
   */
  private static final int MAX_WAIT_SECONDS = 25;

  /**
   * A decoded frame. Whoever got it releases it once; a pool's buffer goes back to the pool when
   * nobody uses the frame and the cache does not keep it any more.
   */
  static final class Frame {
    private final ByteBuffer bytes;
    private boolean kept;
    private int users;

    private Frame(ByteBuffer bytes) {
      this.bytes = bytes;
    }

    /** A new view of the buffer, read-only; position 0 is the frame's first byte. */
    ByteBuffer bytes() {
      return bytes.asReadOnlyBuffer();
    }
  }

  /** Bytes that a budget leaves for frames in any case. */
  private static final long MIN_SHARE = 4 << 20;

  private final long capacity;
  private final MemoryShare memory;
  private final BufferPool buffers;
  private final Map<ByteBuffer, Frame> frames = new LinkedHashMap<>(16, 0.75f, true);
  private final Set<ByteBuffer> decoding = new HashSet<>();
  private long size;

  FrameCache(long capacity, BufferPool buffers) {
    this(capacity, buffers, MemoryBudget.unlimited());
  }

  /**
   * @param capacity in bytes; 0 keeps nothing
   * @param buffers where direct buffers came from
   * @param budget for all frames that are kept
   */
  FrameCache(long capacity, BufferPool buffers, MemoryBudget budget) {
    this.capacity = capacity;
    this.memory =
        budget.open(
            "Frames",
            MemoryShare.Kind.CACHE,
            Math.min(capacity, MIN_SHARE),
            capacity,
            this::shrink);
    this.buffers = buffers;
  }

  /** Names a frame of a source by its content. */
  static ByteBuffer key(long source, long tag, long blockId, int frame, int checksum) {
    ByteBuffer key = ByteBuffer.allocate(3 * Long.BYTES + 2 * Integer.BYTES);
    key.putLong(source).putLong(tag).putLong(blockId).putInt(frame).putInt(checksum).flip();
    return key;
  }

  /** Returns whether a frame of this length would be kept. */
  boolean accepts(int length) {
    return length <= capacity / 2;
  }

  /** The frame, to be released, or null. */
  synchronized Frame get(ByteBuffer key) {
    Frame frame = frames.get(key);
    if (frame != null) {
      frame.users++;
      memory.touch();
    }
    return frame;
  }

  /**
   * The frame, to be released, as soon as another reader has decoded it; or null: then the caller
   * is to decode it and must call {@link #endDecoding}, before which others wait.
   *
   * @throws IOException if another reader takes too long
   */
  synchronized Frame getOrBeginDecoding(ByteBuffer key) throws IOException, InterruptedException {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(MAX_WAIT_SECONDS);
    while (true) {
      Frame frame = get(key);
      if (frame != null || decoding.add(key)) {
        return frame;
      }
      long left = deadline - System.nanoTime();
      if (left <= 0) {
        throw new IOException(
            "another reader has been decoding the frame for " + MAX_WAIT_SECONDS + " s");
      }
      TimeUnit.NANOSECONDS.timedWait(this, left);
    }
  }

  /** Ends the wait of others for the frame; if it was not decoded, one of them will do it. */
  synchronized void endDecoding(ByteBuffer key) {
    decoding.remove(key);
    notifyAll();
  }

  /** Keeps a frame; the cache owns the array from now on. */
  synchronized void put(ByteBuffer key, byte[] frame) {
    keep(key, new Frame(ByteBuffer.wrap(frame)));
  }

  /**
   * Keeps a frame that the caller goes on to use.
   *
   * @param frame taken from the pool; belongs to the cache from now on. All of its capacity counts
   * @return to be released
   */
  synchronized Frame share(ByteBuffer key, ByteBuffer frame) {
    Frame shared = new Frame(frame);
    shared.users = 1;
    keep(key, shared);
    return shared;
  }

  private void keep(ByteBuffer key, Frame frame) {
    Frame replaced = frames.remove(key);
    if (replaced != null) {
      drop(replaced);
    }
    int bytes = frame.bytes.capacity();
    while (size + bytes > capacity && dropEldest()) {
      // There is room for one more.
    }
    boolean fits = size + bytes <= capacity;
    while (fits && !memory.tryReserve(bytes)) {
      fits = dropEldest();
    }
    if (fits) {
      frames.put(key, frame);
      frame.kept = true;
      size += bytes;
    }
  }

  private boolean dropEldest() {
    Iterator<Frame> eldest = frames.values().iterator();
    if (!eldest.hasNext()) {
      return false;
    }
    Frame dropped = eldest.next();
    eldest.remove();
    drop(dropped);
    return true;
  }

  private synchronized void shrink(long bytes) {
    long goal = size - bytes;
    while (size > goal && dropEldest()) {
      // Others need it more.
    }
  }

  private void drop(Frame frame) {
    frame.kept = false;
    size -= frame.bytes.capacity();
    memory.release(frame.bytes.capacity());
    giveBack(frame);
  }

  synchronized void release(Frame frame) {
    frame.users--;
    giveBack(frame);
  }

  private void giveBack(Frame frame) {
    if (!frame.kept && frame.users == 0 && frame.bytes.isDirect()) {
      buffers.give(frame.bytes);
    }
  }

  /** Bytes kept now. */
  synchronized long size() {
    return size;
  }

  /** Lets go of all frames, and keeps no others. */
  @Override
  public synchronized void close() {
    shrink(size);
    memory.close();
  }
}
