/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.dba;

import static org.assertj.core.api.Assertions.assertThat;

import io.hdrf.spi.io.DurableFiles;
import io.hdrf.spi.io.LocalDurableFiles;
import io.hdrf.spi.memory.MemoryBudget;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** An array with its index, used as by the scheme. */
final class ArrayUser implements AutoCloseable {

  private static final int BATCH = 300;

  final ToyIndex index;
  final Candidates candidates = new Candidates();
  private BloomFilterArray array;
  private long next;

  private ArrayUser(ToyIndex index) {
    this.index = index;
  }

  static ArrayUser open(Path directory, DbaSettings settings) throws IOException {
    return open(directory, LocalDurableFiles.INSTANCE, settings, new ToyIndex());
  }

  static ArrayUser open(Path directory, DurableFiles files, DbaSettings settings, ToyIndex index)
      throws IOException {
    return open(directory, files, settings, index, MemoryBudget.unlimited());
  }

  static ArrayUser open(
      Path directory, DurableFiles files, DbaSettings settings, ToyIndex index, MemoryBudget memory)
      throws IOException {
    ArrayUser user = new ArrayUser(index);
    user.array = BloomFilterArray.open(directory, files, settings, index, memory);
    return user;
  }

  /** Elements are numbered from here on. */
  ArrayUser from(long first) {
    next = first;
    return this;
  }

  BloomFilterArray array() {
    return array;
  }

  DbaCounters counters() {
    return array.counters();
  }

  /** Adds new elements; returns how many of them have a segment. */
  int add(int count) {
    int indexed = 0;
    for (int done = 0; done < count; done += BATCH) {
      int batch = Math.min(BATCH, count - done);
      byte[] bytes = new byte[batch * 32];
      for (int i = 0; i < batch; i++) {
        ToyIndex.fingerprint(next + i, bytes, i);
      }
      int[] segments = new int[batch];
      try (Insertion insertion = array.insert(bytes, batch, segments)) {
        assertThat(insertion).isNotNull();
        for (int i = 0; i < batch; i++) {
          if (segments[i] != BloomFilterArray.NO_SEGMENT) {
            index.put(next + i, segments[i]);
            indexed++;
          }
        }
      }
      next += batch;
    }
    return indexed;
  }

  void remove(long element) {
    array.deleted(index.remove(element), 1);
  }

  void maintainAll() {
    int units = 0;
    while (array.maintain()) {
      assertThat(++units).as("units of work without end").isLessThan(100_000);
    }
  }

  boolean isCandidate(long element, int segment) {
    array.query(ToyIndex.fingerprints(element), 1, candidates);
    for (int i = 0; i < candidates.size(0); i++) {
      if (candidates.segment(0, i) == segment) {
        return true;
      }
    }
    return !candidates.isComplete();
  }

  /** Every element in the index is found. */
  void checkAll(String when) {
    check(index.elements(), when);
  }

  void check(List<Long> elements, String when) {
    byte[] bytes = new byte[elements.size() * 32];
    for (int i = 0; i < elements.size(); i++) {
      ToyIndex.fingerprint(elements.get(i), bytes, i);
    }
    array.query(bytes, elements.size(), candidates);
    for (int i = 0; i < elements.size(); i++) {
      Integer segment = index.segmentOf(elements.get(i));
      boolean found = segment == null || !candidates.isComplete();
      for (int j = 0; j < candidates.size(i) && !found; j++) {
        found = candidates.segment(i, j) == segment;
      }
      if (!found) {
        throw new AssertionError(
            when + ": " + elements.get(i) + " is missing from segment " + segment);
      }
    }
  }

  /** Returns how many of {@code count} elements that were never added have a candidate. */
  int falsePositives(int count) {
    int positives = 0;
    byte[] bytes = new byte[1024 * 32];
    for (int done = 0; done < count; done += 1024) {
      int batch = Math.min(1024, count - done);
      for (int i = 0; i < batch; i++) {
        ToyIndex.fingerprint((1L << 50) + next + done + i, bytes, i);
      }
      array.query(bytes, batch, candidates);
      for (int i = 0; i < batch; i++) {
        positives += candidates.size(i) > 0 ? 1 : 0;
      }
    }
    return positives;
  }

  @Override
  public void close() throws IOException {
    array.close();
  }
}
