/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.container;

import io.hdrf.codec.dedup.container.format.ContainerNames;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * The bases that a file names, each once. Takes some 64 MiB at most, whatever the file names: what
 * does not fit is counted as named. For one thread.
 */
public final class NamedBases {

  private static final long MAX_BITS = 1L << 29;

  /** What a container takes by itself. */
  private static final int BITS_EACH = 1024;

  private final Map<Long, BitSet> numbers = new TreeMap<>();
  private long bits;
  private long leftOut;

  /** Adds bases with consecutive numbers. */
  public void add(long container, int first, int count) {
    BitSet known = numbers.get(container);
    long before = known == null ? -BITS_EACH : known.size();
    if (first + count > before && bits + first + count - before > MAX_BITS) {
      leftOut += count;
      return;
    }
    if (known == null) {
      known = new BitSet();
      numbers.put(container, known);
    }
    known.set(first, first + count);
    bits += known.size() - before;
  }

  /** Puts what there is to tell. */
  public void tell(Map<String, Object> facts) {
    facts.put("bases", numbers.values().stream().mapToLong(BitSet::cardinality).sum());
    if (leftOut > 0) {
      facts.put("basesLeftOut", leftOut);
    }
    if (!numbers.isEmpty()) {
      List<String> containers =
          numbers.keySet().stream().map(ContainerNames::hex).collect(Collectors.toList());
      facts.put("containersOfBases", containers);
    }
  }
}
