/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.cli;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hdrf.admin.StoreBytes;
import io.hdrf.admin.VolumeInfo;
import io.hdrf.metadata.BlockRecord;
import io.hdrf.reduce.SkipReason;
import io.hdrf.scheme.SchemeRegistry;
import io.hdrf.spi.scheme.SchemeNotFoundException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code hdrf blocks}. */
@Command(
    name = "blocks",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Sum up the records of a DataNode's blocks, and list some of them.",
      "The ratio counts all that the volume holds: block files and the stores of HDRF, such as the"
          + " containers of deduplicated chunks.",
      "Without an option that selects blocks, only the sums are shown."
    })
final class BlocksCommand implements Callable<Integer> {
  @Mixin private RecordTarget target;

  @Option(names = "--scheme", paramLabel = "S", description = "List blocks reduced with a scheme.")
  private String scheme;

  @Option(names = "--unreduced", description = "List blocks that are plain, and why.")
  private boolean unreduced;

  @Option(
      names = "--worst",
      paramLabel = "N",
      description = "List only the N blocks that take most of their length.")
  private Integer worst;

  @Option(names = "--json", description = "Print JSON.")
  private boolean json;

  @Option(
      names = "--plugins",
      paramLabel = "DIR",
      description = "The jars of schemes, for their names. Default: those that are built here.")
  private Path plugins;

  /** A listed block. */
  private record Listed(String dataNode, String directory, long id, BlockRecord record) {
    double ratio() {
      return record.logicalLength() == 0
          ? 1
          : (double) record.physicalLength() / record.logicalLength();
    }
  }

  /** The sums over one volume. */
  private static final class Sums {
    long blocks;
    long reduced;
    long unrecorded;
    long logical;
    long physical;

    /** Null if it is not known. */
    Long stores;

    /** Returns all bytes that the volume stores for its blocks; null if that is not known. */
    Long all() {
      return stores == null ? null : (Long) (physical + stores);
    }

    String ratio() {
      if (stores == null) {
        return Space.UNKNOWN;
      }
      return logical == 0 ? "-" : Sizes.percent((double) all() / logical);
    }
  }

  private static final Comparator<Listed> BY_RATIO =
      Comparator.comparingDouble(Listed::ratio)
          .thenComparingLong(listed -> listed.record().physicalLength());

  private SchemeRegistry registry;
  private final List<Listed> listed = new ArrayList<>();
  private final PriorityQueue<Listed> greatest = new PriorityQueue<>(BY_RATIO);

  @Override
  public Integer call() throws IOException {
    if (worst != null && worst < 1) {
      throw new IllegalArgumentException("--worst is " + worst + "; at least 1 is needed");
    }
    registry = SchemeRegistry.load(Home.plugins(plugins));
    int schemeId = scheme == null ? 0 : registry.byName(scheme).id();
    Terminal terminal = Terminal.system();
    List<List<String>> rows = new ArrayList<>();
    rows.add(
        List.of(
            "DataNode, volume",
            "blocks",
            "reduced",
            "no record",
            "logical",
            "block files",
            "stores",
            "ratio",
            "records"));
    ObjectNode root = Json.root();
    ArrayNode volumes = root.putArray("volumes");
    Troubles troubles = new Troubles(terminal);
    target.each(
        troubles,
        (source, all) -> {
          List<VolumeInfo> found = RecordTarget.volumes(source, all);
          Map<String, Long> stores = new HashMap<>();
          if (!found.isEmpty()) {
            all.attempt(
                source.name() + ": what the stores hold",
                () -> stores.putAll(source.storeBytes(gap -> all.add(source.name() + " " + gap))));
          }
          for (VolumeInfo volume : found) {
            all.attempt(
                RecordTarget.label(source, volume),
                () -> {
                  Sums sums = sum(source, volume, schemeId);
                  sums.stores = stores.get(StoreBytes.key(volume.storageId(), volume.poolId()));
                  rows.add(row(source, volume, sums));
                  volumes.add(json(source, volume, sums));
                });
          }
          return true;
        });
    List<Listed> shown = new ArrayList<>(worst != null ? greatest : listed);
    shown.sort(worst != null ? BY_RATIO.reversed() : Comparator.comparingLong(Listed::id));
    if (json) {
      ArrayNode blocks = root.putArray("blocks");
      shown.forEach(block -> blocks.add(json(block)));
      troubles.lines().forEach(root.putArray("notLookedAt")::add);
      terminal.result(Json.text(root));
    } else {
      terminal.table(rows);
      if (!shown.isEmpty()) {
        terminal.result("");
        list(terminal, shown);
      }
    }
    return troubles.exitCode(true);
  }

  private Sums sum(RecordSource source, VolumeInfo volume, int schemeId) throws IOException {
    Sums sums = new Sums();
    long after = Long.MIN_VALUE;
    Map<Long, BlockRecord> page = source.records(volume, after);
    while (!page.isEmpty()) {
      for (Map.Entry<Long, BlockRecord> entry : page.entrySet()) {
        after = Math.max(after, entry.getKey());
        BlockRecord record = entry.getValue();
        sums.blocks++;
        if (record == null) {
          sums.unrecorded++;
        } else {
          sums.reduced += record.isReduced() ? 1 : 0;
          sums.logical += record.logicalLength();
          sums.physical += record.physicalLength();
          if (isWanted(record, schemeId)) {
            add(new Listed(source.name(), volume.directory(), entry.getKey(), record));
          }
        }
      }
      page = source.records(volume, after);
    }
    return sums;
  }

  private boolean isWanted(BlockRecord record, int schemeId) {
    if (schemeId == 0 && !unreduced) {
      return worst != null;
    }
    boolean ofScheme = false;
    for (int id : record.chain()) {
      ofScheme |= id == schemeId;
    }
    return ofScheme || (unreduced && !record.isReduced());
  }

  private void add(Listed block) {
    if (worst == null) {
      listed.add(block);
      return;
    }
    greatest.add(block);
    if (greatest.size() > worst) {
      greatest.remove();
    }
  }

  private static List<String> row(RecordSource source, VolumeInfo volume, Sums sums) {
    return List.of(
        RecordTarget.label(source, volume),
        Long.toString(sums.blocks),
        Long.toString(sums.reduced),
        Long.toString(sums.unrecorded),
        Sizes.bytes(sums.logical),
        Sizes.bytes(sums.physical),
        sums.stores == null ? Space.UNKNOWN : Sizes.bytes(sums.stores),
        sums.ratio(),
        volume.store() + ", " + volume.status());
  }

  private static ObjectNode json(RecordSource source, VolumeInfo volume, Sums sums) {
    ObjectNode node = Json.object();
    node.put("dataNode", source.name());
    node.put("directory", volume.directory());
    node.put("storageId", volume.storageId());
    node.put("poolId", volume.poolId());
    node.put("store", volume.store());
    node.put("status", volume.status());
    node.put("blocks", sums.blocks);
    node.put("reduced", sums.reduced);
    node.put("withoutRecord", sums.unrecorded);
    node.put("logicalBytes", sums.logical);
    node.put("physicalBytes", sums.all());
    node.put("blockFileBytes", sums.physical);
    node.put("storeBytes", sums.stores);
    return node;
  }

  private ObjectNode json(Listed block) {
    ObjectNode node = Json.object();
    node.put("blockId", block.id());
    node.put("dataNode", block.dataNode());
    node.put("directory", block.directory());
    node.put("location", block.record().location());
    node.put("state", block.record().isReduced() ? "reduced" : "plain");
    node.put("how", how(block.record()));
    node.put("logicalBytes", block.record().logicalLength());
    node.put("physicalBytes", block.record().physicalLength());
    return node;
  }

  private void list(Terminal terminal, List<Listed> blocks) {
    List<List<String>> rows = new ArrayList<>();
    rows.add(List.of("block", "logical", "physical", "ratio", "how", "DataNode"));
    for (Listed block : blocks) {
      rows.add(
          List.of(
              Long.toString(block.id()),
              Sizes.bytes(block.record().logicalLength()),
              Sizes.bytes(block.record().physicalLength()),
              Sizes.percent(block.ratio()),
              how(block.record()),
              block.dataNode()));
    }
    terminal.table(rows);
  }

  /** Returns the chain of a reduced block, or the reason why a plain one is plain. */
  private String how(BlockRecord record) {
    if (!record.isReduced()) {
      SkipReason reason = SkipReason.ofCode(record.reason());
      return reason == null ? "plain" : "plain (" + reason.metricName() + ")";
    }
    List<String> names = new ArrayList<>();
    for (int id : record.chain()) {
      try {
        names.add(registry.byId(id).name());
      } catch (SchemeNotFoundException e) {
        names.add("#" + id);
      }
    }
    return String.join(",", names);
  }
}
