/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.index;

import io.hdrf.codec.dedup.container.ContainerInfo;
import io.hdrf.codec.dedup.container.ContainerStore;
import io.hdrf.codec.dedup.container.MissingChunkException;
import io.hdrf.codec.dedup.container.Throttle;
import io.hdrf.codec.dedup.container.format.ChunkRef;
import io.hdrf.codec.dedup.container.format.ContainerDirectory;
import io.hdrf.codec.dedup.container.format.Fingerprinter;
import io.hdrf.jni.CuckooTable;
import io.hdrf.spi.io.UnknownFormatVersionException;
import io.hdrf.spi.scheme.CorruptFrameException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.NavigableSet;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The entries of an index in memory: a table with the containers of the sampled chunks, and nothing
 * else. A file keeps it over restarts. What the table lacks is read from the directories of the
 * containers, the newest first: all of them where there was no file that could be used, when the
 * table has grown, and where entries were lost as others needed half of it; those that came later
 * where the process was killed, and the file is old. Safe for use by many threads, of which one,
 * the index's own, calls {@link #open} and {@link #fill}.
 */
final class CuckooIndex {

  private static final Logger LOG = LoggerFactory.getLogger(CuckooIndex.class);

  private static final int BATCH = RecentPlaces.MAX_COUNT;

  /** What the footer of a container counts as that is read for its number of chunks. */
  private static final int FOOTER = 32 << 10;

  /** Where memory comes and goes: so many times as long as it took to read containers. */
  private static final int REST = 10;

  /** When containers are tried again that could not be read. */
  private static final long AGAIN_NANOS = TimeUnit.MINUTES.toNanos(10);

  private final ContainerStore containers;
  private final PlacesFile file;
  private final IndexCounters counters;
  private final int sample;
  private final SampledPlaces places;
  private final LongSupplier nanoTime;

  // For the index's own thread, and for who closes it after that has ended.
  private final byte[] fingerprints = new byte[BATCH * Fingerprinter.LENGTH];
  private final long[] refs = new long[BATCH];
  private final long[] known = new long[BATCH];
  private final int[] missing = new int[BATCH];
  private boolean opened;

  /** Whether the file was read, with success or without. */
  private boolean tried;

  /** Whether containers are still to be read: from the next one down to the last before the end. */
  private boolean filling;

  private long next;
  private long end;

  /** When that began. */
  private long began;

  /** When a table that was halved, or lost, may take memory again. */
  private long restsUntil;

  /** How many entries the chunks of what was read have, those included that were there already. */
  private long filled;

  /** Whether the table has copies of entries that nobody finds, and that count as old. */
  private boolean grown;

  /** Containers that could not be read, and may be sound. */
  private final NavigableSet<Long> unread = new TreeSet<>();

  /** When these are tried next. */
  private long againAt;

  /** About the number of containers that are still to be read; 1 until that is known. */
  private volatile int toRead = 1;

  /**
   * @param nanoTime as {@link System#nanoTime}
   */
  CuckooIndex(
      ContainerStore containers,
      PlacesFile file,
      IndexSettings settings,
      IndexCounters counters,
      LongSupplier nanoTime) {
    this.containers = containers;
    this.file = file;
    this.counters = counters;
    this.sample = settings.sample();
    this.places = new SampledPlaces(settings.entryMemory(), containers.memory());
    this.nanoTime = nanoTime;
    this.restsUntil = nanoTime.getAsLong();
  }

  /** Leaves a file that says that the index is in memory; to be called before it gets entries. */
  void begin() {
    try {
      file.begin();
    } catch (IOException e) {
      LOG.warn(
          "{} can't be made. If this process is killed and hdrf.dedup.index becomes dba, what is"
              + " stored now is not found again",
          file.path(),
          e);
    }
  }

  SampledPlaces places() {
    return places;
  }

  /** Makes every n-th of some chunks known, which are durable. */
  void publish(byte[] newFingerprints, long[] newRefs, int count) {
    int entries = (count + sample - 1) / sample;
    for (int i = 0; i < entries; i += BATCH) {
      places.put(newFingerprints, newRefs, i * sample, sample, Math.min(entries - i, BATCH));
    }
    counters.written.add(entries);
  }

  /**
   * Makes a table where there is none: reads the file, at first, or finds out how large a table is
   * to be. Others may have needed all of the memory since: then it waits a while.
   *
   * @param throttle fails if this is to end; then it is done next time
   */
  void open(Throttle throttle) throws IOException {
    if (places.isThere()) {
      return;
    }
    if (filling) {
      rest();
    }
    toRead = Math.max(toRead, 1);
    if (isResting()) {
      return;
    }
    long last = tried ? PlacesFile.NONE : file.load(places, throttle);
    tried = true;
    if (last == PlacesFile.NONE) {
      CuckooTable table = places.newTable(entries(throttle), RecentPlaces.MIN_LOG2);
      if (table == null) {
        // Others may have given way next time.
        return;
      }
      places.use(table);
      counters.rebuilds.increment();
      last = -1;
    }
    opened = true;
    grown = false;
    // Chunks that came before the table was there lie in containers that are read now.
    startReading(last);
  }

  /** About how many entries the containers' chunks have. */
  private long entries(Throttle throttle) throws IOException {
    long chunks = 0;
    for (ContainerInfo container : containers.containers()) {
      throttle.acquire(FOOTER);
      chunks += container.chunkCount();
    }
    // Each group begins with an entry, and most are no multiple of the sample.
    return chunks / sample + chunks / sample / 4;
  }

  private boolean isResting() {
    return nanoTime.getAsLong() - restsUntil < 0;
  }

  /** Containers are not read any more. */
  private void rest() {
    filling = false;
    toRead = 0;
    long now = nanoTime.getAsLong();
    restsUntil = now + REST * (now - began);
  }

  private void startReading(long before) {
    began = nanoTime.getAsLong();
    next = containers.last();
    end = before;
    filled = 0;
    unread.clear();
    toRead = containers.countAfter(before);
    filling = true;
    if (toRead > 0) {
      LOG.info("{} containers are read for the index of {}", toRead, file.path());
    }
  }

  /**
   * Has the table grow if it is full, or has lost entries because it was halved, and reads what
   * containers are to be read for it.
   *
   * @param throttle fails if this is to end; it goes on next time
   */
  void fill(BooleanSupplier stopping, Throttle throttle) throws IOException {
    if (!opened) {
      return;
    }
    if (!filling
        && !grown
        && (places.hasLost() ? !isResting() : places.isFull())
        && places.makeTwice()) {
      grown = true;
      startReading(-1);
    }
    if (!filling) {
      readAgain(stopping, throttle);
      return;
    }
    while (next > end && filled < places.limit()) {
      if (stopping.getAsBoolean()) {
        return;
      }
      read(next, throttle);
      next = containers.previous(next);
      toRead = Math.max(0, toRead - 1);
    }
    if (grown && unread.isEmpty()) {
      // Copies that stay would fill the next larger table, too, and so on.
      dropOld();
    } else if (!grown && filled > 0) {
      // The newest came first, but are not to go first.
      places.makeOld();
    }
    // Else what is old stays until what could not be read was tried again.
    rest();
    LOG.info("The index of {} is complete: {} entries", file.path(), places.count());
  }

  /**
   * Adds what a container has that got fingerprints after it was read.
   *
   * @return false if this is to be done later
   */
  boolean add(long container, Throttle throttle) throws IOException {
    if (!opened || filling) {
      return false;
    }
    filled = 0;
    read(container, throttle);
    return true;
  }

  private void dropOld() {
    places.dropOld();
    grown = false;
  }

  private void readAgain(BooleanSupplier stopping, Throttle throttle) throws IOException {
    if (grown && (unread.isEmpty() || places.mustDropOld())) {
      dropOld();
    }
    if (unread.isEmpty() || nanoTime.getAsLong() - againAt < 0) {
      return;
    }
    filled = 0;
    for (long container : new ArrayList<>(unread)) {
      if (stopping.getAsBoolean()) {
        return;
      }
      read(container, throttle);
    }
    againAt = nanoTime.getAsLong() + AGAIN_NANOS;
    if (grown) {
      // What still can't be read can't be confirmed either.
      dropOld();
    }
  }

  private void read(long container, Throttle throttle) throws IOException {
    boolean loaded = containers.isLoaded(container);
    ContainerDirectory content;
    try {
      content = containers.directory(container);
    } catch (CorruptFrameException | MissingChunkException | UnknownFormatVersionException e) {
      LOG.debug("Container {} is not in the index", container, e);
      unread.remove(container);
      return;
    } catch (IOException | RuntimeException e) {
      if (unread.isEmpty()) {
        LOG.warn(
            "{} can't be read for the index now, nor maybe others; they are tried again every ten"
                + " minutes, and after the next start",
            containers.file(container),
            e);
        againAt = nanoTime.getAsLong() + AGAIN_NANOS;
      }
      unread.add(container);
      return;
    }
    if (!loaded) {
      throttle.acquire(content.memory());
    }
    int count = 0;
    for (int i = 0; i < content.chunkCount(); i++) {
      if (IndexRebuild.hasEntry(content, i, sample)) {
        content.fingerprint(i, fingerprints, count * Fingerprinter.LENGTH);
        refs[count] = ChunkRef.pack(container, content.number(i));
        count++;
      }
      if (count == BATCH || i + 1 == content.chunkCount()) {
        put(container, count);
        count = 0;
      }
    }
    unread.remove(container);
  }

  /** Puts what is not known from later containers, as far as there is room. */
  private void put(long container, int most) {
    places.find(fingerprints, most, known);
    long limit = places.limit();
    int missingCount = 0;
    for (int i = 0; i < most && filled < limit; i++) {
      // Also finds that there is none.
      boolean isMissing = known[i] < container || !containers.exists(known[i]);
      if (isMissing) {
        missing[missingCount] = i;
        missingCount++;
      }
      // What a later container has, too, takes no more room, and was counted there.
      filled += isMissing || known[i] == container ? 1 : 0;
    }
    places.put(fingerprints, refs, missing, missingCount);
    if (grown && places.mustDropOld()) {
      // Entries of containers that are not read yet come back with these.
      dropOld();
    }
  }

  /** About the number of containers that are still to be read. */
  int toRead() {
    return toRead;
  }

  /** Writes the file, if the table is complete. The own thread has ended. */
  void close() {
    long last =
        unread.isEmpty() ? containers.last() : Math.min(containers.last(), unread.first() - 1);
    if (grown) {
      // The next process reads again what was not confirmed.
      dropOld();
    }
    CuckooTable table = places.take();
    if (places.hasLost()) {
      // Asked now, as it is halved no more. The next process reads all.
      last = -1;
    }
    try {
      if (opened && !filling && table != null) {
        file.store(table, places.hash(), last);
      }
    } finally {
      if (table != null) {
        table.free();
      }
      places.close();
    }
  }
}
