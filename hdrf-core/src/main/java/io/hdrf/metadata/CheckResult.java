/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.metadata;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;

/**
 * The result of comparing the records of a store with the blocks. For one thread until it is
 * published.
 */
public final class CheckResult {

  private static final int MAX_EXAMPLES = 100;

  private long blocks;
  private long missing;
  private long wrong;
  private long extra;
  private long unreadable;
  private final List<String> examples = new ArrayList<>();

  /** Returns this as text: the five numbers, and the examples. */
  public List<String> encode() {
    List<String> lines = new ArrayList<>();
    for (long number : new long[] {blocks, missing, wrong, extra, unreadable}) {
      lines.add(Long.toString(number));
    }
    lines.addAll(examples);
    return lines;
  }

  /** Reads {@link #encode}'s text. */
  public static CheckResult decode(String[] lines) throws IOException {
    CheckResult result = new CheckResult();
    try {
      result.blocks = Long.parseLong(lines[0]);
      result.missing = Long.parseLong(lines[1]);
      result.wrong = Long.parseLong(lines[2]);
      result.extra = Long.parseLong(lines[3]);
      result.unreadable = Long.parseLong(lines[4]);
    } catch (NumberFormatException | ArrayIndexOutOfBoundsException e) {
      throw new IOException("no result of a comparison: " + Arrays.toString(lines), e);
    }
    result.examples.addAll(Arrays.asList(lines).subList(5, lines.length));
    return result;
  }

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

  /** Returns the number of compared blocks. */
  public long blocks() {
    return blocks;
  }

  /** Returns the number of blocks without a record. */
  public long missing() {
    return missing;
  }

  /** Returns the number of records that differ from the file. */
  public long wrong() {
    return wrong;
  }

  /** Returns the number of records of missing blocks. */
  public long extra() {
    return extra;
  }

  /**
   * Returns the number of blocks whose files can't be read; their records may be right or wrong.
   */
  public long unreadable() {
    return unreadable;
  }

  /** Returns the number of records that differ from the blocks. */
  public long differences() {
    return missing + wrong + extra;
  }

  /** Returns a line for each of the first differences; unmodifiable. */
  public List<String> examples() {
    return Collections.unmodifiableList(examples);
  }
}
