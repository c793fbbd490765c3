/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.admin;

import java.io.IOException;

/** Tasks without a time limit; see {@link HdrfAdminProtocol#startTask}. */
public enum TaskKind {
  /**
   * Compares the records of a pool on a volume with its blocks. The result is the numbers of
   * blocks, missing, wrong, extra and unreadable as decimal numbers, then a line for each of the
   * first differences.
   */
  CHECK("check"),
  /** As {@link #CHECK}, but writes the records that differ. */
  REPAIR("repair"),
  /**
   * Empties the records of a pool on a volume and makes them again. The result is {@link #CHECK}'s.
   */
  REBUILD("rebuild"),
  /**
   * Reclaims what no block refers to any more. The result lists what was done: name, tab and
   * decimal number each.
   */
  RECLAIM("reclaim"),
  /**
   * Compares the blocks' references with the contents of the schemes' stores. The result is lines
   * of name, tab and decimal number, of which {@code missing} must be 0, and lines without a tab
   * for people.
   */
  REFERENCES("references"),
  /**
   * Looks at every block's file, of all storages and pools. The result is one {@link ReducedBlocks}
   * for each pool in each configured directory, as text; it lists directories that can't be read
   * and pools that are not in service as not counted.
   */
  COUNT("count"),
  /**
   * Lists what all other tasks leave out: the part of {@link #COUNT}'s result that is not counted.
   */
  LEFT_OUT("left-out"),
  /**
   * Adds up what all pools take on all volumes, by the records of their blocks. The result is one
   * {@link VolumeUse} each, as text. A result that took little time to make, for its age, is given
   * again.
   */
  SUM("sum");

  private final String word;

  TaskKind(String word) {
    this.word = word;
  }

  /** Returns the kind as it is sent. */
  public String word() {
    return word;
  }

  /** Reads {@link #word}. */
  public static TaskKind of(String word) throws IOException {
    for (TaskKind kind : values()) {
      if (kind.word.equals(word)) {
        return kind;
      }
    }
    throw new IOException("This version of HDRF knows no task " + word);
  }
}
