/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.cli;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hdrf.admin.BlockSum;
import io.hdrf.admin.StoreBytes;
import io.hdrf.admin.StoreShares;
import io.hdrf.admin.VolumeUse;
import io.hdrf.scheme.SchemeRegistry;
import io.hdrf.spi.scheme.BlockScheme;
import io.hdrf.spi.scheme.ReductionScheme;
import io.hdrf.spi.scheme.SchemeNotFoundException;
import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.protocol.HdfsLocatedFileStatus;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedBlocks;

/**
 * What a file or directory of HDFS takes on the DataNodes and saves there: all replicas that the
 * NameNode knows of its blocks, as the DataNodes that have them say. For one thread.
 */
final class PathReport implements Closeable {
  private final Configuration conf;
  private final int parallel;
  private final int timeoutMillis;
  private final Troubles troubles;
  private final SchemeRegistry schemes;
  private final ReplicaQuestions questions;
  private final Map<String, Space> byChain = new TreeMap<>();
  private final Map<String, Space> byType = new TreeMap<>();
  private final Map<String, Space> byNode = new TreeMap<>();
  private String source;
  private long files;
  private long directories;
  private long links;
  private long open;
  private long erasureCoded;
  private long length;
  private long blocks;
  private long missing;
  private BlockSum unknown = BlockSum.NONE;
  private Space all = Space.NONE;

  /**
   * @param schemes those that are known here
   * @param parallel how many DataNodes are asked at a time
   * @param timeoutMillis for each question
   */
  PathReport(
      Configuration conf,
      SchemeRegistry schemes,
      int parallel,
      int timeoutMillis,
      Troubles troubles) {
    this.conf = conf;
    this.schemes = schemes;
    this.parallel = parallel;
    this.timeoutMillis = timeoutMillis;
    this.troubles = troubles;
    this.questions =
        new ReplicaQuestions(parallel, timeoutMillis, node -> RecordTarget.address(node, conf));
  }

  /** Counts what is there. */
  void count(String path) throws IOException {
    Path given = new Path(path);
    Path resolved = given.getFileSystem(conf).resolvePath(given);
    FileSystem fileSystem = resolved.getFileSystem(conf);
    if (!(fileSystem instanceof DistributedFileSystem)) {
      throw new IOException(resolved + " is not in HDFS; give --conf DIR or hdfs://HOST:PORT/PATH");
    }
    if (resolved.getName().equals(".snapshot")) {
      throw new IllegalArgumentException(
          resolved + " would count a block once for each snapshot; name one of them");
    }
    source = resolved.toUri().getPath();
    PathWalk walk = new PathWalk(((DistributedFileSystem) fileSystem).getClient(), troubles);
    walk.run(source, this::add);
    directories = walk.directories();
    links = walk.links();
    List<ReplicaQuestions.Node> nodes = new ArrayList<>(questions.finish());
    for (ReplicaQuestions.Node node : nodes) {
      if (!node.failure().isEmpty()) {
        troubles.add(node.address().name() + ": " + node.failure());
      }
    }
    Map<ReplicaQuestions.Node, Map<String, VolumeUse>> uses = uses(nodes);
    nodes.forEach(node -> add(node, uses.getOrDefault(node, Map.of())));
    if (missing > 0) {
      troubles.add(missing + " blocks are missing: no DataNode has a sound replica");
    }
    if (unknown.blocks() > 0) {
      troubles.add(
          unknown.blocks()
              + " replicas of "
              + Sizes.bytes(unknown.logicalBytes())
              + " are not counted: their DataNodes say nothing of them");
    }
  }

  private void add(HdfsLocatedFileStatus file) throws IOException {
    files++;
    length += file.getLen();
    LocatedBlocks located = file.getLocatedBlocks();
    open += located.isUnderConstruction() ? 1 : 0;
    erasureCoded += located.getErasureCodingPolicy() == null ? 0 : 1;
    for (LocatedBlock block : LocatedReplica.blocks(located)) {
      blocks++;
      List<LocatedReplica> replicas = LocatedReplica.of(block, located.getErasureCodingPolicy());
      if (block.isCorrupt() || (replicas.isEmpty() && block.getBlockSize() > 0)) {
        missing++;
        continue;
      }
      for (LocatedReplica replica : replicas) {
        questions.add(replica);
      }
    }
  }

  /**
   * Asks what the stores hold, of which the blocks have their shares; by node and storage. The
   * DataNode looks at all of its blocks for that, so it is asked only where one of these is in a
   * store.
   */
  private Map<ReplicaQuestions.Node, Map<String, VolumeUse>> uses(List<ReplicaQuestions.Node> nodes)
      throws IOException {
    List<ReplicaQuestions.Node> answering = new ArrayList<>(nodes);
    answering.removeIf(
        node -> !node.failure().isEmpty() || node.chains().stream().noneMatch(this::mayBeInStore));
    Map<ReplicaQuestions.Node, Map<String, VolumeUse>> all = new HashMap<>();
    List<Map.Entry<ReplicaQuestions.Node, Map<String, VolumeUse>>> found =
        Parallel.run(
            answering,
            parallel,
            node -> Map.entry(node, uses(node)),
            (node, why) ->
                troubles.add(
                    node.address().name() + ": what its stores hold is not counted: " + why));
    found.forEach(entry -> all.put(entry.getKey(), entry.getValue()));
    return all;
  }

  private Map<String, VolumeUse> uses(ReplicaQuestions.Node node) throws IOException {
    try (RunningDataNode dataNode = node.address().connect(timeoutMillis)) {
      Map<String, VolumeUse> byStorage = new HashMap<>();
      for (VolumeUse use : dataNode.use(timeoutMillis)) {
        byStorage.put(StoreBytes.key(use.storageId(), use.poolId()), use);
      }
      return byStorage;
    }
  }

  private void add(ReplicaQuestions.Node node, Map<String, VolumeUse> uses) {
    node.storages()
        .forEach(
            (key, storage) -> {
              VolumeUse use = uses.get(key);
              StoreShares shares = use == null ? null : new StoreShares(use);
              boolean known = true;
              Space here = Space.NONE;
              for (Map.Entry<List<Integer>, BlockSum> entry : storage.chains().entrySet()) {
                String chain = name(entry.getKey(), use);
                BlockSum sum = entry.getValue();
                Space space = new Space(sum, share(entry.getKey(), chain, sum, shares));
                known &= space.stores().isPresent();
                byChain.merge(ClusterReport.name(chain), space, Space::plus);
                here = here.plus(space);
              }
              if (!known) {
                troubles.add(
                    node.address().name()
                        + ": what its stores hold for these blocks is not known"
                        + (use == null || use.isWhole()
                            ? ""
                            : ": " + use.directory() + ": " + use.obstacle()));
              }
              byType.merge(storage.type(), here, Space::plus);
              byNode.merge(node.address().name(), here, Space::plus);
              all = all.plus(here);
              unknown = unknown.plus(storage.unknown());
            });
  }

  private OptionalLong share(List<Integer> ids, String chain, BlockSum sum, StoreShares shares) {
    if (!mayBeInStore(ids)) {
      return OptionalLong.of(0);
    }
    return shares == null ? OptionalLong.empty() : shares.of(chain, sum.logicalBytes());
  }

  /** Returns whether a scheme of a chain keeps a store, or is not known here. */
  private boolean mayBeInStore(List<Integer> chain) {
    return chain.stream()
        .map(this::known)
        .anyMatch(known -> known.isEmpty() || known.get() instanceof BlockScheme);
  }

  private Optional<ReductionScheme> known(int id) {
    try {
      return Optional.of(schemes.byId(id));
    } catch (SchemeNotFoundException e) {
      return Optional.empty();
    }
  }

  private String name(List<Integer> chain, VolumeUse use) {
    List<String> names = new ArrayList<>();
    for (int id : chain) {
      String name = use == null ? null : use.schemes().get(id);
      names.add(name == null ? known(id).map(ReductionScheme::name).orElse("#" + id) : name);
    }
    return names.isEmpty() ? VolumeUse.PLAIN : String.join(",", names);
  }

  /** Prints it for people. */
  void print(Terminal terminal) {
    terminal.result(
        source
            + ": "
            + Sizes.bytes(length)
            + " in "
            + files
            + " files and "
            + directories
            + " directories, "
            + blocks
            + " blocks");
    terminal.result(all.sentence("replicas"));
    if (open > 0) {
      terminal.result(open + " files are open; their last blocks count as they are now");
    }
    if (erasureCoded > 0) {
      terminal.result(erasureCoded + " files are erasure-coded; parity counts, too");
    }
    if (links > 0) {
      terminal.result(links + " symbolic links are not followed");
    }
    section(terminal, "stored with", byChain);
    section(terminal, "storage type", byType);
    section(terminal, "DataNode", byNode);
    if (all.stores().orElse(1) > 0) {
      terminal.result("");
      terminal.result(
          "stores: what the stores hold, divided among all blocks that use them by their lengths");
    }
  }

  private static void section(Terminal terminal, String head, Map<String, Space> spaces) {
    terminal.result("");
    terminal.table(ClusterReport.table(head, spaces));
  }

  /** Returns it as JSON. */
  ObjectNode toJson() {
    ObjectNode root =
        Json.root()
            .put("path", source)
            .put("files", files)
            .put("directories", directories)
            .put("symbolicLinks", links)
            .put("openFiles", open)
            .put("erasureCodedFiles", erasureCoded)
            .put("length", length)
            .put("blocks", blocks)
            .put("missingBlocks", missing);
    all.putTo(root.putObject("replicas"));
    root.putObject("unknownReplicas")
        .put("blocks", unknown.blocks())
        .put("logicalBytes", unknown.logicalBytes());
    ClusterReport.array(root.putArray("schemes"), "chain", byChain);
    ClusterReport.array(root.putArray("storageTypes"), "type", byType);
    ClusterReport.array(root.putArray("dataNodes"), "name", byNode);
    troubles.lines().forEach(root.putArray("notLookedAt")::add);
    return root;
  }

  @Override
  public void close() {
    questions.close();
  }
}
