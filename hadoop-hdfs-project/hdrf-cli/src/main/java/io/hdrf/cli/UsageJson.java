/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.cli;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hdrf.cluster.DiskUsage;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** The disk usage of DataNodes, as JSON and as a table. */
final class UsageJson {
  private UsageJson() {}

  static ObjectNode of(DiskUsage usage) {
    return JsonNodeFactory.instance
        .objectNode()
        .put("blocks", usage.blocks())
        .put("logicalBytes", usage.logicalBytes())
        .put("physicalBytes", usage.physicalBytes())
        .put("blockFileBytes", usage.blockBytes())
        .put("hdrfBytes", usage.hdrfBytes())
        .put("metaBytes", usage.metaBytes())
        .put("ratio", usage.ratio());
  }

  static List<List<String>> table(List<DiskUsage> perDataNode) {
    return table(perDataNode, Set.of());
  }

  /** Returns the table, with the DataNodes of the given numbers marked as down. */
  static List<List<String>> table(List<DiskUsage> perDataNode, Set<Integer> down) {
    List<List<String>> rows = new ArrayList<>();
    rows.add(List.of("", "blocks", "logical", "physical", "ratio", "+ .meta"));
    DiskUsage total = DiskUsage.NONE;
    for (int i = 0; i < perDataNode.size(); i++) {
      rows.add(row("DataNode " + i + (down.contains(i) ? " (down)" : ""), perDataNode.get(i)));
      total = total.plus(perDataNode.get(i));
    }
    rows.add(row("all", total));
    return rows;
  }

  private static List<String> row(String name, DiskUsage usage) {
    return List.of(
        name,
        Long.toString(usage.blocks()),
        Sizes.bytes(usage.logicalBytes()),
        Sizes.bytes(usage.physicalBytes()),
        Sizes.percent(usage.ratio()),
        Sizes.bytes(usage.metaBytes()));
  }
}
