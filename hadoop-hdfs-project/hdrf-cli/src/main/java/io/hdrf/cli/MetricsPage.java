/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.cli;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The tables of metrics in {@code docs/operations.md}, made from the list that a DataNode takes its
 * metrics' descriptions from. Each stands between two comments, of which the first names its
 * section of the list; the rest of the page is written by hand.
 */
final class MetricsPage {
  static final String SOURCE =
      "hadoop-hdfs-project/hadoop-hdfs-hdrf/src/main/resources/io/hdrf/datanode/metrics.txt";
  static final String PAGE = "docs/operations.md";

  private static final String BEGIN = "<!-- metrics: ";
  private static final String END = "<!-- end of metrics -->\n";
  private static final Pattern TABLE =
      Pattern.compile("(" + BEGIN + "(.*) -->\n)(?:\\|.*\n)*" + END);

  private MetricsPage() {}

  /**
   * Renders the page.
   *
   * @param page as it is
   * @throws IOException if the page has no place for a section of the list, or two, or one for a
   *     section that is not there
   */
  static String render(String page, String list) throws IOException {
    Map<String, String> tables = tables(list);
    TreeSet<String> left = new TreeSet<>(tables.keySet());
    StringBuilder rendered = new StringBuilder();
    Matcher table = TABLE.matcher(page);
    int end = 0;
    while (table.find()) {
      String section = table.group(2);
      if (!left.remove(section)) {
        throw new IOException("The metrics " + section + " are not listed, or twice in the page");
      }
      rendered.append(page, end, table.end(1)).append(tables.get(section)).append(END);
      end = table.end();
    }
    if (!left.isEmpty()) {
      throw new IOException("The page has no comment '" + BEGIN + left.first() + " -->'");
    }
    return rendered.append(page, end, page.length()).toString();
  }

  /** The table of each section. */
  private static Map<String, String> tables(String list) throws IOException {
    Map<String, String> tables = new LinkedHashMap<>();
    for (String section : list.strip().split("\n\n", -1)) {
      StringBuilder table = new StringBuilder("| metric | kind | what it is |\n|---|---|---|\n");
      String[] lines = section.split("\n", -1);
      for (int i = 1; i < lines.length; i++) {
        String[] words = lines[i].split(" ", 3);
        String name = words[1].replace("-*", "-…");
        table.append("| `" + name + "` | " + words[0] + " | " + words[2] + " |\n");
      }
      if (!lines[0].startsWith("# ")
          || tables.put(lines[0].substring(2), table.toString()) != null) {
        throw new IOException("No heading, or one that is there before: " + lines[0]);
      }
    }
    return tables;
  }
}
