/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.cli;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.LongFunction;
import java.util.function.Predicate;

/** HDRF's metrics of several DataNodes, as a table with a column for each. */
final class MetricsTable {
  private static final String SKIPPED = "Skipped";

  private MetricsTable() {}

  /**
   * Makes the rows.
   *
   * @param dataNodes for each DataNode, its beans of HDRF
   */
  static List<List<String>> rows(List<List<JsonNode>> dataNodes) {
    List<List<String>> rows = new ArrayList<>();
    List<String> head = new ArrayList<>(List.of("since its start"));
    for (int i = 0; i < dataNodes.size(); i++) {
      head.add("DataNode " + i);
    }
    rows.add(head);
    add(rows, "blocks reduced", "BlocksReduced", dataNodes, Long::toString);
    for (String name : names(dataNodes, name -> name.startsWith("BlocksReduced-"))) {
      add(rows, "  by " + name.substring(name.indexOf('-') + 1), name, dataNodes, Long::toString);
    }
    add(rows, "  logical", "BytesReducedLogical", dataNodes, Sizes::bytes);
    add(rows, "  physical", "BytesReducedPhysical", dataNodes, Sizes::bytes);
    add(rows, "blocks inflated", "BlocksInflated", dataNodes, Long::toString);
    add(rows, "waiting", "QueueLength", dataNodes, Long::toString);
    add(rows, "waiting or in work", "Pending", dataNodes, Long::toString);
    for (String name : names(dataNodes, name -> name.startsWith(SKIPPED))) {
      if (dataNodes.stream().anyMatch(beans -> value(beans, name) > 0)) {
        add(
            rows,
            "stayed plain: " + words(name.substring(SKIPPED.length())),
            name,
            dataNodes,
            Long::toString);
      }
    }
    add(rows, "damaged blocks found", "CorruptBlocks", dataNodes, Long::toString);
    add(rows, "time encoding", "EncodeNanos", dataNodes, MetricsTable::nanos);
    add(rows, "time verifying", "VerifyNanos", dataNodes, MetricsTable::nanos);
    add(rows, "time decoding", "DecodeNanos", dataNodes, MetricsTable::nanos);
    return rows;
  }

  private static void add(
      List<List<String>> rows,
      String label,
      String metric,
      List<List<JsonNode>> dataNodes,
      LongFunction<String> show) {
    List<String> row = new ArrayList<>(List.of(label));
    for (List<JsonNode> beans : dataNodes) {
      row.add(beans.isEmpty() ? "-" : show.apply(value(beans, metric)));
    }
    rows.add(row);
  }

  private static long value(List<JsonNode> beans, String metric) {
    return beans.stream().mapToLong(bean -> bean.path(metric).asLong()).sum();
  }

  private static SortedSet<String> names(List<List<JsonNode>> dataNodes, Predicate<String> wanted) {
    SortedSet<String> names = new TreeSet<>();
    for (List<JsonNode> beans : dataNodes) {
      for (JsonNode bean : beans) {
        for (Iterator<String> fields = bean.fieldNames(); fields.hasNext(); ) {
          String name = fields.next();
          if (wanted.test(name)) {
            names.add(name);
          }
        }
      }
    }
    return names;
  }

  private static String words(String camelCase) {
    return camelCase.replaceAll("(?<=.)(?=[A-Z])", " ").toLowerCase(Locale.ROOT);
  }

  private static String nanos(long nanos) {
    return Sizes.seconds(nanos / 1e9);
  }
}
