/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.dba;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** A fingerprint index in memory. Elements are numbers; {@link #fingerprint} makes them long. */
final class ToyIndex implements SegmentSource {

  private final Map<Integer, Set<Long>> bySegment = new HashMap<>();
  private final Map<Integer, Long> generations = new HashMap<>();
  private final Map<Long, Integer> segments = new HashMap<>();

  private boolean failing;
  private int failAfter = Integer.MAX_VALUE;
  private int scans;

  /** Writes the fingerprint of an element. */
  static void fingerprint(long element, byte[] bytes, int index) {
    ByteBuffer out = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    for (int i = 0; i < 4; i++) {
      out.putLong(index * 32 + 8 * i, mix(element * 4 + i));
    }
  }

  static byte[] fingerprints(long... elements) {
    byte[] bytes = new byte[elements.length * 32];
    for (int i = 0; i < elements.length; i++) {
      fingerprint(elements[i], bytes, i);
    }
    return bytes;
  }

  private static long mix(long element) {
    long z = element * 0x9E3779B97F4A7C15L + 12345;
    z = (z ^ (z >>> 32)) * 0xD6E8FEB86659FD93L;
    z = (z ^ (z >>> 29)) * 0xA0761D6478BD642FL;
    return z ^ (z >>> 32);
  }

  synchronized void put(long element, int segment) {
    bySegment.computeIfAbsent(segment, s -> new HashSet<>()).add(element);
    generations.merge(segment, 1L, Long::sum);
    segments.put(element, segment);
  }

  /** Removes an element and returns its segment. */
  synchronized int remove(long element) {
    int segment = segments.remove(element);
    Set<Long> left = bySegment.get(segment);
    left.remove(element);
    if (left.isEmpty()) {
      bySegment.remove(segment);
    }
    return segment;
  }

  synchronized Integer segmentOf(long element) {
    return segments.get(element);
  }

  synchronized List<Long> elements() {
    return new ArrayList<>(segments.keySet());
  }

  /** From now on every call fails, or none. */
  synchronized void setFailing(boolean fail) {
    failing = fail;
  }

  /** Makes scans fail after this many fingerprints. */
  synchronized void failAfter(int fingerprints) {
    failAfter = fingerprints;
  }

  synchronized int scans() {
    return scans;
  }

  @Override
  public synchronized Collection<Integer> segments() throws IOException {
    check();
    return new ArrayList<>(bySegment.keySet());
  }

  @Override
  public synchronized long generation(int segment) throws IOException {
    check();
    return generations.getOrDefault(segment, 0L);
  }

  @Override
  public void scan(int segment, FingerprintVisitor visitor) throws IOException {
    List<Long> all;
    int limit;
    synchronized (this) {
      check();
      scans++;
      all = new ArrayList<>(bySegment.getOrDefault(segment, Set.of()));
      limit = failAfter;
    }
    byte[] bytes = new byte[40];
    byte[] fingerprint = new byte[32];
    for (int i = 0; i < all.size(); i++) {
      if (i == limit) {
        throw new IOException("the index is gone");
      }
      fingerprint(all.get(i), fingerprint, 0);
      System.arraycopy(fingerprint, 0, bytes, 7, 32);
      if (!visitor.visit(bytes, 7)) {
        return;
      }
    }
  }

  private void check() throws IOException {
    if (failing) {
      throw new IOException("the index is gone");
    }
  }
}
