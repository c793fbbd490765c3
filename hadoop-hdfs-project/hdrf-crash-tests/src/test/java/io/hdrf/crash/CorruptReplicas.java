/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.crash;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.tools.DFSck;

/**
 * The replicas that the NameNode considers corrupt, and those of which stock HDFS itself made too
 * short a copy: the NameNode orders a copy of a block with the length that it knows, while the
 * block is being appended to; and with as many DataNodes as replicas, no other replica can replace
 * it. Or of which it deleted a file that it had just received.
 */
final class CorruptReplicas {

  /**
   * A replica.
   *
   * @param block as {@code BP-1:blk_2_3}
   * @param dataNode its address and port for data
   */
  record Replica(String block, String dataNode) {
    long blockId() {
      return Long.parseLong(block.replaceFirst(".*:blk_(\\d+)_\\d+", "$1"));
    }
  }

  private static final String NAME = "(\\S+:blk_\\d+_\\d+)";

  /** A block in fsck's output. */
  private static final Pattern BLOCK =
      Pattern.compile("^\\d+\\. " + NAME + " len=(\\d+) .*$", Pattern.MULTILINE);

  private static final Pattern CORRUPT =
      Pattern.compile("DatanodeInfoWithStorage\\[([^,\\]]+),[^\\]]*]\\(CORRUPT\\)");

  /**
   * A DataNode's log message when it begins to send a copy to others, which pass it on to each
   * other.
   */
  private static final Pattern TARGETS =
      Pattern.compile("Starting thread to transfer \\S+:blk_(\\d+)_\\d+ to (\\S+) (\\S[^\\n]*)");

  /** A DataNode's log message when it has sent the first of them a copy. */
  private static final Pattern TRANSMITTED =
      Pattern.compile("Transmitted " + NAME + " \\(numBytes=(\\d+)\\) to [^/\\s]*/(\\S+)");

  /** A DataNode's log message when it has received a copy. */
  private static final Pattern RECEIVED =
      Pattern.compile("Received " + NAME + " src: \\S+ dest: [^/\\s]*/(\\S+) of size");

  /** A DataNode's log message when it has deleted a replica, which it began to do before. */
  private static final Pattern DELETED = Pattern.compile("Deleted (\\S+) (blk_\\d+)_(\\d+) URI");

  private CorruptReplicas() {}

  /** Returns all of a cluster: the blocks' lengths by replica. */
  static Map<Replica, Long> of(String cluster, Configuration conf) throws IOException {
    ByteArrayOutputStream printed = new ByteArrayOutputStream();
    int exitCode;
    try (PrintStream out = new PrintStream(printed, true, StandardCharsets.UTF_8)) {
      String[] arguments = {cluster + "/", "-files", "-blocks", "-replicaDetails", "-openforwrite"};
      exitCode = new DFSck(conf, out).run(arguments);
    }
    String text = printed.toString(StandardCharsets.UTF_8);
    if (!text.contains("The filesystem under path")) {
      throw new IOException("fsck ended with exit code " + exitCode + ": " + text);
    }
    Map<Replica, Long> corrupt = new HashMap<>();
    Matcher block = BLOCK.matcher(text);
    while (block.find()) {
      Matcher replica = CORRUPT.matcher(block.group());
      while (replica.find()) {
        corrupt.put(new Replica(block.group(1), replica.group(1)), Long.parseLong(block.group(2)));
      }
    }
    return corrupt;
  }

  /** Returns the least length with which each replica was copied, by a DataNode's log. */
  static Map<Replica, Long> copied(String log) {
    Map<CopyOf, Set<String>> passedOn = new HashMap<>();
    Matcher targets = TARGETS.matcher(log);
    while (targets.find()) {
      passedOn
          .computeIfAbsent(
              new CopyOf(Long.parseLong(targets.group(1)), targets.group(2)),
              copy -> new HashSet<>())
          .addAll(List.of(targets.group(3).trim().split(" ")));
    }
    Map<Replica, Long> copied = new HashMap<>();
    Matcher transmitted = TRANSMITTED.matcher(log);
    while (transmitted.find()) {
      long length = Long.parseLong(transmitted.group(2));
      Replica first = new Replica(transmitted.group(1), transmitted.group(3));
      copied.merge(first, length, Math::min);
      CopyOf copy = new CopyOf(first.blockId(), first.dataNode());
      for (String other : passedOn.getOrDefault(copy, Set.of())) {
        copied.merge(new Replica(first.block(), other), length, Math::min);
      }
    }
    return copied;
  }

  /**
   * Returns the replicas whose files a DataNode has deleted in place of older ones, by its log:
   * stock HDFS deletes by path, in the background, what may have been received anew by then
   * (HDFS-16985).
   */
  static Set<Replica> deleted(String log) {
    Map<String, Map<String, Integer>> received = new HashMap<>();
    Matcher copy = RECEIVED.matcher(log);
    while (copy.find()) {
      received
          .computeIfAbsent(copy.group(1).replaceFirst("_\\d+$", ""), block -> new HashMap<>())
          .putIfAbsent(copy.group(1) + " " + copy.group(2), copy.start());
    }
    Set<Replica> lost = new HashSet<>();
    Matcher deletion = DELETED.matcher(log);
    while (deletion.find()) {
      String block = deletion.group(1) + ":" + deletion.group(2);
      String old = block + "_" + deletion.group(3) + " ";
      int at = deletion.start();
      received
          .getOrDefault(block, Map.of())
          .forEach(
              (replica, position) -> {
                if (position < at && !replica.startsWith(old)) {
                  int end = replica.indexOf(' ');
                  lost.add(new Replica(replica.substring(0, end), replica.substring(end + 1)));
                }
              });
    }
    return lost;
  }

  /** A copy that was sent to a DataNode, whatever the block's generation stamp was by then. */
  private record CopyOf(long block, String firstTarget) {}
}
