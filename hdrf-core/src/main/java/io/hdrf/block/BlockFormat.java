/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.block;

/**
 * The reduced block file; {@code docs/formats.md} ("Reduced block") has its bytes. {@link
 * BlockHeader} and {@link FrameTable} read and write it.
 *
 * <p>From the end of the frame table, the <i>physical end</i>, to the block's logical length the
 * file is a hole, which readers ignore, as they ignore whatever lies behind it; a shorter file is
 * damaged. Magic, version, header length, CRC and tag stand at their places in every version, so
 * that a file of a later version can be distinguished from a damaged one. That lengths add up, and
 * that nothing lies behind the table's last CRC, is checked when a file is opened, and the CRC of a
 * frame each time it is read.
 */
public final class BlockFormat {

  /** The version that is written. */
  public static final int VERSION = 1;

  /** The oldest version that can be read. */
  public static final int OLDEST_VERSION = 1;

  /** The header's length in bytes. */
  public static final int HEADER_LENGTH = 64;

  /** The most schemes in a chain. */
  public static final int MAX_CHAIN_LENGTH = 4;

  /** The greatest logical length: 2<sup>48</sup> - 1 bytes. */
  public static final long MAX_LOGICAL_LENGTH = (1L << 48) - 1;

  /** The longest frame table in bytes; a block that would need a longer one stays plain. */
  public static final int MAX_TABLE_LENGTH = 16 << 20;

  /** The magic, read as a little-endian number. */
  static final int MAGIC = 0x42524889;

  private BlockFormat() {}
}
