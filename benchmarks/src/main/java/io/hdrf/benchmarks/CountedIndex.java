/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.benchmarks;

import io.hdrf.codec.dedup.dba.FingerprintVisitor;
import io.hdrf.codec.dedup.dba.SegmentSource;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * An index of elements that are numbered in the order in which they were added: it keeps the runs
 * of numbers in each segment, and makes the fingerprints again when it is scanned.
 */
final class CountedIndex implements SegmentSource {

  private static final int FINGERPRINT = 32;
  private static final VarHandle LITTLE_ENDIAN =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
  private static final int LONGS = FINGERPRINT / Long.BYTES;

  /** By segment: the first number of each run, and the number behind its last. */
  private final Map<Integer, TreeMap<Long, Long>> runs = new HashMap<>();

  /** Writes the fingerprint of an element: 32 bytes that are as good as random. */
  static void fingerprint(long element, byte[] out, int index) {
    for (int i = 0; i < LONGS; i++) {
      long z = (element * LONGS + i + 1) * 0x9E3779B97F4A7C15L;
      z = (z ^ (z >>> 32)) * 0xD6E8FEB86659FD93L;
      z = (z ^ (z >>> 29)) * 0xA0761D6478BD642FL;
      LITTLE_ENDIAN.set(out, index * FINGERPRINT + i * Long.BYTES, z ^ (z >>> 32));
    }
  }

  static byte[] buffer(int fingerprints) {
    return new byte[fingerprints * FINGERPRINT];
  }

  /** Adds elements in sequence, with the segment of each. */
  void add(long first, int[] segments) {
    for (int i = 0; i < segments.length; i++) {
      int from = i;
      while (i + 1 < segments.length && segments[i + 1] == segments[from]) {
        i++;
      }
      TreeMap<Long, Long> own = runs.computeIfAbsent(segments[from], s -> new TreeMap<>());
      Map.Entry<Long, Long> last = own.lastEntry();
      long begin = last != null && last.getValue() == first + from ? last.getKey() : first + from;
      own.put(begin, first + i + 1);
    }
  }

  @Override
  public Collection<Integer> segments() {
    return new TreeSet<>(runs.keySet());
  }

  @Override
  public long generation(int segment) {
    return runs.getOrDefault(segment, new TreeMap<>()).hashCode();
  }

  @Override
  public void scan(int segment, FingerprintVisitor visitor) {
    byte[] bytes = buffer(1);
    for (Map.Entry<Long, Long> run : runs.get(segment).entrySet()) {
      for (long element = run.getKey(); element < run.getValue(); element++) {
        fingerprint(element, bytes, 0);
        if (!visitor.visit(bytes, 0)) {
          return;
        }
      }
    }
  }
}
