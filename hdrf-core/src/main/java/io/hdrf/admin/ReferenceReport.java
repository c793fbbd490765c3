/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.admin;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;

/**
 * The result of {@link TaskKind#REFERENCES} for one volume: the counts of all schemes that keep a
 * store there, one scheme after the other. Immutable.
 */
public final class ReferenceReport {
  private static final String REFERENCES = "references\t";
  private static final String MISSING = "missing\t";
  private static final String NONE_MISSING = MISSING + 0;

  private final List<String> lines;
  private final long references;

  /**
   * Reads a DataNode's answer.
   *
   * @throws IOException if a count is not a number
   */
  ReferenceReport(String[] lines) throws IOException {
    this.lines = Collections.unmodifiableList(new ArrayList<>(Arrays.asList(lines)));
    long sum = 0;
    for (String line : lines) {
      if (line.startsWith(REFERENCES)) {
        sum += count(line);
      }
    }
    this.references = sum;
  }

  private static long count(String line) throws IOException {
    try {
      long count = Long.parseLong(line.substring(REFERENCES.length()));
      if (count >= 0) {
        return count;
      }
    } catch (NumberFormatException e) {
      throw new IOException("no number of references: " + line, e);
    }
    throw new IOException("no number of references: " + line);
  }

  /** Returns lines of name, tab and decimal number, and lines without a tab for people. */
  public List<String> lines() {
    return lines;
  }

  /** Returns whether no scheme misses anything that blocks refer to. Some schemes count nothing. */
  public boolean isClean() {
    return lines.stream()
        .filter(line -> line.startsWith(MISSING))
        .allMatch(line -> line.equals(NONE_MISSING));
  }

  /** Returns the number of references that were looked at, including the missing ones. */
  public long references() {
    return references;
  }
}
