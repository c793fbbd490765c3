/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.admin;

import io.hdrf.block.StoredBlocks;
import java.io.IOException;

/**
 * How many reduced blocks lie on a volume, for one pool, as the files themselves show; or that this
 * could not be found out. Immutable.
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
   * @param directory where HDRF's part of the pool lies on the volume
   * @param count what the files show
   */
  public ReducedBlocks(String directory, StoredBlocks.Count count) {
    this(directory, count.current(), count.elsewhere(), count.damaged(), "");
  }

  private ReducedBlocks(
      String directory, long current, long elsewhere, long damaged, String obstacle) {
    this.directory = directory;
    this.current = current;
    this.elsewhere = elsewhere;
    this.damaged = damaged;
    this.obstacle = obstacle;
  }

  /** A directory without a pool, where no block can be. */
  static ReducedBlocks none(String directory) {
    return new ReducedBlocks(directory, 0, 0, 0, "");
  }

  /**
   * A directory whose blocks were not looked at.
   *
   * @param why not empty
   */
  public static ReducedBlocks notCounted(String directory, String why) {
    return new ReducedBlocks(directory, 0, 0, 0, why.replaceAll("\\s+", " "));
  }

  /** As text on one line. */
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

  /** Whether the blocks were looked at; where they were not, all counts are 0 and mean nothing. */
  public boolean isCounted() {
    return obstacle.isEmpty();
  }

  /** Why the blocks were not looked at; empty where they were. */
  public String obstacle() {
    return obstacle;
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
