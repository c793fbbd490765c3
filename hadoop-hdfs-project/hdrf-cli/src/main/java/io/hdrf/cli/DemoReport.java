/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hdrf.cluster.ClusterConfig;
import io.hdrf.cluster.DiskUsage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The results of a demo, for {@code --json}. */
final class DemoReport {
  private final ClusterConfig config;
  private final Map<String, Double> seconds = new LinkedHashMap<>();
  private final Map<String, Boolean> identical = new LinkedHashMap<>();
  private final List<List<JsonNode>> metrics = new ArrayList<>();
  private String hadoop = "";
  private long files;
  private long bytes;
  private List<DiskUsage> stock = List.of();
  private List<DiskUsage> reduced = List.of();

  DemoReport(ClusterConfig config) {
    this.config = config;
  }

  void input(long fileCount, long byteCount) {
    files = fileCount;
    bytes = byteCount;
  }

  void hadoop(String version) {
    hadoop = version;
  }

  void took(String step, double duration) {
    seconds.put(step, duration);
  }

  void compared(String what, boolean same) {
    identical.put(what, same);
  }

  void stockUsage(List<DiskUsage> perDataNode) {
    stock = new ArrayList<>(perDataNode);
  }

  void usage(List<DiskUsage> perDataNode) {
    reduced = new ArrayList<>(perDataNode);
  }

  /** Adds HDRF's metrics of a DataNode, read once all blocks are reduced. */
  void metrics(List<JsonNode> beans) {
    metrics.add(beans);
  }

  boolean allIdentical() {
    return !identical.isEmpty() && !identical.containsValue(false);
  }

  void write(Path file) throws IOException {
    Files.writeString(file, Json.text(toJson()));
  }

  ObjectNode toJson() {
    ObjectNode root = Json.object();
    root.putObject("input").put("files", files).put("bytes", bytes);
    root.put("hadoop", hadoop);
    root.put("schemes", config.stock() ? "" : config.schemes());
    root.put("stock", config.stock());
    root.put("replication", config.replication());
    ObjectNode same = root.putObject("identical");
    identical.forEach(same::put);
    root.put("allIdentical", allIdentical());
    root.set("cluster", usages(reduced));
    root.set("stockCluster", usages(stock));
    ArrayNode perDataNode = root.putArray("hdrfMetrics");
    for (List<JsonNode> beans : metrics) {
      perDataNode.addArray().addAll(beans);
    }
    ObjectNode times = root.putObject("seconds");
    seconds.forEach(times::put);
    return root;
  }

  private static ObjectNode usages(List<DiskUsage> perDataNode) {
    ObjectNode node = Json.object();
    DiskUsage total = DiskUsage.NONE;
    ArrayNode list = node.putArray("dataNodes");
    for (DiskUsage usage : perDataNode) {
      list.add(UsageJson.of(usage));
      total = total.plus(usage);
    }
    node.set("total", UsageJson.of(total));
    return node;
  }
}
