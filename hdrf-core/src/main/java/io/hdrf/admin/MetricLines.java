/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.admin;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Metrics as text: lines of name, tab and decimal number. */
public final class MetricLines {
  private static final String SEPARATOR = "\t";

  private MetricLines() {}

  /** Returns a line for each metric. */
  public static String[] encode(Map<String, Long> metrics) {
    List<String> lines = new ArrayList<>();
    metrics.forEach((name, value) -> lines.add(name + SEPARATOR + value));
    return lines.toArray(new String[0]);
  }

  /** Reads {@link #encode}'s lines. All DataNodes' have the same names, which are kept once. */
  static Map<String, Long> decode(String[] lines) throws IOException {
    Map<String, Long> all = new LinkedHashMap<>();
    for (String line : lines) {
      int end = line.lastIndexOf(SEPARATOR);
      try {
        all.put(
            line.substring(0, Math.max(end, 0)).intern(), Long.parseLong(line.substring(end + 1)));
      } catch (NumberFormatException e) {
        throw new IOException("no metric: " + line, e);
      }
    }
    return all;
  }
}
