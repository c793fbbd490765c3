/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.metadata;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** How the records of a store compare with the blocks. For one thread until it is handed on. */
public final class CheckResult {

  private static final int MAX_EXAMPLES = 100;

  private long blocks;
  private long missing;
  private long wrong;
  private long extra;
  private long unreadable;
  private final List<String> examples = new ArrayList<>();

  void block() {
    blocks++;
  }

  void missing(long blockId, BlockRecord is) {
    missing++;
    example("block " + blockId + " (" + is + ") has no record");
  }

  void wrong(long blockId, BlockRecord is, String record) {
    wrong++;
    example("block " + blockId + " is " + is + ", its record says " + record);
  }

  void extra(long blockId) {
    extra++;
    example("block " + blockId + " has a record and is not here");
  }

  void unreadable(long blockId, String why) {
    unreadable++;
    example("block " + blockId + " can't be looked at: " + why);
  }

  private void example(String text) {
    if (examples.size() < MAX_EXAMPLES) {
      examples.add(text);
    }
  }

  /** Blocks that were looked at. */
  public long blocks() {
    return blocks;
  }

  /** Blocks without a record. */
  public long missing() {
    return missing;
  }

  /** Records that say something else than the file. */
  public long wrong() {
    return wrong;
  }

  /** Records of blocks that are not there. */
  public long extra() {
    return extra;
  }

  /** Blocks whose files can't be looked at, which says nothing of their records. */
  public long unreadable() {
    return unreadable;
  }

  /** How many records differ from the blocks. */
  public long differences() {
    return missing + wrong + extra;
  }

  /** A line for each of the first differences; unmodifiable. */
  public List<String> examples() {
    return Collections.unmodifiableList(examples);
  }
}
