/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.container.format;

import io.hdrf.jni.Crc32c;
import io.hdrf.spi.io.CorruptFileException;
import io.hdrf.spi.io.UnknownFormatVersionException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;

/**
 * The container file, format version 1: what its parts have in common. Each part's own class is the
 * specification of that part.
 *
 * <p>A container holds chunks of one volume and block pool. Its file consists of a header ({@link
 * ContainerHeader}), groups of chunks ({@link GroupHeader}) and, when it is sealed, a directory
 * ({@link DirectoryFormat}) and a footer ({@link ContainerFooter}), without gaps.
 *
 * <p>All numbers are little-endian. A varint is an unsigned LEB128 number (7 bits a byte, lowest
 * first, the top bit set in all bytes but the last) of at most 5 bytes and at most
 * 2<sup>31</sup>&nbsp;-&nbsp;1. A CRC32C is that of RFC 3720.
 *
 * <p>Chunks are numbered. A container is written with consecutive numbers from 0; compaction leaves
 * out chunks, and the others keep their numbers. Numbers ascend in the file.
 *
 * <p>Names: {@code <id>.hdc} (12 lower-case hexadecimal digits) is a sealed container. A file gets
 * this name by a rename after it was forced, so that it is complete whatever happens. {@code
 * <id>.hdc.open} is a container that is being written, or was when the process ended: its groups
 * count as far as they are sound, whatever follows them, and it is sealed as soon as there is room
 * for the directory. {@code <id>.hdc.tmp} is a copy that was not finished; it is deleted.
 */
public final class ContainerFormat {

  /** The version that is written. */
  public static final int VERSION = 1;

  /** The oldest version that can be read. */
  public static final int OLDEST_VERSION = 1;

  /** The longest chunk: 16 MiB. */
  public static final int MAX_CHUNK_LENGTH = 16 << 20;

  /** The most bytes of chunks in a group: 16 MiB. */
  public static final int MAX_GROUP_LENGTH = 16 << 20;

  /** The most chunks in a container; their numbers are less. */
  public static final int MAX_CHUNKS = 1 << 20;

  /** The most schemes in a container's chain. */
  public static final int MAX_CHAIN_LENGTH = 4;

  private ContainerFormat() {}

  public static ByteBuffer littleEndian(ByteBuffer buffer) {
    return buffer.duplicate().order(ByteOrder.LITTLE_ENDIAN);
  }

  /** CRC32C of bytes from index {@code from} to {@code to}, exclusively. */
  public static int crc(ByteBuffer buffer, int from, int to) {
    return crc(0, buffer, from, to);
  }

  public static int crc(int crc, ByteBuffer buffer, int from, int to) {
    ByteBuffer part = buffer.duplicate();
    part.limit(to);
    part.position(from);
    return Crc32c.update(crc, part);
  }

  public static void expect(Path file, String what, long expected, long found)
      throws CorruptFileException {
    if (expected != found) {
      throw new CorruptFileException(
          file, what, "0x" + Long.toHexString(expected), "0x" + Long.toHexString(found));
    }
  }

  static void requireRange(Path file, String what, long min, long max, long found)
      throws CorruptFileException {
    if (found < min || found > max) {
      throw new CorruptFileException(file, what, "from " + min + " to " + max, found);
    }
  }

  static void requireKnown(Path file, int version) throws UnknownFormatVersionException {
    if (version < OLDEST_VERSION || version > VERSION) {
      throw new UnknownFormatVersionException(file, version, OLDEST_VERSION, VERSION);
    }
  }
}
