/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.admin;

import java.util.Objects;

/** The sums over some blocks. Immutable. */
public final class BlockSum {

  /** Of no blocks. */
  public static final BlockSum NONE = new BlockSum(0, 0, 0);

  private static final String SEPARATOR = ":";
  private static final int FIELDS = 3;

  private final long blocks;
  private final long logicalBytes;
  private final long fileBytes;

  /**
   * @param logicalBytes the blocks' lengths together
   * @param fileBytes the lengths of what their files hold together, without those of {@code .meta}
   */
  public BlockSum(long blocks, long logicalBytes, long fileBytes) {
    this.blocks = blocks;
    this.logicalBytes = logicalBytes;
    this.fileBytes = fileBytes;
  }

  public long blocks() {
    return blocks;
  }

  /** In bytes. */
  public long logicalBytes() {
    return logicalBytes;
  }

  /** In bytes. */
  public long fileBytes() {
    return fileBytes;
  }

  /** Returns the sum of both. */
  public BlockSum plus(BlockSum other) {
    return new BlockSum(
        blocks + other.blocks, logicalBytes + other.logicalBytes, fileBytes + other.fileBytes);
  }

  String encode() {
    return blocks + SEPARATOR + logicalBytes + SEPARATOR + fileBytes;
  }

  /**
   * @throws IllegalArgumentException if it is something else
   */
  static BlockSum decode(String text) {
    String[] fields = text.split(SEPARATOR, -1);
    if (fields.length != FIELDS) {
      throw new IllegalArgumentException(text);
    }
    return new BlockSum(
        Long.parseLong(fields[0]), Long.parseLong(fields[1]), Long.parseLong(fields[2]));
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof BlockSum
        && blocks == ((BlockSum) other).blocks
        && logicalBytes == ((BlockSum) other).logicalBytes
        && fileBytes == ((BlockSum) other).fileBytes;
  }

  @Override
  public int hashCode() {
    return Objects.hash(blocks, logicalBytes, fileBytes);
  }

  @Override
  public String toString() {
    return blocks + " blocks, " + fileBytes + " of " + logicalBytes + " bytes";
  }
}
