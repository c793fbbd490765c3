/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.wire;

import io.hdrf.block.BlockRef;
import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The frames of blocks that have been received and wait to be stored. Bounded in blocks, memory and
 * age: the oldest are dropped, and their blocks reduced from their plain copies. Thread-safe.
 */
public final class SpooledBlocks implements Closeable {

  private static final Logger LOG = LoggerFactory.getLogger(SpooledBlocks.class);

  /** Nobody waits for those of a block that was deleted meanwhile; they go in twice that time. */
  static final long MAX_AGE_NANOS = TimeUnit.MINUTES.toNanos(10);

  /** The frames of one block. */
  private static final class Entry {
    private final SpooledFrames frames;
    private final long since;

    Entry(SpooledFrames frames, long since) {
      this.frames = frames;
      this.since = since;
    }
  }

  private final int maxBlocks;
  private final long maxMemory;
  private final Runnable onDrop;
  private final Timer timer;
  private final LongSupplier nanoTime;
  private final Map<BlockRef, Entry> blocks = new LinkedHashMap<>();
  private long memory;
  private boolean closed;

  /** Whether the timer will call {@link #expire}. */
  private boolean expiring;

  /**
   * @param maxBlocks the number of blocks that may wait; each may keep a file open
   * @param maxMemory the bytes of memory that they may take
   * @param onDrop is run for each block that is dropped before it was stored
   * @param timer drops blocks that nobody takes, where no others come that would push them out
   */
  public SpooledBlocks(int maxBlocks, long maxMemory, Runnable onDrop, Timer timer) {
    this(maxBlocks, maxMemory, onDrop, timer, System::nanoTime);
  }

  SpooledBlocks(
      int maxBlocks, long maxMemory, Runnable onDrop, Timer timer, LongSupplier nanoTime) {
    this.onDrop = onDrop;
    this.maxBlocks = maxBlocks;
    this.maxMemory = maxMemory;
    this.timer = timer;
    this.nanoTime = nanoTime;
  }

  /** Takes over a block's frames, which replace those of an earlier try. */
  public void put(BlockRef block, SpooledFrames frames) {
    SpooledFrames unwanted;
    List<SpooledFrames> dropped = Collections.emptyList();
    synchronized (this) {
      unwanted = closed ? frames : take(block);
      if (!closed) {
        blocks.put(block, new Entry(frames, nanoTime.getAsLong()));
        memory += frames.memoryBytes();
        dropped = takeOldest();
        watch();
      }
    }
    closeQuietly(unwanted);
    drop(dropped);
  }

  /**
   * Takes out blocks that may not wait any more; to be dropped without the lock, since files are
   * deleted.
   */
  private List<SpooledFrames> takeOldest() {
    List<SpooledFrames> taken = new ArrayList<>();
    long now = nanoTime.getAsLong();
    Iterator<Entry> oldest = blocks.values().iterator();
    while (oldest.hasNext()) {
      Entry entry = oldest.next();
      if (blocks.size() <= maxBlocks && memory <= maxMemory && now - entry.since < MAX_AGE_NANOS) {
        break;
      }
      oldest.remove();
      memory -= entry.frames.memoryBytes();
      taken.add(entry.frames);
    }
    return taken;
  }

  private void drop(List<SpooledFrames> dropped) {
    for (SpooledFrames frames : dropped) {
      closeQuietly(frames);
      onDrop.run();
    }
  }

  /** One task at a time: blocks that come while it waits go with the next. */
  private void watch() {
    if (!expiring && !blocks.isEmpty()) {
      expiring = true;
      timer.after(MAX_AGE_NANOS, this::expire);
    }
  }

  private void expire() {
    List<SpooledFrames> dropped;
    synchronized (this) {
      expiring = false;
      dropped = takeOldest();
      watch();
    }
    drop(dropped);
  }

  /** Hands over a block's frames, or null if there are none. */
  public synchronized SpooledFrames take(BlockRef block) {
    Entry entry = blocks.remove(block);
    if (entry == null) {
      return null;
    }
    memory -= entry.frames.memoryBytes();
    return entry.frames;
  }

  /** Forgets a block. */
  public void drop(BlockRef block) {
    closeQuietly(take(block));
  }

  /** Returns the number of waiting blocks. */
  public synchronized int size() {
    return blocks.size();
  }

  private static void closeQuietly(SpooledFrames frames) {
    if (frames == null) {
      return;
    }
    try {
      frames.close();
    } catch (IOException e) {
      LOG.debug("Closing spooled frames failed", e);
    }
  }

  @Override
  public void close() {
    List<Entry> left;
    synchronized (this) {
      closed = true;
      left = new ArrayList<>(blocks.values());
      blocks.clear();
      memory = 0;
    }
    left.forEach(entry -> closeQuietly(entry.frames));
  }
}
