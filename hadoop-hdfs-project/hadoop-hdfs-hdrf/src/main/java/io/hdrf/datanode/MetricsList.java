/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The metrics that are listed in {@code metrics.txt}, of which the tables in {@code
 * docs/operations.md} are made: one a line, with its kind, its name and what it is.
 */
final class MetricsList {

  private static final String FILE = "metrics.txt";

  /** The part of a name behind a hyphen is a chain, a scheme, an operation or an address. */
  private static final String FAMILY = "-*";

  private static final Map<String, String> LINES = read();

  private MetricsList() {}

  private static Map<String, String> read() {
    Map<String, String> lines = new LinkedHashMap<>();
    try (InputStream in = MetricsList.class.getResourceAsStream(FILE);
        BufferedReader reader =
            new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8))) {
      for (String line = reader.readLine(); line != null; line = reader.readLine()) {
        if (!line.isEmpty() && !line.startsWith("#")) {
          lines.put(line.split(" ", 3)[1], line);
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(FILE, e);
    }
    return Collections.unmodifiableMap(lines);
  }

  /** The lines, by the names in them. */
  static Map<String, String> lines() {
    return LINES;
  }

  /** The name under which a metric is listed. */
  static String listed(String name) {
    int hyphen = name.indexOf('-');
    return hyphen < 0 ? name : name.substring(0, hyphen) + FAMILY;
  }

  /** The description of a metric; empty for schemes that are not HDRF's. */
  static String description(String name) {
    String line = LINES.get(listed(name));
    return line == null ? "" : line.split(" ", 3)[2];
  }
}
