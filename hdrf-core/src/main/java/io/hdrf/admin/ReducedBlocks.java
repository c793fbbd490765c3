/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.admin;

import io.hdrf.block.StoredBlocks;
import java.io.IOException;

/**
 * The number of reduced blocks on a volume, for one pool, counted in the files themselves; or the
 * reason why they could not be counted. Immutable.
 */
public final class ReducedBlocks {
  private static final String SEPARATOR = "\t";
  private static final int FIELDS = 4;

  private final String directory;
  private final long current;
  private final long elsewhere;
  private final long damaged;
  private final String obstacle;

  /**
   * @param directory HDRF's directory of the pool on the volume
   * @param count the count from the files
   */
  public ReducedBlocks(String directory, StoredBlocks.Count count) {
    this(
        directory,
        count.current(),
        count.elsewhere(),
        count.damaged(),
        count.obstacle().replaceAll("\\s+", " "));
  }

  private ReducedBlocks(
      String directory, long current, long elsewhere, long damaged, String obstacle) {
    this.directory = directory;
    this.current = current;
    this.elsewhere = elsewhere;
    this.damaged = damaged;
    this.obstacle = obstacle;
  }

  /** Returns the result for a directory without a pool, where no block can be. */
  static ReducedBlocks none(String directory) {
    return new ReducedBlocks(directory, 0, 0, 0, "");
  }

  /**
   * Returns the result for a directory whose blocks were not looked at.
   *
   * @param why the reason, not empty
   */
  public static ReducedBlocks notCounted(String directory, String why) {
    return new ReducedBlocks(directory, 0, 0, 0, why.replaceAll("\\s+", " "));
  }

  /** Returns this as text on one line. */
  public String encode() {
    return String.join(
        SEPARATOR,
        directory,
        Long.toString(current),
        Long.toString(elsewhere),
        Long.toString(damaged),
        obstacle);
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
            Long.parseLong(fields[3]),
            fields.length > FIELDS ? fields[FIELDS] : "");
      }
    } catch (NumberFormatException e) {
      throw new IOException("no number of reduced blocks: " + text, e);
    }
    throw new IOException("no number of reduced blocks: " + text);
  }

  public String directory() {
    return directory;
  }

  /** Returns whether all blocks were looked at; if not, there may be more than are counted. */
  public boolean isCounted() {
    return obstacle.isEmpty();
  }

  /** Returns why not all blocks were looked at; empty if they were. */
  public String obstacle() {
    return obstacle;
  }

  /** Returns the number of blocks in service. */
  public long current() {
    return current;
  }

  /**
   * Returns the number of blocks kept for a rollback ({@code previous}) or deleted while an upgrade
   * is open.
   */
  public long elsewhere() {
    return elsewhere;
  }

  /**
   * Returns the number of files that begin like a reduced block, but are neither one nor proved
   * plain.
   */
  public long damaged() {
    return damaged;
  }

  /** Returns the number of all files that stock HDFS could not read. */
  public long total() {
    return current + elsewhere + damaged;
  }
}
