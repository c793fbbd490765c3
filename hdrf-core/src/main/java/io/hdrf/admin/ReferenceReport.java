/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.admin;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;

/**
 * What {@link TaskKind#REFERENCES} gives for one volume: the counts of all schemes that keep a
 * store there, one scheme after the other. Immutable.
 */
public final class ReferenceReport {
  private static final String REFERENCES = "references\t";
  private static final String MISSING = "missing\t";
  private static final String NONE_MISSING = MISSING + 0;

  private final List<String> lines;

  ReferenceReport(String[] lines) {
    this.lines = Collections.unmodifiableList(new ArrayList<>(Arrays.asList(lines)));
  }

  /** Lines of name, tab and decimal number, and lines without a tab for people. */
  public List<String> lines() {
    return lines;
  }

  /** Whether no scheme misses anything that blocks refer to. Some schemes count nothing. */
  public boolean isClean() {
    return lines.stream()
        .filter(line -> line.startsWith(MISSING))
        .allMatch(line -> line.equals(NONE_MISSING));
  }

  /** How many references were looked at; those that are missing count. */
  public long references() {
    return lines.stream()
        .filter(line -> line.startsWith(REFERENCES))
        .mapToLong(line -> Long.parseLong(line.substring(REFERENCES.length())))
        .sum();
  }
}
