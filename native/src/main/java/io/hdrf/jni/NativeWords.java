/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.jni;

import java.lang.ref.PhantomReference;
import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.LongBuffer;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Words that native code can read in place. They lie outside the heap, and count neither as heap
 * nor as direct memory of the virtual machine ({@code -XX:MaxDirectMemorySize}): the caller of
 * {@link #allocate} bounds them. Without the native library, or if the system has no memory left,
 * they lie in the heap.
 *
 * <p>Words that are not freed are released once the collector finds their buffer unreachable. For
 * any number of threads, except that no thread may use the words while they are freed.
 */
public final class NativeWords {

  /** The maximum number of words whose bytes fit into a buffer. */
  public static final int MAX_WORDS = Integer.MAX_VALUE / Long.BYTES;

  private static final Logger LOG = LoggerFactory.getLogger(NativeWords.class);

  private static final AtomicLong ALLOCATED = new AtomicLong();
  private static final ReferenceQueue<ByteBuffer> LOST = new ReferenceQueue<>();

  /** Keeps mappings alive until they are released. */
  private static final Set<Mapping> MAPPINGS = ConcurrentHashMap.newKeySet();

  private volatile LongBuffer words;
  private final Mapping mapping;

  private NativeWords(LongBuffer words, Mapping mapping) {
    this.words = words;
    this.mapping = mapping;
  }

  /** Releases memory when its buffer, of which all others are views, is no longer reachable. */
  private static final class Mapping extends PhantomReference<ByteBuffer> {
    private final long address;
    private final long bytes;

    Mapping(ByteBuffer memory, long address, long bytes) {
      super(memory, LOST);
      this.address = address;
      this.bytes = bytes;
    }

    void release() {
      if (MAPPINGS.remove(this)) {
        unmap(address, bytes);
        ALLOCATED.addAndGet(-bytes);
      }
    }

    /** The same memory with another length, in another mapping; null if there is none. */
    NativeWords resized(int count) {
      long wanted = (long) count * Long.BYTES;
      if (!MAPPINGS.remove(this)) {
        throw new IllegalStateException("these words were freed");
      }
      long moved = remap(address, bytes, wanted);
      if (moved == 0) {
        MAPPINGS.add(this);
        return null;
      }
      NativeWords resized = null;
      try {
        resized = wrapped(moved, wanted);
      } finally {
        ALLOCATED.addAndGet(resized == null ? -bytes : wanted - bytes);
        if (resized == null) {
          unmap(moved, wanted);
        }
      }
      return resized;
    }
  }

  /**
   * Allocates words that are all 0.
   *
   * @param count 1 to {@link #MAX_WORDS}
   * @throws IllegalArgumentException if {@code count} is out of range
   */
  public static NativeWords allocate(int count) {
    if (count < 1 || count > MAX_WORDS) {
      throw new IllegalArgumentException(count + " words");
    }
    releaseLost();
    long bytes = (long) count * Long.BYTES;
    long address = NativeLibrary.isLoaded() ? map(bytes) : 0;
    if (address == 0) {
      if (NativeLibrary.isLoaded()) {
        LOG.warn("The system has no {} bytes outside the heap; they are taken from it", bytes);
      }
      return new NativeWords(LongBuffer.wrap(new long[count]), null);
    }
    NativeWords allocated = wrapped(address, bytes);
    ALLOCATED.addAndGet(bytes);
    return allocated;
  }

  private static NativeWords wrapped(long address, long bytes) {
    ByteBuffer memory = wrap(address, bytes);
    Mapping mapping = new Mapping(memory, address, bytes);
    MAPPINGS.add(mapping);
    return new NativeWords(memory.order(ByteOrder.nativeOrder()).asLongBuffer(), mapping);
  }

  private static void releaseLost() {
    for (Reference<?> lost = LOST.poll(); lost != null; lost = LOST.poll()) {
      ((Mapping) lost).release();
    }
  }

  /** Returns the number of bytes outside the heap that all words of this process use now. */
  public static long allocatedBytes() {
    return ALLOCATED.get();
  }

  /**
   * Returns the words, from index 0 to the capacity.
   *
   * @throws IllegalStateException if they were freed
   */
  public LongBuffer buffer() {
    LongBuffer buffer = words;
    if (buffer == null) {
      throw new IllegalStateException("these words were freed");
    }
    return buffer;
  }

  /**
   * Changes the number of words. Of the content the beginning stays; what is new is 0. The memory
   * may move, but is not copied, except in the heap, where both are there for a moment.
   *
   * @param count 1 to {@link #MAX_WORDS}
   * @return the words; this object is freed, as by {@link #free}, which it is after an error, too.
   *     Null if the system has no memory left, never for fewer words; nothing has changed then
   * @throws IllegalArgumentException if {@code count} is out of range
   * @throws IllegalStateException if they were freed
   */
  public NativeWords resized(int count) {
    if (count < 1 || count > MAX_WORDS) {
      throw new IllegalArgumentException(count + " words");
    }
    LongBuffer before = buffer();
    if (mapping == null) {
      long[] copy = new long[count];
      before.duplicate().get(copy, 0, Math.min(count, before.limit()));
      NativeWords resized = new NativeWords(LongBuffer.wrap(copy), null);
      words = null;
      return resized;
    }
    // Also where an error is thrown nobody may use the memory, which has moved.
    words = null;
    NativeWords resized = mapping.resized(count);
    if (resized == null) {
      words = before;
    }
    return resized;
  }

  /** Releases the memory. No thread may be using it, nor use a buffer obtained before. */
  public void free() {
    words = null;
    if (mapping != null) {
      mapping.release();
    }
  }

  private static native long map(long bytes);

  private static native long remap(long address, long bytes, long newBytes);

  private static native ByteBuffer wrap(long address, long bytes);

  private static native void unmap(long address, long bytes);
}
