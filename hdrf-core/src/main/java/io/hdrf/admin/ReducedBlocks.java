/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.admin;

import io.hdrf.block.StoredBlocks;
import java.io.IOException;

/**
 * How many reduced blocks lie on a volume, for one pool, as the files themselves show. Immutable.
 */
public final class ReducedBlocks {
  private static final String SEPARATOR = "\t";
  private static final int FIELDS = 4;

  private final String directory;
  private final long current;
  private final long elsewhere;
  private final long damaged;

  /**
   * @param directory where HDRF's part of the pool lies on the volume
   * @param count what the files show
   */
  public ReducedBlocks(String directory, StoredBlocks.Count count) {
    this(directory, count.current(), count.elsewhere(), count.damaged());
  }

  private ReducedBlocks(String directory, long current, long elsewhere, long damaged) {
    this.directory = directory;
    this.current = current;
    this.elsewhere = elsewhere;
    this.damaged = damaged;
  }

  /** As text on one line. */
  public String encode() {
    return String.join(
        SEPARATOR,
        directory,
        Long.toString(current),
        Long.toString(elsewhere),
        Long.toString(damaged));
  }

  /** Reads {@link #encode}'s text. */
  public static ReducedBlocks decode(String text) throws IOException {
    String[] fields = text.split(SEPARATOR, -1);
    try {
      if (fields.length >= FIELDS) {
        return new ReducedBlocks(
            fields[0],
            Long.parseLong(fields[1]),
            Long.parseLong(fields[2]),
            Long.parseLong(fields[3]));
      }
    } catch (NumberFormatException e) {
      throw new IOException("no number of reduced blocks: " + text, e);
    }
    throw new IOException("no number of reduced blocks: " + text);
  }

  public String directory() {
    return directory;
  }

  /** Those in service. */
  public long current() {
    return current;
  }

  /** Those kept for going back ({@code previous}) or deleted while an upgrade is open. */
  public long elsewhere() {
    return elsewhere;
  }

  /** Files that begin like a reduced block, and are neither one nor proved plain. */
  public long damaged() {
    return damaged;
  }

  /** All that stock HDFS could not read. */
  public long total() {
    return current + elsewhere + damaged;
  }
}
