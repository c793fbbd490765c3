/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.dba;

import io.hdrf.spi.io.CorruptFileException;
import io.hdrf.spi.io.UnknownFormatVersionException;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Learns which filters there are, and fills those that have no bits yet, from their files or from
 * the index. For one thread at a time.
 */
final class FilterLoader {

  private static final Logger LOG = LoggerFactory.getLogger(FilterLoader.class);

  private static final Object LISTING = new Object();

  private final FilterTable table;
  private final FilterDirectory directory;
  private final SegmentSource source;
  private final SegmentScan scan;
  private final DbaSettings settings;
  private final DbaCounters counters;
  private final Retries retries;

  FilterLoader(
      FilterTable table,
      FilterDirectory directory,
      SegmentSource source,
      SegmentScan scan,
      DbaSettings settings,
      DbaCounters counters,
      Retries retries) {
    this.table = table;
    this.directory = directory;
    this.source = source;
    this.scan = scan;
    this.settings = settings;
    this.counters = counters;
    this.retries = retries;
  }

  /** Reads the headers of all files. Only damaged files are an exception here, and are counted. */
  void readFiles() throws IOException {
    List<FilterFile> headers = new ArrayList<>();
    for (Path path : directory.list()) {
      try {
        FilterFile header = FilterDirectory.readHeader(path);
        if (!path.equals(directory.path(header.segments()[0]))) {
          throw new CorruptFileException(path, "it is the file of another segment");
        }
        headers.add(header);
      } catch (CorruptFileException e) {
        counters.damaged.increment();
        LOG.warn("A filter will be made anew from the index", e);
        directory.delete(path);
      } catch (UnknownFormatVersionException e) {
        LOG.info("A filter will be made anew from the index: {}", e.getMessage());
      } catch (IOException e) {
        counters.damaged.increment();
        LOG.warn("A filter will be made anew from the index", e);
      }
    }
    // A merged filter may have been written, and the file of the other not yet deleted.
    headers.sort(
        Comparator.<FilterFile>comparingInt(header -> -header.segments().length)
            .thenComparingInt(header -> -header.segments()[0]));
    Set<Integer> claimed = new HashSet<>();
    List<Filter> filters = new ArrayList<>();
    long bytes = 0;
    for (FilterFile header : headers) {
      for (int segment : header.segments()) {
        table.reserve(segment);
      }
      if (Arrays.stream(header.segments()).anyMatch(claimed::contains)) {
        directory.delete(header.segments()[0]);
        continue;
      }
      bytes += header.shape().groupBytes(1);
      if (settings.memory() != DbaSettings.UNLIMITED && bytes > settings.memory()) {
        counters.retired.add(header.segments().length);
        directory.delete(header.segments()[0]);
        continue;
      }
      Filter filter = new Filter(header.shape(), header.segments());
      filter.elements = header.elements();
      filter.stale = header.stale();
      filter.file = header;
      filters.add(filter);
      Arrays.stream(header.segments()).forEach(claimed::add);
    }
    filters.sort(Comparator.comparingInt(Filter::name));
    table.allocator().addPending(filters);
  }

  /** Learns which segments there are. */
  boolean list() {
    if (table.isComplete() || retries.isPutOff(LISTING)) {
      return false;
    }
    return retries.make(LISTING, "The list of segments", () -> addMissing(source.segments()));
  }

  private void addMissing(Collection<Integer> segments) {
    TreeSet<Integer> missing = new TreeSet<>();
    for (int segment : segments) {
      table.reserve(segment);
      if (!table.isKnown(segment)) {
        missing.add(segment);
      }
    }
    List<Filter> filters = new ArrayList<>();
    Shape shape;
    synchronized (table) {
      shape = table.budget().shapeFor(table.groups(), missing.size());
    }
    long bytes = 0;
    for (int segment : missing.descendingSet()) {
      bytes += shape.groupBytes(1);
      if (table.allocator().fitsMemory(bytes)) {
        filters.add(new Filter(shape, segment));
      } else {
        counters.retired.increment();
      }
    }
    filters.sort(Comparator.comparingInt(Filter::name));
    table.allocator().addPending(filters);
    table.setComplete();
  }

  /** Fills a filter; returns whether there was one. */
  boolean loadOne() {
    for (Filter filter : table.filters()) {
      if (filter.pending && !retries.isPutOff(filter)) {
        return retries.make(filter, "Filling filter " + filter.name(), () -> load(filter));
      }
    }
    return false;
  }

  private void load(Filter filter) throws IOException {
    FilterFile file = filter.file;
    // Logged, so that its column is not taken away meanwhile.
    table.inserter().beginLog(filter);
    try {
      if (!table.has(filter)) {
        return;
      }
      ColumnBits bits = file != null && isCurrent(file) ? read(filter) : null;
      if (bits == null) {
        rebuild(filter);
      } else {
        table.fill(filter, bits, file.elements(), filter.stale, file.sealed());
        counters.loaded.increment();
      }
      filter.file = null;
    } finally {
      table.inserter().endLog();
    }
    table.removeEmpty(filter);
  }

  private boolean isCurrent(FilterFile file) throws IOException {
    for (int i = 0; i < file.segments().length; i++) {
      if (source.generation(file.segments()[i]) != file.generations()[i]) {
        return false;
      }
    }
    return true;
  }

  /** Returns the rows of the file; null if it can't be used. */
  private ColumnBits read(Filter filter) {
    try {
      ColumnBits bits = directory.readRows(filter.name());
      return bits.shape().equals(filter.shape) ? bits : null;
    } catch (NoSuchFileException e) {
      return null;
    } catch (IOException e) {
      counters.damaged.increment();
      LOG.warn("A filter is made anew from the index", e);
      return null;
    }
  }

  private void rebuild(Filter filter) throws IOException {
    ColumnBits bits = new ColumnBits(filter.shape);
    int elements = scan.run(filter, bits);
    if (elements > filter.shape.capacity()) {
      // The lost file belonged to an enlarged group.
      Shape larger = table.budget().holding(filter.shape, elements);
      if (!table.allocator().move(filter, larger)) {
        return;
      }
      bits = new ColumnBits(filter.shape);
      elements = scan.run(filter, bits);
    }
    synchronized (table) {
      filter.changed = true;
    }
    table.fill(filter, bits, elements, 0, elements >= filter.shape.capacity());
    counters.rebuilt.increment();
  }
}
