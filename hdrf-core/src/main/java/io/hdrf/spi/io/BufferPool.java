/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.spi.io;

import io.hdrf.spi.memory.MemoryBudget;
import io.hdrf.spi.memory.MemoryShare;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import javax.management.JMException;
import javax.management.ObjectName;
import javax.management.openmbean.CompositeData;

/**
 * Direct buffers for reuse. Idle buffers are kept up to a limit in bytes; beyond it, the garbage
 * collector gets buffers of sizes that were not requested lately. Safe for use by many threads.
 *
 * <p>Capacities are rounded up to one of four steps per power of two, so that at most a quarter of
 * a buffer is slack.
 */
public final class BufferPool {

  private static final int MIN_CAPACITY = 4 << 10;

  /** Bytes that a budget leaves for idle buffers in any case. */
  private static final long MIN_SHARE = 4 << 20;

  private static final BufferPool SHARED = new BufferPool(directMemory() / 8);

  private final long maxIdleBytes;
  private final ArrayDeque<ByteBuffer>[] idle = newClasses();
  private long idleBytes;

  /** What {@link #idleBytes} is reserved in; null where nobody counts it. */
  private MemoryShare share;

  /**
   * @param maxIdleBytes the most bytes of idle buffers, 0 or more
   */
  public BufferPool(long maxIdleBytes) {
    this.maxIdleBytes = maxIdleBytes;
  }

  /**
   * Returns the pool for the whole JVM; its idle buffers take at most an eighth of what direct
   * buffers may take, and of the maximal heap size.
   */
  public static BufferPool shared() {
    return SHARED;
  }

  /** Returns the most bytes of direct buffers, which others need, too; the heap's if unknown. */
  private static long directMemory() {
    long heap = Runtime.getRuntime().maxMemory();
    try {
      CompositeData option =
          (CompositeData)
              ManagementFactory.getPlatformMBeanServer()
                  .invoke(
                      new ObjectName("com.sun.management:type=HotSpotDiagnostic"),
                      "getVMOption",
                      new Object[] {"MaxDirectMemorySize"},
                      new String[] {String.class.getName()});
      long set = Long.parseLong(String.valueOf(option.get("value")));
      return set > 0 ? Math.min(heap, set) : heap;
    } catch (JMException | RuntimeException e) {
      // Another JVM than HotSpot.
      return heap;
    }
  }

  /**
   * Counts idle buffers in a budget from now on, as long as it is not counted in another one.
   *
   * @return ends that, and lets go of all idle buffers
   */
  public Runnable countIn(MemoryBudget budget) {
    MemoryShare opened =
        budget.open(
            "IdleBuffers",
            MemoryShare.Kind.CACHE,
            Math.min(maxIdleBytes, MIN_SHARE),
            maxIdleBytes,
            this::shrink);
    synchronized (this) {
      shrink(Long.MAX_VALUE);
      share = opened;
    }
    return () -> {
      synchronized (this) {
        if (share == opened) {
          shrink(Long.MAX_VALUE);
          share = null;
        }
      }
      opened.close();
    };
  }

  private synchronized void shrink(long bytes) {
    long goal = Math.max(0, idleBytes - bytes);
    for (int index = idle.length - 1; index >= 0; index--) {
      while (idleBytes > goal && !idle[index].isEmpty()) {
        removed(idle[index].pollFirst());
      }
    }
  }

  private void removed(ByteBuffer buffer) {
    idleBytes -= buffer.capacity();
    if (share != null) {
      share.release(buffer.capacity());
    }
  }

  /**
   * Takes a direct buffer with position 0 and limit {@code length}; its content is arbitrary. A
   * buffer that is never given back only loses its reuse.
   *
   * @param length from 0 to {@link Integer#MAX_VALUE}
   */
  public ByteBuffer take(int length) {
    int index = classOf(length);
    ByteBuffer buffer;
    synchronized (this) {
      buffer = idle[index].pollLast();
      if (buffer != null) {
        removed(buffer);
        if (share != null) {
          share.touch();
        }
      }
    }
    if (buffer == null) {
      buffer = allocate(capacityOf(index));
    }
    buffer.clear();
    buffer.limit(length);
    return buffer;
  }

  private ByteBuffer allocate(int capacity) {
    try {
      return ByteBuffer.allocateDirect(capacity);
    } catch (OutOfMemoryError e) {
      shrink(Long.MAX_VALUE);
      return ByteBuffer.allocateDirect(capacity);
    }
  }

  /** Gives back a buffer that {@link #take} returned; the caller must not use it any more. */
  public void give(ByteBuffer buffer) {
    int index = classOf(buffer.capacity());
    if (!buffer.isDirect() || capacityOf(index) != buffer.capacity()) {
      throw new IllegalArgumentException("not a buffer of this pool: " + buffer);
    }
    synchronized (this) {
      for (int other = 0; other < idle.length && !fits(buffer); other++) {
        while (other != index && !idle[other].isEmpty() && !fits(buffer)) {
          removed(idle[other].pollFirst());
        }
      }
      if (fits(buffer) && (share == null || share.tryReserve(buffer.capacity()))) {
        idle[index].addLast(buffer);
        idleBytes += buffer.capacity();
      }
    }
  }

  /**
   * Returns a buffer with room for so many bytes: this one, or a larger one in its place, with
   * other content. Without memory for that, this one is still the caller's: it is given back last.
   *
   * @param buffer null: takes one
   */
  public ByteBuffer atLeast(ByteBuffer buffer, int length) {
    if (buffer != null && buffer.capacity() >= length) {
      return buffer;
    }
    ByteBuffer larger = take(length);
    if (buffer != null) {
      give(buffer);
    }
    return larger;
  }

  /** Returns the capacity in bytes of the buffers that {@link #take} gives for a length. */
  public static int capacityFor(int length) {
    return capacityOf(classOf(length));
  }

  /** Returns the bytes of all idle buffers. */
  public synchronized long idleBytes() {
    return idleBytes;
  }

  private boolean fits(ByteBuffer buffer) {
    return idleBytes + buffer.capacity() <= maxIdleBytes;
  }

  /**
   * Returns the size class: class 0 is {@link #MIN_CAPACITY}; four classes follow for each power of
   * two.
   */
  private static int classOf(int length) {
    if (length < 0) {
      throw new IllegalArgumentException("negative length " + length);
    }
    if (length <= MIN_CAPACITY) {
      return 0;
    }
    int power = 31 - Integer.numberOfLeadingZeros(length - 1);
    int quarter = ((length - 1) >>> (power - 2)) & 3;
    return (power - 12) * 4 + quarter + 1;
  }

  private static int capacityOf(int index) {
    if (index == 0) {
      return MIN_CAPACITY;
    }
    int power = 12 + (index - 1) / 4;
    int quarter = (index - 1) % 4;
    long capacity = (1L << power) + ((quarter + 1L) << (power - 2));
    return (int) Math.min(capacity, Integer.MAX_VALUE);
  }

  @SuppressWarnings({"unchecked", "rawtypes"})
  private static ArrayDeque<ByteBuffer>[] newClasses() {
    ArrayDeque<ByteBuffer>[] classes = new ArrayDeque[classOf(Integer.MAX_VALUE) + 1];
    for (int i = 0; i < classes.length; i++) {
      classes[i] = new ArrayDeque<>();
    }
    return classes;
  }
}
