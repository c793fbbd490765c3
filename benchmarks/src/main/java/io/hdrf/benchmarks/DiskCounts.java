/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.benchmarks;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * What this process and its children ask of the files below one directory, as the library {@code
 * io_counts.c} counts it; 0 all the time where that is not preloaded. What the kernel is asked to
 * read ahead counts then, and no more as long as the file is open; whatever else the page cache
 * answers counts as well. For one thread.
 */
final class DiskCounts {

  /** Names the file that is shared with the library; see {@code benchmarks/scale}. */
  private static final String VARIABLE = "HDRF_IO_COUNTS";

  /** As in the library. */
  private static final int UNDER_LENGTH = 4096;

  /** As in the library, in its order. */
  enum Kind {
    BLOCKS(0),
    CONTAINERS(1),
    INDEX(2),
    OTHER(3);

    private final int place;

    Kind(int place) {
      this.place = place;
    }
  }

  private static final int COUNTERS = 8;
  private static final int LENGTH = UNDER_LENGTH + Kind.values().length * COUNTERS * Long.BYTES;

  private final ByteBuffer shared;

  /** A disk turns: so long until its head is at another place, and so much is read or written. */
  private static final double SECONDS_PER_SEEK = 0.008;

  private static final double BYTES_PER_SECOND = 150e6;

  /**
   * So much of one kind of files.
   *
   * @param names files and directories that were opened, or looked for
   * @param reads calls
   * @param seeks reads that did not begin where the last one of the file ended
   * @param forces of files and directories
   * @param moves reads that did not begin where the last one of all files ended: what one head does
   *     where nothing puts reads in order
   */
  record Counts(
      long names,
      long reads,
      long readBytes,
      long seeks,
      long writes,
      long writtenBytes,
      long forces,
      long moves) {

    static final Counts NONE = new Counts(0, 0, 0, 0, 0, 0, 0, 0);

    Counts plus(Counts other) {
      return new Counts(
          names + other.names,
          reads + other.reads,
          readBytes + other.readBytes,
          seeks + other.seeks,
          writes + other.writes,
          writtenBytes + other.writtenBytes,
          forces + other.forces,
          moves + other.moves);
    }

    Counts minus(Counts other) {
      return new Counts(
          names - other.names,
          reads - other.reads,
          readBytes - other.readBytes,
          seeks - other.seeks,
          writes - other.writes,
          writtenBytes - other.writtenBytes,
          forces - other.forces,
          moves - other.moves);
    }

    /**
     * The time of a rotating disk with nothing in the page cache but names. Each force is a seek;
     * other writes are put in order by the kernel.
     */
    double diskSeconds() {
      return (seeks + forces) * SECONDS_PER_SEEK + (readBytes + writtenBytes) / BYTES_PER_SECOND;
    }
  }

  /** Counts from 0 below a directory, instead of another one. */
  DiskCounts(Path under) throws IOException {
    String file = System.getenv(VARIABLE);
    if (file == null) {
      shared = ByteBuffer.allocate(LENGTH);
    } else {
      try (FileChannel channel =
          FileChannel.open(
              Path.of(file),
              StandardOpenOption.CREATE,
              StandardOpenOption.READ,
              StandardOpenOption.WRITE)) {
        MappedByteBuffer map = channel.map(FileChannel.MapMode.READ_WRITE, 0, LENGTH);
        shared = map;
      }
    }
    shared.order(ByteOrder.nativeOrder());
    byte[] name = under.toAbsolutePath().toString().getBytes(StandardCharsets.UTF_8);
    if (name.length >= UNDER_LENGTH) {
      throw new IOException(under + ": the name is too long");
    }
    shared.put(0, new byte[LENGTH]);
    shared.put(0, name);
  }

  /** Whether anything is counted at all. */
  static boolean isCounting() {
    return System.getenv(VARIABLE) != null;
  }

  /** The counts so far of one kind. */
  Counts of(Kind kind) {
    int at = UNDER_LENGTH + kind.place * COUNTERS * Long.BYTES;
    long[] values = new long[COUNTERS];
    for (int i = 0; i < COUNTERS; i++) {
      values[i] = shared.getLong(at + i * Long.BYTES);
    }
    return new Counts(
        values[0], values[1], values[2], values[3], values[4], values[5], values[6], values[7]);
  }

  /** The counts so far of all kinds. */
  Counts all() {
    Counts sum = Counts.NONE;
    for (Kind kind : Kind.values()) {
      sum = sum.plus(of(kind));
    }
    return sum;
  }
}
