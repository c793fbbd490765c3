/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.admin;

import java.io.IOException;

/** Work that takes as long as it takes; see {@link HdrfAdminProtocol#startTask}. */
public enum TaskKind {
  /**
   * Compares the records of a pool on a volume with its blocks. The result is blocks, missing,
   * wrong, extra and unreadable as decimal numbers, then a line for each of the first differences.
   */
  CHECK("check"),
  /** As {@link #CHECK}; what differs is written. */
  REPAIR("repair"),
  /**
   * Empties the records of a pool on a volume and makes them anew. The result is {@link #CHECK}'s.
   */
  REBUILD("rebuild"),
  /**
   * Takes away what no block refers to any more. The result is what was done: name, tab and decimal
   * number each.
   */
  RECLAIM("reclaim"),
  /**
   * Compares what blocks refer to with what the schemes' stores hold. The result is lines of name,
   * tab and decimal number, of which {@code missing} is to be 0, and lines without a tab for
   * people.
   */
  REFERENCES("references"),
  /**
   * Looks at every block's file, of all storages and pools. The result is one {@link ReducedBlocks}
   * for each pool in each directory that is configured, as text; directories that can't be looked
   * at and pools that are not in service are there as not counted.
   */
  COUNT("count"),
  /**
   * Tells what all other work leaves out: the result is {@link #COUNT}'s, but only of what is not
   * counted.
   */
  LEFT_OUT("left-out");

  private final String word;

  TaskKind(String word) {
    this.word = word;
  }

  /** As it is sent. */
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
