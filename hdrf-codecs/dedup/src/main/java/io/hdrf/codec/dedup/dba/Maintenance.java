/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.dba;

import java.io.IOException;
import java.util.function.BooleanSupplier;

/** The background work, in units. For one thread at a time. */
final class Maintenance {

  private static final Object DELETING = new Object();

  private final FilterTable table;
  private final FilterWriter writer;
  private final Retries retries;
  private final FilterLoader loader;
  private final ErrorControl errors;
  private final FilterRefresher refresher;
  private final GroupCombiner combiner;

  Maintenance(
      FilterTable table,
      FilterDirectory directory,
      FilterWriter writer,
      SegmentSource source,
      DbaSettings settings,
      DbaCounters counters,
      BooleanSupplier ended) {
    SegmentScan scan = new SegmentScan(source, counters, ended);
    this.table = table;
    this.writer = writer;
    this.retries = new Retries(counters);
    this.loader = new FilterLoader(table, directory, source, scan, settings, counters, retries);
    this.errors = new ErrorControl(table, scan, settings, counters, retries);
    this.refresher = new FilterRefresher(table, scan, settings, counters, retries);
    this.combiner = new GroupCombiner(table, settings, counters);
  }

  /**
   * Begins: learns what filters and segments there are. To be called once, before {@link #step}.
   *
   * @throws IOException if the files of filters can't be listed
   */
  void begin() throws IOException {
    loader.readFiles();
    loader.list();
  }

  /** Does one unit; returns whether there may be more. */
  boolean step() {
    boolean done =
        loader.list()
            || loader.loadOne()
            || errors.adjust()
            || refresher.refreshOne()
            || refresher.orMergeOne()
            || combiner.combineOne()
            || combiner.clearOne()
            || table.allocator().prepareRoom()
            || writeOne()
            || deleteFiles();
    if (!done) {
      retries.retryAll();
    }
    return done;
  }

  private boolean writeOne() {
    for (Filter filter : table.filters()) {
      boolean due;
      synchronized (table) {
        due = filter.changed && filter.sealed && !filter.pending;
      }
      if (due && !retries.isPutOff(filter)) {
        return retries.make(
            filter, "Writing filter " + filter.name(), () -> writer.writeOne(filter));
      }
    }
    return false;
  }

  private boolean deleteFiles() {
    if (retries.isPutOff(DELETING)) {
      return false;
    }
    try {
      return writer.deleteObsolete();
    } catch (IOException e) {
      return retries.make(
          DELETING,
          "Deleting files of filters",
          () -> {
            throw e;
          });
    }
  }
}
