/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.cli;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hdrf.admin.BlockSum;
import io.hdrf.admin.JobInfo;
import io.hdrf.admin.StoreShares;
import io.hdrf.admin.VolumeInfo;
import io.hdrf.admin.VolumeUse;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/** The answers of a cluster's DataNodes together, as tables and as JSON. */
final class ClusterReport {
  private static final String GARBAGE = "DedupGcGarbageBytes";
  private static final String PLAIN = "plain";
  private static final String OTHERS = "(records, and what no block uses)";

  /** The age of figures, in milliseconds, from which on they are said to be old. */
  private static final long OLD = 60_000;

  private final List<NodeReport> nodes;
  private final List<String> attention;
  private final Map<String, Space> byChain = new TreeMap<>();
  private final Map<String, Space> byType = new TreeMap<>();
  private final Map<String, Long> files = new TreeMap<>();
  private final Map<String, Long> reasons = new TreeMap<>();
  private Space all = Space.NONE;
  private long others;
  private long unrecorded;
  private final Set<String> volumes = new HashSet<>();
  private long uncounted;
  private long uncountedBytes;
  private long oldest = Long.MAX_VALUE;

  ClusterReport(List<NodeReport> nodes) {
    this.nodes = List.copyOf(nodes);
    this.attention = Attention.of(nodes);
    nodes.forEach(node -> node.uses().forEach(this::add));
  }

  /** Blocks that are not all counted would make a false ratio with stores that are. */
  private void add(VolumeUse use) {
    use.files().forEach((name, bytes) -> files.merge(name, bytes, Long::sum));
    if (!use.isWhole()) {
      uncounted++;
      uncountedBytes += use.fileBytes();
      return;
    }
    StoreShares shares = new StoreShares(use);
    use.chains()
        .forEach(
            (chain, sum) ->
                byChain.merge(
                    name(chain),
                    new Space(sum, shares.of(chain, sum.logicalBytes())),
                    Space::plus));
    Space here = new Space(use.all(), use.fileBytes());
    byType.merge(use.storageType(), here, Space::plus);
    all = all.plus(here);
    others += shares.unshared();
    use.reasons().forEach((name, blocks) -> reasons.merge(name, blocks, Long::sum));
    unrecorded += use.unrecorded();
    volumes.add(use.storageId());
    oldest = Math.min(oldest, use.time());
  }

  /** Returns the name of a chain for people. */
  static String name(String chain) {
    return chain.equals(VolumeUse.PLAIN) ? PLAIN : chain;
  }

  /** The garbage that collections told of; empty if none did. */
  private Optional<Long> garbage() {
    return nodes.stream()
        .map(node -> node.metrics().get(GARBAGE))
        .filter(Objects::nonNull)
        .reduce(Long::sum);
  }

  /** Returns whether nothing has to be looked at. */
  boolean isFine() {
    return attention.isEmpty();
  }

  /** Prints it for people. */
  void print(Terminal terminal, long now) {
    if (attention.isEmpty()) {
      terminal.result("Nothing that answers needs attention.");
    } else {
      terminal.result("Needs attention:");
      attention.forEach(line -> terminal.result("  " + line));
    }
    terminal.result("");
    summary(now).forEach(terminal::result);
    for (Section section : sections()) {
      terminal.result("");
      terminal.table(section.rows());
    }
  }

  /** Returns the sums in words, and what they lack. */
  List<String> summary(long now) {
    List<String> lines = new ArrayList<>();
    lines.add(
        nodes.size()
            + (nodes.size() == 1 ? " DataNode, " : " DataNodes, ")
            + volumes.size()
            + (volumes.size() == 1 ? " volume: " : " volumes: ")
            + (volumes.isEmpty() ? "what the blocks take is not known" : all.sentence("blocks")));
    if (uncounted > 0) {
      lines.add(
          "In no sum: "
              + uncounted
              + " pools on volumes whose blocks are not all counted; HDRF's files there: "
              + Sizes.bytes(uncountedBytes));
    }
    if (!volumes.isEmpty() && now - oldest > OLD) {
      lines.add(
          "The oldest of these sums was made " + Sizes.seconds((now - oldest) / 1000.0) + " ago.");
    }
    if (unrecorded > 0) {
      lines.add(unrecorded + " blocks are in no sum: their records can't be read.");
    }
    return lines;
  }

  /** Returns the sum over all that is counted; empty if nothing is. */
  Optional<Space> sum() {
    return volumes.isEmpty() ? Optional.empty() : Optional.of(all);
  }

  /** Returns what has to be looked at, in words; the gravest first. */
  List<String> attention() {
    return attention;
  }

  List<NodeReport> nodes() {
    return nodes;
  }

  /**
   * A table.
   *
   * @param name what it shows
   * @param rows the first one has the heads
   * @param spaces what can be drawn of the rows, from the second one on; empty if nothing can
   */
  record Section(String name, List<List<String>> rows, List<Optional<Space>> spaces) {
    private Section(String name, List<List<String>> rows) {
      this(name, rows, List.of());
    }
  }

  /** Returns the tables. */
  List<Section> sections() {
    List<Section> all = new ArrayList<>();
    if (!volumes.isEmpty()) {
      all.add(section("By chain", "stored with", chains()));
      all.add(section("By storage type", "storage type", byType));
    }
    List<Optional<Space>> spaces = nodes.stream().map(NodeReport::space).toList();
    all.add(new Section("By DataNode", nodeTable(), spaces));
    if (!files.isEmpty()) {
      all.add(new Section("HDRF's own files", fileTable()));
    }
    List<List<String>> scrubs = scrubTable();
    if (scrubs.size() > 1) {
      all.add(new Section("Containers read and healed", scrubs));
    }
    List<List<String>> differences = differenceTable();
    if (differences.size() > 1) {
      all.add(new Section("New chunks stored as differences", differences));
    }
    List<List<String>> indexes = indexTable();
    if (indexes.size() > 1) {
      all.add(new Section("Indexes in memory", indexes));
    }
    if (!reasons.isEmpty()) {
      all.add(new Section("Why blocks are plain", reasonTable()));
    }
    return all;
  }

  private static Section section(String name, String head, Map<String, Space> spaces) {
    List<Optional<Space>> drawn = new ArrayList<>();
    spaces.values().forEach(space -> drawn.add(Optional.of(space)));
    drawn.add(Optional.of(sum(spaces)));
    return new Section(name, table(head, spaces), drawn);
  }

  private Map<String, Space> chains() {
    Map<String, Space> rows = new LinkedHashMap<>(byChain);
    if (others > 0) {
      rows.put(OTHERS, new Space(BlockSum.NONE, others));
    }
    return rows;
  }

  /** Returns a table of spaces with their sum as its last row. */
  static List<List<String>> table(String head, Map<String, Space> spaces) {
    List<List<String>> rows = new ArrayList<>();
    rows.add(row(head, Space.HEADS));
    spaces.forEach((name, space) -> rows.add(row(name, space.cells())));
    rows.add(row("all", sum(spaces).cells()));
    return rows;
  }

  private static Space sum(Map<String, Space> spaces) {
    return spaces.values().stream().reduce(Space.NONE, Space::plus);
  }

  private static List<String> row(String first, List<String> cells) {
    List<String> row = new ArrayList<>(List.of(first));
    row.addAll(cells);
    return row;
  }

  private List<List<String>> nodeTable() {
    List<List<String>> rows = new ArrayList<>();
    rows.add(
        List.of(
            "DataNode",
            "volumes",
            "blocks",
            "logical",
            "takes",
            "ratio",
            "to reduce",
            "to record",
            "records",
            "blocks are"));
    for (NodeReport node : nodes) {
      if (!node.hasHdrf()) {
        rows.add(List.of(node.name(), "-", "-", "-", "-", "-", "-", "-", "-", "without HDRF"));
        continue;
      }
      Optional<Space> space = node.space();
      rows.add(
          List.of(
              node.name(),
              node.volumes(),
              space.map(sum -> Long.toString(sum.blocks().blocks())).orElse(Space.UNKNOWN),
              space.map(sum -> Sizes.bytes(sum.blocks().logicalBytes())).orElse(Space.UNKNOWN),
              space.map(Space::taken).orElse(Space.UNKNOWN),
              space.map(Space::ratio).orElse(Space.UNKNOWN),
              node.metric("Pending"),
              Long.toString(node.recordsPending()),
              node.recordStates(),
              node.modes()));
    }
    return rows;
  }

  private List<List<String>> fileTable() {
    List<List<String>> rows = new ArrayList<>();
    rows.add(List.of("files of HDRF", "bytes"));
    files.forEach(
        (name, bytes) -> rows.add(List.of(name.isEmpty() ? "." : name, Sizes.bytes(bytes))));
    garbage()
        .ifPresent(
            bytes ->
                rows.add(
                    List.of("garbage in containers, at the last collections", Sizes.bytes(bytes))));
    return rows;
  }

  /** How far the scrubs of the stores have come, what they found, and what was healed. */
  private List<List<String>> scrubTable() {
    List<List<String>> rows = new ArrayList<>();
    rows.add(
        List.of(
            "DataNode",
            "containers read",
            "last whole cycle",
            "damaged",
            "chunks healed",
            "not healed"));
    for (NodeReport node : nodes) {
      Long containers = node.metrics().get("DedupScrubCycleOf");
      if (containers != null) {
        rows.add(
            List.of(
                node.name(),
                node.metric("DedupScrubCycleDone") + " of " + containers,
                day(node.metrics().getOrDefault("DedupScrubEndedAt", 0L)),
                node.metric("DedupScrubContainersDamaged"),
                node.metric("DedupHealChunks"),
                node.metric("DedupHealChunksLeft")));
      }
    }
    return rows;
  }

  /** What the DataNodes have stored as differences since they were started; none: no row. */
  private List<List<String>> differenceTable() {
    List<List<String>> rows = new ArrayList<>();
    rows.add(
        List.of(
            "DataNode",
            "differences since its start",
            "of new chunks",
            "bytes of these chunks",
            "take",
            "bases read"));
    for (NodeReport node : nodes) {
      long chunks = node.metrics().getOrDefault("DedupChunksAsDifferences", 0L);
      if (chunks > 0) {
        rows.add(
            List.of(
                node.name(),
                Long.toString(chunks),
                node.metric("DedupChunksNew"),
                Sizes.bytes(node.metrics().getOrDefault("DedupBytesAsDifferences", 0L)),
                Sizes.bytes(node.metrics().getOrDefault("DedupBytesOfDifferences", 0L)),
                node.metric("DedupBasesRead")));
      }
    }
    return rows;
  }

  /** The DataNodes whose indexes are in memory alone. */
  private List<List<String>> indexTable() {
    List<List<String>> rows = new ArrayList<>();
    rows.add(List.of("DataNode", "entries", "memory", "containers to read for them"));
    for (NodeReport node : nodes) {
      long memory = node.metrics().getOrDefault("DedupIndexEntriesMemoryBytes", 0L);
      if (memory > 0) {
        rows.add(
            List.of(
                node.name(),
                node.metric("DedupIndexEntriesInMemory"),
                Sizes.bytes(memory),
                node.metric("DedupIndexContainersToRead")));
      }
    }
    return rows;
  }

  /** The day of a time in milliseconds since 1970, in UTC. */
  private static String day(long time) {
    return time == 0 ? "-" : Instant.ofEpochMilli(time).toString().substring(0, 10);
  }

  private List<List<String>> reasonTable() {
    List<List<String>> rows = new ArrayList<>();
    rows.add(List.of("plain because", "blocks"));
    reasons.forEach((name, blocks) -> rows.add(List.of(name, Long.toString(blocks))));
    return rows;
  }

  /** Returns it as JSON. */
  ObjectNode toJson(Troubles troubles) {
    ObjectNode root = Json.root();
    attention.forEach(root.putArray("needsAttention")::add);
    putTo(root.putObject("all"), sum());
    root.putObject("uncounted").put("pools", uncounted).put("storeBytes", uncountedBytes);
    root.put("unrecordedBlocks", unrecorded);
    array(root.putArray("schemes"), "chain", byChain);
    root.put("otherStoreBytes", others);
    array(root.putArray("storageTypes"), "type", byType);
    ObjectNode directories = root.putObject("storeDirectories");
    files.forEach(directories::put);
    root.put("garbageBytes", garbage().orElse(null));
    ObjectNode plain = root.putObject("plainReasons");
    reasons.forEach(plain::put);
    ArrayNode list = root.putArray("dataNodes");
    nodes.forEach(node -> list.add(toJson(node)));
    troubles.lines().forEach(root.putArray("notLookedAt")::add);
    return root;
  }

  /** Adds spaces to an array, each with its name in a field. */
  static void array(ArrayNode array, String field, Map<String, Space> spaces) {
    spaces.forEach((name, space) -> space.putTo(array.addObject().put(field, name)));
  }

  private static void putTo(ObjectNode json, Optional<Space> space) {
    if (space.isPresent()) {
      space.get().putTo(json);
    } else {
      Space.putUnknownTo(json);
    }
  }

  private static ObjectNode toJson(NodeReport node) {
    ObjectNode json = Json.object().put("name", node.name()).put("hdrf", node.hasHdrf());
    if (!node.hasHdrf()) {
      return json;
    }
    putTo(json, node.space());
    for (VolumeInfo volume : node.records()) {
      json.withArray("records")
          .addObject()
          .put("directory", volume.directory())
          .put("store", volume.store())
          .put("status", volume.status())
          .put("pending", volume.pending());
    }
    for (JobInfo job : node.jobs()) {
      json.withArray("volumes")
          .addObject()
          .put("directory", job.directory())
          .put("storageId", job.storageId())
          .put("poolId", job.poolId())
          .put("mode", job.mode());
    }
    for (VolumeUse use : node.uses()) {
      ObjectNode volume =
          json.withArray("use")
              .addObject()
              .put("directory", use.directory())
              .put("storageId", use.storageId())
              .put("poolId", use.poolId())
              .put("storageType", use.storageType())
              .put("time", use.time())
              .put("obstacle", use.obstacle());
      putTo(
          volume,
          use.isWhole() ? Optional.of(new Space(use.all(), use.fileBytes())) : Optional.empty());
    }
    ObjectNode metrics = json.putObject("metrics");
    node.metrics().forEach(metrics::put);
    return json;
  }
}
