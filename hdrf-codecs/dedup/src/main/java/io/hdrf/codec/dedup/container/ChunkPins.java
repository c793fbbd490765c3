/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.container;

import io.hdrf.codec.dedup.container.format.ChunkRef;
import io.hdrf.spi.scheme.Pin;
import java.io.IOException;
import java.util.BitSet;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * Prevents that a chunk is collected to which a block is about to refer. Safe for use by many
 * threads.
 *
 * <p>A thread that makes a block refer to chunks holds a {@link #pin} until the block's file is in
 * place, {@link #acquire}s each chunk that it finds, and only then confirms that it is there. The
 * collector begins a cycle, from which on acquired chunks are noted; waits for the pins taken
 * before that; and reads all block files. So every reference is in a file that it reads, or noted.
 * Before it drops chunks it condemns them, and condemned chunks can't be acquired.
 */
public final class ChunkPins {

  private final Object lock = new Object();

  /** The number of held pins that were taken before the last cycle began; guarded by the lock. */
  private int older;

  /** The number of held pins taken since; guarded by the lock. */
  private int younger;

  /** The number of cycles begun; guarded by the lock. */
  private long age;

  private volatile Cycle cycle;

  /**
   * Returns a pin. It is taken before a block looks for chunks, and closed when its file is in
   * place or given up. Counting and closing allocate nothing: without memory, a pin that nobody has
   * would keep all collections waiting for ever.
   */
  public Pin pin() {
    HeldPin pin = new HeldPin();
    synchronized (lock) {
      pin.age = age;
      younger++;
    }
    return pin;
  }

  private final class HeldPin implements Pin {
    /** Guarded by the lock, as is the other. */
    private long age;

    private boolean closed;

    @Override
    public void close() {
      synchronized (lock) {
        if (closed) {
          return;
        }
        closed = true;
        if (age == ChunkPins.this.age) {
          younger--;
        } else if (--older == 0) {
          lock.notifyAll();
        }
      }
    }
  }

  /**
   * Notes a chunk that was found, under a pin, before it is confirmed that it is there.
   *
   * @return false if the chunk must not be referred to any more
   */
  public boolean acquire(long ref) {
    Cycle current = cycle;
    return current == null || current.acquire(ref);
  }

  /**
   * Begins a cycle over some containers, the others of which keep all that they have; there is at
   * most one at a time.
   *
   * @param from the first container's id
   * @param to the id behind the last one's
   */
  public Cycle begin(long from, long to) {
    synchronized (lock) {
      if (cycle != null) {
        throw new IllegalStateException("a cycle is under way");
      }
      Cycle begun = new Cycle(from, to);
      age++;
      older += younger;
      younger = 0;
      cycle = begun;
      return begun;
    }
  }

  /**
   * Waits for the pins that were taken before the cycle began.
   *
   * @return false if some are held still
   */
  public boolean awaitOlderPins(long timeoutMillis) throws InterruptedException {
    long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(timeoutMillis);
    synchronized (lock) {
      while (older > 0) {
        long left = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
        if (left <= 0) {
          return false;
        }
        lock.wait(left);
      }
      return true;
    }
  }

  /** Ends the cycle. What was condemned must be gone, or spared. */
  public void end() {
    synchronized (lock) {
      cycle = null;
    }
  }

  /** The chunks of some containers that are known to be needed. */
  public static final class Cycle {
    private final long from;
    private final long to;
    private final Map<Long, Marks> containers = new ConcurrentHashMap<>();

    private Cycle(long from, long to) {
      this.from = from;
      this.to = to;
    }

    /** Returns whether the cycle is over this container. */
    public boolean covers(long container) {
      return container >= from && container < to;
    }

    private Marks marks(long container) {
      if (!covers(container)) {
        throw new IllegalArgumentException("the cycle is not over container " + container);
      }
      return containers.computeIfAbsent(container, id -> new Marks());
    }

    private boolean acquire(long ref) {
      long container = ChunkRef.container(ref);
      return !covers(container) || marks(container).acquire(ChunkRef.number(ref));
    }

    /** A block refers to these chunks. */
    public void mark(long container, int first, int count) {
      if (covers(container)) {
        marks(container).mark(first, count);
      }
    }

    /** Returns how many chunks of a container the blocks that were read refer to. */
    public int referredTo(long container) {
      return marks(container).referredTo();
    }

    /** Returns the chunks of {@code present} that are not needed so far. */
    public BitSet dead(long container, BitSet present) {
      return marks(container).dead(present);
    }

    /**
     * The chunks that blocks which were read refer to, and that are not among those in {@code
     * present}. What was only acquired does not count: many look for chunks that went long ago.
     */
    public BitSet missing(long container, BitSet present) {
      return marks(container).missing(present);
    }

    /**
     * Condemns chunks of a container that is about to be compacted, in one step with the look
     * whether they are needed; they can't be acquired from now on. If the container is not whole,
     * all that were not found in it are condemned as well: they would go with it.
     *
     * @param wanted those to condemn, as far as they are not needed
     * @param present those that were found in the container
     * @param whole whether there are no others in it
     * @return those of the wanted ones that were condemned
     * @throws IOException if a block needs a chunk that was not found; then none is condemned
     */
    public BitSet condemn(long container, BitSet wanted, BitSet present, boolean whole)
        throws IOException {
      return marks(container).condemn(wanted, present, whole);
    }

    /** Takes a condemnation back: the chunks stay. */
    public void spare(long container) {
      marks(container).spare();
    }
  }

  private static final class Marks {
    /** By so many bits a set grows. By itself it would double. */
    private static final int STEP = 1 << 13;

    private BitSet referredTo = new BitSet();

    /** Found by any thread, whether they are there or not. */
    private BitSet acquired = new BitSet();

    private final BitSet condemned = new BitSet();

    /** If not null, all others are condemned, too. */
    private BitSet remaining;

    synchronized boolean acquire(int number) {
      if (condemned.get(number) || (remaining != null && !remaining.get(number))) {
        return false;
      }
      acquired = withRoom(acquired, number + 1);
      acquired.set(number);
      return true;
    }

    private static BitSet withRoom(BitSet bits, int count) {
      if (count <= bits.size()) {
        return bits;
      }
      BitSet larger = new BitSet((count + STEP - 1) / STEP * STEP);
      larger.or(bits);
      return larger;
    }

    synchronized void mark(int first, int count) {
      referredTo = withRoom(referredTo, first + count);
      referredTo.set(first, first + count);
    }

    synchronized int referredTo() {
      return referredTo.cardinality();
    }

    synchronized BitSet dead(BitSet present) {
      BitSet dead = (BitSet) present.clone();
      dead.andNot(referredTo);
      dead.andNot(acquired);
      return dead;
    }

    synchronized BitSet missing(BitSet present) {
      BitSet missing = (BitSet) referredTo.clone();
      missing.andNot(present);
      return missing;
    }

    synchronized BitSet condemn(BitSet wanted, BitSet present, boolean whole) throws IOException {
      BitSet lost = missing(present);
      if (!whole) {
        // Others may have been found while more of the container could be read.
        lost.or(acquired);
        lost.andNot(present);
      }
      if (!lost.isEmpty()) {
        throw new IOException(lost.cardinality() + " chunks that blocks refer to are not found");
      }
      BitSet dead = dead(wanted);
      remaining = whole ? null : (BitSet) present.clone();
      condemned.or(dead);
      return dead;
    }

    synchronized void spare() {
      condemned.clear();
      remaining = null;
    }
  }
}
