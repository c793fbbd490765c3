/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.dba;

import io.hdrf.jni.FilterRows;
import io.hdrf.spi.io.DurableFiles;
import io.hdrf.spi.memory.MemoryBudget;
import io.hdrf.spi.scheme.ChunkFunction;
import java.io.Closeable;
import java.io.IOException;
import java.nio.LongBuffer;
import java.nio.file.Path;

/**
 * A dynamic Bloom filter array: which segments of the fingerprint index may hold a fingerprint?
 *
 * <p>Each filter stands for one segment (or for several whose filters were merged), so that a
 * candidate is looked up in that segment only. Filters are sealed when they are full, and new ones
 * are made on demand; they stand in groups, in which the bits of all filters for one position lie
 * side by side. For every fingerprint that was inserted and whose {@link Insertion} was closed
 * after the index had taken it, and that the index still holds, the answer names its segment,
 * except where that was given up for want of memory ({@link DbaCounters#retired}). Of all others at
 * most the error rate of the settings has candidates, once {@link #maintain} has done its work.
 *
 * <p>What is written to files can be made again from the index, and is, where a file is missing,
 * damaged or older than the index; until then each query names that segment.
 *
 * <p>Thread-safe. A query takes no lock.
 */
public final class BloomFilterArray implements Closeable {

  /** Stands for a segment where the element was not inserted and should not be put in the index. */
  public static final int NO_SEGMENT = -1;

  private final DbaCounters counters = new DbaCounters();
  private final FilterTable table;
  private final FilterWriter writer;
  private final Maintenance maintenance;
  private final Object maintenanceLock = new Object();
  private volatile boolean closed;

  private BloomFilterArray(
      FilterDirectory directory, DbaSettings settings, SegmentSource source, MemoryBudget memory) {
    this.table = new FilterTable(settings, counters, memory);
    this.writer = new FilterWriter(table, directory, source, counters);
    this.maintenance =
        new Maintenance(table, directory, writer, source, settings, counters, () -> closed);
  }

  /**
   * Opens the array in a directory, or begins one. Reads only the heads of files; the rest is left
   * to {@link #maintain}.
   *
   * @param directory for this array alone; made if it is missing
   * @param files makes the files
   * @param source the index, asked for its segments; if that fails, the array opens all the same,
   *     says so in its answers, and {@link #maintain} asks again
   * @param memory has room for all filters; the oldest are given up where there is none
   * @throws IOException if the directory can't be read or made
   */
  public static BloomFilterArray open(
      Path directory,
      DurableFiles files,
      DbaSettings settings,
      SegmentSource source,
      MemoryBudget memory)
      throws IOException {
    BloomFilterArray array =
        new BloomFilterArray(new FilterDirectory(directory, files), settings, source, memory);
    boolean begun = false;
    try {
      array.maintenance.begin();
      begun = true;
    } finally {
      if (!begun) {
        array.table.close();
      }
    }
    return array;
  }

  /** As above, with memory of its own. */
  public static BloomFilterArray open(
      Path directory, DurableFiles files, DbaSettings settings, SegmentSource source)
      throws IOException {
    return open(directory, files, settings, source, MemoryBudget.unlimited());
  }

  /**
   * Asks for fingerprints. Allocates nothing once {@code out} has grown.
   *
   * @param fingerprints {@code count} times 32 bytes
   * @param out gets the candidate segments of each
   */
  public void query(byte[] fingerprints, int count, Candidates out) {
    check(fingerprints, count);
    int entered = table.enter();
    try {
      FilterTable.View view = table.view();
      int negatives = out.fill(fingerprints, count, view.groups, view.complete);
      counters.queries.add(count);
      counters.candidates.add(out.total());
      if (view.complete) {
        counters.negatives.add(negatives);
      }
    } finally {
      table.exit(entered);
    }
  }

  /**
   * Puts new elements into the open filter, before they are put into the index. Queries that begin
   * after the return see them.
   *
   * @param fingerprints {@code count} times 32 bytes
   * @param segments gets the segment of each element, under which the index must hold it, or {@link
   *     #NO_SEGMENT} where it can't be indexed now
   * @return to be closed once the index holds the elements, or if it won't
   */
  public Insertion insert(byte[] fingerprints, int count, int[] segments) {
    check(fingerprints, count);
    if (closed) {
      throw new IllegalStateException("closed");
    }
    long[] hashes = new long[count * FilterRows.HASH_LONGS];
    FilterGroup.hash(fingerprints, 0, count, LongBuffer.wrap(hashes), 0);
    return table.inserter().insert(hashes, count, segments);
  }

  private static void check(byte[] fingerprints, int count) {
    if (count < 0 || (long) count * ChunkFunction.FINGERPRINT_LENGTH > fingerprints.length) {
      throw new IllegalArgumentException(
          count + " fingerprints in " + fingerprints.length + " bytes");
    }
  }

  /**
   * Says that elements have left the index.
   *
   * @param segment where they were
   * @param count how many
   */
  public void deleted(int segment, int count) {
    table.deleted(segment, count);
  }

  /**
   * Does one unit of background work: fills filters after a start, keeps the error rate, drops
   * deleted elements, merges filters and groups, writes sealed filters. It may take as long as
   * scanning all segments of a group. What fails is logged, counted and put off.
   *
   * @return whether there may be more to do now; if not, ask again later
   */
  public boolean maintain() {
    synchronized (maintenanceLock) {
      int entered = table.enter();
      try {
        return !closed && maintenance.step();
      } finally {
        table.settle();
        table.exit(entered);
      }
    }
  }

  /**
   * Writes the filters that have changed, but for large ones that are nearly empty; on return they
   * are durable.
   */
  public void flush() throws IOException {
    int entered = table.enter();
    try {
      writer.flush(false);
    } finally {
      table.exit(entered);
    }
  }

  /**
   * Writes what has changed, unfinished work excepted, and gives the memory back. Ends a running
   * scan. Queries that come later learn that any segment may hold each fingerprint.
   */
  @Override
  public void close() throws IOException {
    if (closed) {
      return;
    }
    closed = true;
    synchronized (maintenanceLock) {
      int entered = table.enter();
      try {
        writer.flush(true);
      } finally {
        table.exit(entered);
        table.close();
      }
    }
  }

  public DbaCounters counters() {
    return counters;
  }

  /** Returns whether all segments of the index are known; until then nothing may be inserted. */
  public boolean isComplete() {
    return table.isComplete();
  }

  /**
   * Returns whether a filter stands for a segment, or will; once this array {@link #isComplete},
   * what the index holds under any other is not found any more.
   */
  public boolean isKnown(int segment) {
    return table.isKnown(segment);
  }

  /** Returns the number of filters. */
  public int filters() {
    return table.filterCount();
  }

  /** The share of absent fingerprints that would have a candidate if all filters were full. */
  public double errorRate() {
    return table.errorRate();
  }

  /** Groups as queries go through them, for the benchmark and tests: width, rows and filters. */
  public String describe() {
    StringBuilder text = new StringBuilder();
    for (FilterGroup group : table.view().groups) {
      text.append(text.length() == 0 ? "" : "; ");
      text.append(group.filterCount()).append(" of ").append(group.width()).append(", ");
      text.append(group.shape());
    }
    return text.toString();
  }
}
