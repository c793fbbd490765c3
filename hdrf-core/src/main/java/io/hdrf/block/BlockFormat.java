/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.block;

/**
 * The reduced block file, format version 1. This is the format's specification; {@link BlockHeader}
 * and {@link FrameTable} read and write it.
 *
 * <p>A file consists of a header, the frames as they are stored, and the frame table, without gaps;
 * where the table ends is the <i>physical end</i>. From there to the block's logical length, which
 * is the file's length, the file is a hole, which readers ignore, as they ignore whatever lies
 * behind it; a shorter file is damaged. All numbers are little-endian. A varint is an unsigned
 * LEB128 number (7 bits a byte, lowest first, the top bit set in all bytes but the last) of at most
 * 5 bytes and at most 2<sup>31</sup>&nbsp;-&nbsp;1. A CRC32C is that of RFC 3720, as computed by
 * {@code java.util.zip.CRC32C}.
 *
 * <h2>Header, 64 bytes</h2>
 *
 * <table>
 * <caption>Fields of the header</caption>
 * <tr><th>offset</th><th>bytes</th><th>field</th></tr>
 * <tr><td>0</td><td>4</td><td>magic: 89 48 52 42 (0x89, "HRB")</td></tr>
 * <tr><td>4</td><td>1</td><td>format version: 1</td></tr>
 * <tr><td>5</td><td>1</td><td>flags: 0</td></tr>
 * <tr><td>6</td><td>2</td><td>header length: 64</td></tr>
 * <tr><td>8</td><td>4 x 2</td><td>scheme chain: the ids of 1 to 4 schemes in the order in which
 * they encode, then 0</td></tr>
 * <tr><td>16</td><td>8</td><td>block pool: the first 8 bytes of the SHA-256 of its id in
 * UTF-8</td></tr>
 * <tr><td>24</td><td>8</td><td>block id</td></tr>
 * <tr><td>32</td><td>6</td><td>logical length: bytes of original data, and the file's length</td>
 * </tr>
 * <tr><td>38</td><td>6</td><td>position of the frame table in the file</td></tr>
 * <tr><td>44</td><td>4</td><td>length of the frame table</td></tr>
 * <tr><td>48</td><td>4</td><td>CRC32C of bytes 0 to 47</td></tr>
 * <tr><td>52</td><td>12</td><td>tag: the first 12 bytes of HMAC-SHA256(volume secret, bytes 0 to
 * 51)</td></tr>
 * </table>
 *
 * <p>Magic, version, header length, CRC and tag stand at these places in every version, so that a
 * file of a later version is told from a damaged one.
 *
 * <h2>Frames</h2>
 *
 * <p>The stored bytes of all frames, in order, from byte 64 to the frame table. A frame stands for
 * 1 to 2<sup>30</sup> bytes of original data and has 0 to 2<sup>30</sup> stored bytes. Frames may
 * differ in length.
 *
 * <h2>Frame table, at most 16 MiB</h2>
 *
 * <ol>
 *   <li>4 bytes: CRC32C of the rest of the table
 *   <li>varint: number of frames n, at least 1
 *   <li>original lengths, as runs of equal ones that cover exactly n frames; each is a varint
 *       number of frames (at least 1) and a varint length
 *   <li>stages, as such runs; each is a varint number of frames (at least 1) and one byte: bit i is
 *       set where the i-th scheme of the chain was applied to the frame. Bits beyond the chain are
 *       0
 *   <li>n varints: stored lengths
 *   <li>n x 4 bytes: CRC32C of each frame's stored bytes
 * </ol>
 *
 * <p>The original lengths add up to the logical length, the stored lengths to the frame table's
 * position less 64; the table has no bytes behind its last CRC; the physical end is not behind the
 * logical length. Each of these is checked when a file is opened, and the CRC of a frame each time
 * it is read.
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
