/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.container;

import java.util.BitSet;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The chunks of a store that could not be read when they were last tried, so that no new block
 * comes to refer to them. In memory alone, for what can't be read now may be read later: a chunk
 * leaves when it reads well again, when its container is rewritten or deleted, and when the process
 * ends. Nothing depends on it but work: a block that comes to refer to a damaged chunk fails its
 * verification and is reduced again. Safe for use by many threads.
 */
final class Quarantine {

  /** If more containers are damaged, any one is forgotten. */
  static final int MAX_CONTAINERS = 1024;

  /** The bit sets are never changed, but replaced. */
  private final ConcurrentHashMap<Long, BitSet> bad = new ConcurrentHashMap<>();

  /** Returns whether nothing is known to be damaged. */
  boolean isEmpty() {
    return bad.isEmpty();
  }

  /** Returns how many containers have damaged chunks. */
  int size() {
    return bad.size();
  }

  /** Returns the damaged chunks of each container; the bit sets must not be changed. */
  Map<Long, BitSet> all() {
    return new HashMap<>(bad);
  }

  /** Returns whether a chunk is known to be damaged. */
  boolean isBad(long container, int number) {
    if (bad.isEmpty()) {
      return false;
    }
    BitSet numbers = bad.get(container);
    return numbers != null && numbers.get(number);
  }

  synchronized void add(long container, BitSet numbers) {
    BitSet all = new BitSet();
    all.or(bad.getOrDefault(container, all));
    all.or(numbers);
    set(container, all);
  }

  /** Says which chunks of a container are damaged, and that no other is. */
  synchronized void set(long container, BitSet numbers) {
    if (numbers.isEmpty()) {
      bad.remove(container);
      return;
    }
    if (bad.size() >= MAX_CONTAINERS && !bad.containsKey(container)) {
      Iterator<Long> any = bad.keySet().iterator();
      any.next();
      any.remove();
    }
    bad.put(container, (BitSet) numbers.clone());
  }

  /** Forgets chunks that read well. */
  synchronized void remove(long container, int first, int count) {
    BitSet numbers = bad.get(container);
    int next = numbers == null ? -1 : numbers.nextSetBit(first);
    if (next >= 0 && next < first + count) {
      BitSet rest = (BitSet) numbers.clone();
      rest.clear(first, first + count);
      set(container, rest);
    }
  }
}
