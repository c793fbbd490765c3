/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.admin;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;

/** One of the blocks of a volume whose files save least, by their records. Immutable. */
public final class WorstBlock {

  /** How many are named, of each volume and of all. */
  public static final int MOST = 10;

  /** The worst first: the greatest part of their length, and among equal ones the longest. */
  public static final Comparator<WorstBlock> ORDER =
      Comparator.comparingDouble((WorstBlock block) -> ratio(block.logicalBytes, block.fileBytes))
          .thenComparingLong(WorstBlock::fileBytes)
          .reversed()
          .thenComparingLong(WorstBlock::id);

  private static final String SEPARATOR = ":";
  private static final int FIELDS = 3;

  private final long id;
  private final long logicalBytes;
  private final long fileBytes;
  private final String how;

  /**
   * @param logicalBytes the block's length
   * @param fileBytes the length of what its file holds
   * @param how its schemes, or why it is plain; for people
   */
  public WorstBlock(long id, long logicalBytes, long fileBytes, String how) {
    this.id = id;
    this.logicalBytes = logicalBytes;
    this.fileBytes = fileBytes;
    this.how = how;
  }

  public long id() {
    return id;
  }

  /** In bytes. */
  public long logicalBytes() {
    return logicalBytes;
  }

  /** In bytes. */
  public long fileBytes() {
    return fileBytes;
  }

  /** Returns its schemes, or why it is plain; for people. */
  public String how() {
    return how;
  }

  /** Returns the part of its length that a block takes; an empty one is not bad. */
  public static double ratio(long logicalBytes, long fileBytes) {
    return logicalBytes == 0 ? 0 : (double) fileBytes / logicalBytes;
  }

  /** Returns the worst of some volumes, the worst first; a block that has replicas, once each. */
  public static List<WorstBlock> of(Collection<VolumeUse> uses) {
    List<WorstBlock> all = new ArrayList<>();
    uses.forEach(use -> all.addAll(use.worst()));
    all.sort(ORDER);
    return new ArrayList<>(all.subList(0, Math.min(MOST, all.size())));
  }

  /** The value of a field of {@link VolumeUse}, whose name has the id. */
  String encode() {
    return logicalBytes + SEPARATOR + fileBytes + SEPARATOR + how.replaceAll("[\t\n\r]", " ");
  }

  /**
   * @throws IllegalArgumentException if it is something else
   */
  static WorstBlock decode(String id, String text) {
    String[] fields = text.split(SEPARATOR, FIELDS);
    if (fields.length != FIELDS) {
      throw new IllegalArgumentException(text);
    }
    return new WorstBlock(
        Long.parseLong(id), Long.parseLong(fields[0]), Long.parseLong(fields[1]), fields[2]);
  }
}
