/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.gc;

import io.hdrf.codec.dedup.container.ChunkRef;
import io.hdrf.codec.dedup.container.ContainerDirectory;
import io.hdrf.codec.dedup.container.ContainerStore;
import java.io.IOException;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/** Counts every reference of the stored blocks, and those to chunks that are not there. */
public final class ReferenceCheck {

  private static final int MAX_PROBLEMS = 100;

  private final ContainerStore containers;
  private final BlockReferences references;
  private final Consumer<String> problems;
  private final Set<Long> blocks = new HashSet<>();
  private final Set<Long> badBlocks = new HashSet<>();
  private long referenceCount;
  private long missing;

  /**
   * @param problems is told of each block that needs a chunk which is not there, of the first
   *     hundred
   */
  public ReferenceCheck(
      ContainerStore containers, BlockReferences references, Consumer<String> problems) {
    this.containers = containers;
    this.references = references;
    this.problems = problems;
  }

  /**
   * Reads the recipes of all blocks.
   *
   * @return blocks, references, and how many of these are missing
   * @throws IOException if a block file can't be read
   */
  public Map<String, Long> run() throws IOException {
    references.forEach(this::look);
    Map<String, Long> counts = new LinkedHashMap<>();
    counts.put("blocks", (long) blocks.size());
    counts.put("references", referenceCount);
    counts.put("missing", missing);
    return counts;
  }

  private void look(long blockId, long container, int first, int count) {
    blocks.add(blockId);
    referenceCount += count;
    ContainerDirectory content = null;
    String reason = "is not there";
    try {
      content = containers.directory(container);
    } catch (IOException e) {
      reason = "can't be read: " + e.getMessage();
    }
    for (int number = first; number < first + count; number++) {
      long ref = ChunkRef.pack(container, number);
      if (content == null || content.indexOf(number) < 0) {
        report(blockId, ref, reason);
      } else if (containers.isBad(ref)) {
        report(blockId, ref, "is damaged");
      }
    }
  }

  private void report(long blockId, long ref, String reason) {
    missing++;
    if (badBlocks.add(blockId) && badBlocks.size() <= MAX_PROBLEMS) {
      problems.accept(
          "blk_" + blockId + " needs chunk " + ChunkRef.toString(ref) + ", which " + reason);
    }
  }
}
