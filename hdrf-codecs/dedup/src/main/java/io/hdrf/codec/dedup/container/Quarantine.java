/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.container;

import io.hdrf.io.ChannelFile;
import io.hdrf.io.CorruptFileException;
import io.hdrf.io.DurableFile;
import io.hdrf.io.DurableFiles;
import io.hdrf.io.ReadableFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.BitSet;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The chunks of a store that are known to be damaged. Safe for use by many threads. */
final class Quarantine {

  static final String NAME = "quarantine";
  static final String TEMPORARY = "quarantine.tmp";

  /** Where more runs of a container are damaged, all between the first and the last one are. */
  private static final int MAX_RUNS = 1000;

  private static final Logger LOG = LoggerFactory.getLogger(Quarantine.class);

  private final Path directory;
  private final DurableFiles files;

  /** The bit sets are never changed, but replaced. */
  private final ConcurrentHashMap<Long, BitSet> bad = new ConcurrentHashMap<>();

  private Quarantine(Path directory, DurableFiles files) {
    this.directory = directory;
    this.files = files;
  }

  /**
   * Reads the file, if there is one. A damaged one is kept under another name: damage that it tells
   * of will be found again.
   *
   * @throws io.hdrf.io.UnknownFormatVersionException if a later version wrote it
   */
  static Quarantine load(Path directory, DurableFiles files) throws IOException {
    Quarantine quarantine = new Quarantine(directory, files);
    Path path = directory.resolve(NAME);
    files.deleteIfExists(directory.resolve(TEMPORARY));
    if (Files.exists(path)) {
      try {
        quarantine.bad.putAll(read(path));
      } catch (CorruptFileException e) {
        Path kept = directory.resolve(NAME + ".damaged");
        LOG.warn("{}; it is kept as {}, and begun anew", e.getMessage(), kept);
        files.rename(path, kept);
        files.forceDirectory(directory);
      }
    }
    return quarantine;
  }

  private static SortedMap<Long, BitSet> read(Path path) throws IOException {
    try (ReadableFile file = ChannelFile.open(path)) {
      long length = file.length();
      ContainerFormat.requireRange(path, "length", 0, QuarantineFormat.MAX_FILE_LENGTH, length);
      ByteBuffer bytes = ByteBuffer.allocate((int) length);
      file.read(bytes, 0);
      bytes.flip();
      return QuarantineFormat.parse(path, bytes);
    }
  }

  /** Whether no chunk of a container is known to be damaged. */
  boolean isGood(long container) {
    return !bad.containsKey(container);
  }

  /** Whether a chunk is known to be damaged. */
  boolean isBad(long container, int number) {
    BitSet numbers = bad.get(container);
    return numbers != null && numbers.get(number);
  }

  /** Numbers of the damaged chunks of a container. */
  BitSet numbers(long container) {
    BitSet numbers = bad.get(container);
    return numbers == null ? new BitSet() : (BitSet) numbers.clone();
  }

  /** Adds chunks. They count at once; they also do so after a restart unless this fails. */
  synchronized void add(long container, BitSet numbers) throws IOException {
    BitSet all = numbers(container);
    int before = all.cardinality();
    all.or(numbers);
    if (QuarantineFormat.runs(all) > MAX_RUNS) {
      all.set(all.nextSetBit(0), all.length());
    }
    if (all.cardinality() > before) {
      bad.put(container, all);
      write();
    }
  }

  /** Forgets a container that was found sound, or deleted. */
  synchronized void remove(long container) throws IOException {
    if (bad.remove(container) != null) {
      write();
    }
  }

  private void write() throws IOException {
    Path temporary = directory.resolve(TEMPORARY);
    files.deleteIfExists(temporary);
    try (DurableFile file = files.create(temporary)) {
      file.write(ByteBuffer.wrap(QuarantineFormat.encode(new TreeMap<>(bad))), 0);
      file.force();
    }
    files.rename(temporary, directory.resolve(NAME));
    files.forceDirectory(directory);
  }
}
